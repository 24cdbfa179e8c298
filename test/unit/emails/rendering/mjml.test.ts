import assert from 'node:assert/strict';
import { test } from '@jest/globals';
import { AppError } from '../../../../lib/checks/errors.ts';
import { compileMjmlInThread } from '../../../../domain/emails/templates/template-work.ts';
import { compileTemplate, renderFor } from '../../../../domain/emails/rendering/render.ts';
import { links, recipient, template } from '../delivery/mails.ts';

const body = (inner: string, head = '') =>
  `<mjml>${head && `<mj-head>${head}</mj-head>`}<mj-body>${inner}</mj-body></mjml>`;
const column = (inner: string) => `<mj-section><mj-column>${inner}</mj-column></mj-section>`;
const refusal = async (content: string): Promise<AppError> => {
  const error = await compileMjmlInThread('default', content).then(
    () => null,
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof AppError, `compiled, or failed otherwise: ${String(error)}`);
  return error;
};
const render = async (content: string, data: Record<string, unknown>) =>
  renderFor(compileTemplate(template(await compiled(content)), { links }), {
    ...recipient({ data }),
    emailId: null,
  }).html;

const compiled = async (content: string): Promise<string> => {
  const html = await compileMjmlInThread('default', content);
  assert.ok(html !== null, 'it is no MJML');
  return html;
};
const toldOf = async (content: string) =>
  (await refusal(content)).errors!.map(({ code, message }) => `${code}: ${message}`);

test('MJML is compiled behind blanks, a byte order mark, declarations, comments and Liquid that prints nothing', async () => {
  const document = body(column('<mj-text>Hi {{ name }}</mj-text>'));
  const html = await compiled(document);
  for (const before of [
    ' \n',
    '\uFEFF',
    '<!-- by me -->\n<!-- > -->',
    '<?xml version="1.0"?>\n',
    '<!DOCTYPE html>\n',
    '\uFEFF<?xml version="1.0"?>\n<!doctype mjml SYSTEM "x.dtd">\n<!-- <mjml> -->',
  ])
    assert.equal(await compiled(before + document), html, before);
  for (const liquid of [
    '{% assign name = firstName %}',
    '{%- comment -%} <mjml> {%- endcomment -%}',
    '{% # a note %}',
    '{% if company %}{% assign name = company %}{% else %}{% assign name = "you" %}{% endif %}',
    '{% capture name %}<b>{{ firstName }}</b> <!-- kept --> of us{% endcapture %}',
  ])
    assert.equal(await compiled(`<!doctype html>${liquid}\n${document}`), liquid + html, liquid);
  const greeting = await render(`{% assign name = data.first %}\n${document}`, { first: 'Ada' });
  assert.match(greeting, /^<!doctype html>[^]*>Hi Ada</i);
});

test('MJML that cannot be compiled is refused with the reason, and never taken for HTML', async () => {
  assert.deepEqual(await toldOf(`\nHello\n${body('')}`), [
    'mjml_syntax: <mjml> must be the first element, with nothing but comments, declarations and Liquid that prints nothing before it; found "Hello" (line 2)',
  ]);
  assert.match(
    (await toldOf(`<html><body>${body('')}</body></html>`))[0]!,
    /must be the first element.*"<html><body>"/,
  );
  assert.deepEqual(await toldOf(`\n{{ firstName }}${body('')}`), [
    'mjml_syntax: {{ firstName }} prints before <mjml>: put it into an element that contains text (line 2)',
  ]);
  assert.deepEqual(await toldOf(`{% if x %}${body('')}{% else %}${body('')}{% endif %}`), [
    'mjml_syntax: <mjml> is inside of {% if %}, which must be in its elements (line 1)',
  ]);
  assert.deepEqual(await toldOf(`<p>x</p>\n<mj-text>x</mj-text>`), [
    'mjml_syntax: <mj-text> is MJML, which must be inside of <mjml> (line 2)',
  ]);
  // Lines are those of the source, whatever stands before.
  assert.deepEqual(await toldOf(`<?xml version="1.0"?>\n{% assign a =\n1 %}\n${body(column('<mj-txt>x</mj-txt>'))}`), [
    "mjml_syntax: Element mj-txt doesn't exist or is not registered (line 4)",
  ]);
});

