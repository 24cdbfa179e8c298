import assert from 'node:assert/strict';
import { test } from '@jest/globals';
import { checkTemplate } from '../../../../domain/emails/templates/check-template.ts';
import { AppError } from '../../../../lib/checks/errors.ts';

const check = (content: string) => checkTemplate({ subject: 'A subject', content });

test('a sound template has no violations', () => {
  const content = `<p>Hello {{ firstName | default: "friend" }}{% if company %} of {{ company.name }}{% endif %}</p>
    {% for item in data.items %}<li>{{ forloop.index }}: {{ item.name | escape }} {{ item.price | times: 1.2 | round: 2 }}</li>{% else %}none{% endfor %}
    {% assign x = "a,b" | split: "," %}{{ x | first }}{% comment %}{{ not | a | filter }}{% endcomment %}{% raw %}{{ this stays }}{% endraw %}
    {% comment %}{{ a | }}{% endcomment %}{% raw %}{{ a | }}{% endraw %}{{- x | append: "|" -}}{{ data["|"] }}{% if not a and b == c or d contains "e" %}{% endif %}
    {% cycle g: "a", "b" %}{% liquid
      assign y = "b"
      echo y %}{% # note %}{{ x | default: y, allow_false: true }}{% if (1..3) contains 2 %}{% endif %}{% echo %}
    {% capture card %}<b>{{ lastName }}</b>{% endcapture %}{{ card }}{% case status %}{% when "active" %}a{% endcase %}
    {{ "now" | date: "%Y" }}{% unless a == b %}{% cycle "odd", "even" %}{% endunless %}`;
  assert.deepEqual(
    checkTemplate({ subject: '{{ firstName }}', content, text: '{{ data.x }}', previewText: '{{ company }}' }),
    [],
  );
});

test('the short form of a link to a form is sound everywhere, and moves no position', () => {
  const short = '{{formUrl: 12}}{{-formUrl:7-}}{{ formUrl : 8 -}}{{- formUrl: 9 }}';
  const mjml = `<mjml><mj-body><mj-section><mj-column><mj-text>${short}</mj-text></mj-column></mj-section></mj-body></mjml>`;
  const html = `<a href="{{formUrl: 12}}">${short}</a>`;
  for (const content of [html, mjml])
    assert.deepEqual(checkTemplate({ subject: short, content, text: short, previewText: short }), []);
  assert.match(check(`\n{{ formUrl : 8 }} {{ a | }}`)[0]!.message, /\(line 2, column 19\)/);
  assert.match(check('{{formUrl: x}}')[0]!.message, /line 1, column 11/);
});

test('mistakes are told with their part, line and column', () => {
  const cases: [content: string, message: RegExp][] = [
    ['<p>\n  {{ firstName | shout }}', /undefined filter: shout \(line 2, column 3\)/],
    ['{% magic %}', /tag "magic" not found \(line 1, column 1\)/],
    ['a\nb {% if firstName %}', /not closed \(line 2, column 3\)/],
    ['{{ firstName', /not closed \(line 1, column 1\)/],
    ['{% for x of y %}{% endfor %}', /illegal tag.* \(line 1, column 1\)/],
    ['{% endif %}', /tag "endif" not found \(line 1, column 1\)/],
    ['{{ "a" | append }}', /append expect 2 arguments \(line 1, column 1\)/],
    ['{{ | }}', /invalid value expression.*\(line 1, column 4\)/],
    ['a {{ firstName | }}', /expected filter name \(line 1, column 3\)/],
    ['{{ firstName | upcase | }}', /expected filter name \(line 1, column 1\)/],
    ['{{ firstName, lastName }}', /unexpected ", lastName" \(line 1, column 1\)/],
    ['{% if a == %}x{% endif %}', /"==" lacks a value \(line 1, column 1\)/],
    ['{% if a %}\n{% elsif not %}x{% endif %}', /"not" lacks a value \(line 2, column 1\)/],
    ['{% if a and == b %}x{% endif %}', /lacks a value/],
    ['{% if a b %}x{% endif %}', /two values without an operator/],
    ['{% unless a | %}x{% endunless %}', /expected filter name/],
    ['{% assign a = b | %}', /expected filter name/],
    ['{% if firstName %}{{ "a" | append }}{% endif %}', /append expect 2 arguments \(line 1, column 19\)/],
    [
      '{% for item in data.items %}\n  {% if item %}{% assign x = "a" | append %}{% endif %}{% endfor %}',
      /append expect 2 arguments \(line 2, column 16\)/,
    ],
    ['{% if firstName %}{% cycle "a", b | nope %}{% endif %}', /undefined filter: nope \(line 1, column 19\)/],
    [
      '{% if firstName %}\n{% liquid\n  assign x = 1\n  if x ==\n  endif %}{% endif %}',
      /"==" lacks a value \(line 4, column 3\)/,
    ],
  ];
  for (const [content, message] of cases) {
    const [violation, ...rest] = check(content);
    assert.equal(violation?.path, '/content', content);
    assert.equal(violation.code, 'template_syntax');
    assert.match(violation.message, message);
    assert.deepEqual(rest, []);
  }
});