test('content without MJML is none', async () => {
  for (const content of ['<mjmlx>', '<html>', 'mjml', '<!-- <mjml> -->', '&lt;mjml&gt;', '{{ "<mjml>" }}'])
    assert.equal(await compileMjmlInThread('default', content), null, content);
});

test('Liquid survives as it was written, wherever MJML keeps text', async () => {
  const tokens = [
    '{{ firstName | default: "you" }}',
    '{% if a < b and c > d %}',
    '{% endif %}',
    '{{ data["x"] | append: \'<i>&amp;\' }}',
    '{%- comment -%} <mj-text> {%- endcomment -%}',
    '{{ url }}',
    '{{ colour }}',
    '{{ side }}',
    '{% for row in data.rows %}',
    '{{ row.name }}',
    '{% endfor %}',
  ];
  const html = await compiled(
    body(
      column(`<mj-text color="${tokens[6]}" align="${tokens[7]}">Hi ${tokens[0]}&nbsp;${tokens[1]}<b>x</b>${tokens[2]} ${tokens[3]} ${tokens[4]}</mj-text>
      <mj-button href="https://example.com/?q=${tokens[5]}&amp;z=1">Go</mj-button>
      <mj-table>${tokens[8]}<tr><td>${tokens[9]}</td></tr>${tokens[10]}</mj-table><mj-raw><!--[if mso]>${tokens[0]}<![endif]--></mj-raw>`),
      `<mj-title>${tokens[0]}</mj-title><mj-preview>${tokens[0]}</mj-preview><mj-style>.x { color: ${tokens[6]} }</mj-style><mj-style inline="inline">.y { color: red }</mj-style>`,
    ),
  );
  for (const token of tokens) assert.ok(html.includes(token), token);
  assert.ok(html.includes(`href="https://example.com/?q=${tokens[5]}&amp;z=1"`));
  assert.match(html, /\{% for row in data\.rows %\}<tr>/);
  assert.match(html, /Hi \{\{ firstName \| default: "you" \}\}&nbsp;\{% if a < b and c > d %\}<b>x<\/b>/);
});

test('blocks between elements come to stand in mj-raw, so that they choose and repeat elements', async () => {
  const content =
    body(`{% if data.vip %}${column('<mj-text>For you</mj-text>')}{% else %}${column('<mj-text>For all</mj-text>')}{% endif %}
    <mj-section>{% for item in data.items %}<mj-column><mj-text>Item {{ item }}</mj-text></mj-column>{% endfor %}</mj-section>`);
  const html = await render(content, { vip: true, items: ['one', 'two'] });
  assert.ok(html.includes('For you') && !html.includes('For all'));
  assert.deepEqual(html.match(/Item \w+/g), ['Item one', 'Item two']);
  assert.ok((await render(content, { items: [] })).includes('For all'));
});

test('the same text is the same HTML, and what tokens look like in between collides with nothing', async () => {
  const content = body(column('<mj-text>lqd0z lqdq1z {{ firstName }}</mj-text>'));
  const html = await compiled(content);
  assert.equal(html, await compiled(content));
  assert.match(html, />lqd0z lqdq1z \{\{ firstName \}\}</);
});