test('every part is looked at', () => {
  const broken = '{{ x | nope }}';
  const violations = checkTemplate({ subject: broken, content: broken, text: broken, previewText: broken });
  assert.deepEqual(
    violations.map(({ path }) => path),
    ['/subject', '/content', '/text', '/previewText'],
  );
  assert.deepEqual(checkTemplate({ subject: 's', content: 'c', text: null, previewText: '' }), []);
});

test('files, layouts, counters and what would parse or unescape values do not exist', () => {
  for (const tag of [
    "{% include 'x' %}",
    "{% render 'x' %}",
    "{% layout 'x' %}",
    '{% block x %}{% endblock %}',
    '{% increment x %}',
    '{% decrement x %}',
  ]) {
    assert.match(check(tag)[0]?.message ?? '', /tag "\w+" not found/, tag);
  }
  for (const filter of ['raw', "where_exp: 'x', 'y'", "group_by_exp: 'x', 'y'", "find_exp: 'x', 'y'"]) {
    assert.match(check(`{{ data.x | ${filter} }}`)[0]?.message ?? '', /undefined filter/, filter);
  }
  for (const mark of ['mail_link 0', 'mail_href 2', 'mail_preheader', 'mail_trailer']) {
    assert.match(check(`{% ${mark} %}`)[0]?.message ?? '', /not found/, mark);
  }
});

const hostile: Record<string, string> = {
  'a huge range': '{% for i in (1..100000000) %}x{% endfor %}',
  'a huge range after one that counts down':
    '{% for i in (100000000..1) %}x{% endfor %}{% for i in (1..100000000) %}x{% endfor %}',
  'nested loops':
    '{% for a in (1..1000) %}{% for b in (1..1000) %}{% for c in (1..1000) %}{{ a }}{% endfor %}{% endfor %}{% endfor %}',
  'nested loops of nothing': '{% for a in (1..10000) %}{% for b in (1..10000) %}{% endfor %}{% endfor %}',
  'a text that doubles':
    '{% assign s = "aaaaaaaaaa" %}{% for i in (1..60) %}{% assign s = s | append: s %}{% endfor %}{{ s }}',
  'a text that multiplies':
    '{% assign s = "aaaaaaaaaa" %}{% for i in (1..60) %}{% assign s = s | replace: "a", "aaaaaaaaaa" %}{% endfor %}{{ s }}',
  'much plain text, often': `{% for i in (1..100000) %}${'x'.repeat(10_000)}{% endfor %}`,
  'captures of themselves': '{% for i in (1..100000) %}{% capture c %}{{ c }}{{ c }}x{% endcapture %}{% endfor %}',
  'deeply nested blocks': '{% if true %}'.repeat(30_000) + '{% endif %}'.repeat(30_000),
  'a wide date': '{{ "now" | date: "%999999999Y" }}',
  'a date format of zeros': `{{ "now" | date: "%${'0'.repeat(90_000)}\n" }}`,
  'one expensive filter': '{{ (1..1900000) | sum: "x" }}',
  'a filter over and over': `{{ "a" ${'| append: "b" '.repeat(50_000)} }}`,
  'deeply nested elements': '<div>'.repeat(80_000) + '</x>'.repeat(80_000),
  'more than a megabyte': 'x'.repeat(1_000_001),
};
for (const [what, content] of Object.entries(hostile)) {
  test(`${what} hits a limit, soon`, () => {
    const start = process.cpuUsage();
    assert.throws(
      () => check(content),
      (error) => error instanceof AppError && error.code === 'template_limit',
    );
    // The watchdog ends everything after a second. What is counted is the time of this process alone, not that of others.
    assert.ok(process.cpuUsage(start).user < 5_000_000);
  });
}