test('mistakes are told with their lines, also behind Liquid of several lines', async () => {
  assert.deepEqual(
    await toldOf(
      `<mjml>\n<mj-body>\n{% comment %}\n\n{% endcomment %}\n${column('\n<mj-txt>x</mj-txt>')}\n</mj-body>\n</mjml>`,
    ),
    ["mjml_syntax: Element mj-txt doesn't exist or is not registered (line 7)"],
  );
  assert.deepEqual(await toldOf(body(column('<mj-text>x</mj-text>\n<mj-button colour="red">y</mj-button>'))), [
    'mjml_syntax: Attribute colour is illegal (line 2)',
  ]);
  assert.deepEqual(await toldOf(body(column('<mj-image width="{{ width }}" src="x" />'))), [
    'mjml_syntax: Attribute width has invalid value: {{ width }} for type Unit, only accepts (px) units and 1 value(s) (line 1)',
  ]);
  assert.deepEqual(await toldOf('<mjml>\n<mj-body>\n<mj-section>\n</mj-body></mjml>'), [
    'mjml_syntax: </mj-body> where </mj-section> is expected (line 4)',
  ]);
  assert.deepEqual(await toldOf('<mjml><mj-body>\n<mj-section>'), ['mjml_syntax: <mj-section> has no end (line 2)']);
  assert.deepEqual(await toldOf('<mjml></mj-body></mjml>'), [
    'mjml_syntax: </mj-body> where </mjml> is expected (line 1)',
  ]);
  assert.match((await toldOf('<mjml></mjml>'))[0]!, /^mjml_syntax: Malformed MJML/);
  assert.deepEqual(
    await toldOf(body('', '<mj-attributes>\n{% if x %}<mj-all color="red" />\n{% endif %}</mj-attributes>')),
    [2, 3].map(
      (line) =>
        `mjml_syntax: ${line === 2 ? '{% if x %}' : '{% endif %}'} is not allowed here: put it into an element that contains text (line ${line})`,
    ),
  );
  assert.equal((await refusal(body('{{ x'))).code, 'validation_failed');
});

test('no file is read and no address fetched', async () => {
  const include = await refusal(body('\n<mj-include path="/etc/passwd" />'));
  assert.deepEqual(
    include.errors!.map(({ message }) => message),
    ['mj-include is not supported: there are no files to include (line 2)'],
  );
  assert.equal(
    (await refusal(body('', '<mj-include path="http://127.0.0.1/x.css" type="css" css-inline="inline" />'))).status,
    400,
  );
  const html = await compiled(
    body(
      column('<mj-text>x</mj-text>'),
      '<mj-style inline="inline">@import url("file:///etc/passwd");</mj-style><mj-font name="x" href="file:///etc/passwd" />',
    ),
  );
  assert.ok(!html.includes('root:'));
});

// Each of thousands of rules is looked for in thousands of elements: minutes, on whatever machine.
const STYLED = body(
  column('<mj-text>x</mj-text>').repeat(6_000),
  `<mj-style inline="inline">${Array.from({ length: 15_000 }, (_, n) => `.c${n} b { color: red }`).join(' ')}</mj-style>`,
);

test('a document that costs too much is over its limits, and the next one is compiled', async () => {
  const nested = (n: number) => body(`${'<mj-wrapper>'.repeat(n)}${'</mj-wrapper>'.repeat(n)}`);
  for (const content of [nested(20_000), STYLED, `${body('')}${' '.repeat(1_000_000)}`])
    assert.equal((await refusal(content)).code, 'template_limit');
  assert.match(await compiled(body(column('<mj-text>still here</mj-text>'))), /still here/);
});

test('documents of nothing but beginnings are refused', async () => {
  for (const piece of [
    '<!--',
    '<!-- --> ',
    '<mj-a "',
    '<mj-a ',
    '<mjml',
    '<?xml ',
    '<!doctype ',
    '{{x}}',
    '<mj-text>{{x}}</mj-text>',
  ]) {
    assert.ok(
      ['validation_failed', 'template_limit'].includes((await refusal(`<mjml>${piece.repeat(30_000)}`)).code),
      piece,
    );
    const before = await refusal(`${piece.repeat(30_000)}<mjml>`).catch((error: unknown) => error);
    assert.ok(before instanceof Error, piece);
  }
});

test('too many behind one that takes long are told to come back', async () => {
  const content = body(column('<mj-text>x</mj-text>'));
  const answer = (document: string) =>
    compileMjmlInThread('default', document).then(
      () => 'compiled',
      (error: AppError) => error.code,
    );
  const answers = await Promise.all([answer(STYLED), ...Array.from({ length: 30 }, () => answer(content))]);
  assert.deepEqual(new Set(answers), new Set(['template_limit', 'unavailable', 'compiled']));
  assert.match(await compiled(content), />x</);
});
