import assert from 'node:assert/strict';
import { test } from '@jest/globals';
import fc from 'fast-check';
import { compileTemplate, renderFor } from '../../../../domain/emails/rendering/render.ts';
import type { CompiledTemplate, RecipientContext } from '../../../../domain/emails/rendering/render.ts';
import { rewriteHtml } from '../../../../domain/emails/rendering/rewrite-html.ts';
import { links, postalAddress, recipient, template, untracked } from '../delivery/mails.ts';

/** The same template without its marks: each mail is rendered, parsed and rewritten. */
const unmarked = (compiled: CompiledTemplate): CompiledTemplate => ({ ...compiled, instrumented: null });
const htmlOf = (compiled: CompiledTemplate, who: RecipientContext): string => renderFor(compiled, who).html;

// Pieces of which templates are made, sound ones and such as break out of whatever they stand in.
const text = fc.constantFrom(
  'Hello ',
  '\r\n',
  ' ',
  '&amp;',
  '&',
  'ü',
  '<',
  '>',
  '"',
  "'",
  '-',
  '--',
  '->',
  '-->',
  '--!>',
  '!',
  '/',
  '<!--',
  '<!',
  '</',
  'a',
  '{',
  '%',
  '}',
);
const output = fc.constantFrom(
  '{{ a }}',
  '{{b}}',
  '{{- c -}}',
  '{{ empty }}',
  '{{ link }}',
  '{{ unsubscribeUrl }}',
  '{{ a | newline_to_br }}',
  '{% assign x = a %}',
  '{{ x }}',
  '{% comment %} " > {% endcomment %}',
);
const href = fc.constantFrom(
  'https://example.com/',
  'http://example.com/?a=1&amp;b=2',
  'mailto:x@example.com',
  '#',
  '{{ link }}',
  'https://example.com/{{ a }}?x={{ b }}',
  '{{ unsubscribeUrl }}',
  '{% if yes %}https://example.com/y{% else %}{{ link }}{% endif %}',
  "{{ link }}'",
  '',
);
const attribute = fc.oneof(
  href.map((value) => `href="${value}"`),
  href.map((value) => `href='${value.replaceAll("'", '')}'`),
  fc.constantFrom(
    'href=https://example.com/u',
    'href={{ link }}',
    'href',
    'data-notrack',
    'title="{{ a }}"',
    'class="x{% if yes %} y{% endif %}"',
    '{% if yes %}id="i"{% endif %}',
    "alt='{{ c }}'",
  ),
);
const tag = fc
  .tuple(fc.constantFrom('a', 'area', 'p', 'td', 'tr', 'table', 'A'), fc.array(attribute, { maxLength: 3 }))
  .map(([name, attributes]) => `<${[name, ...attributes].join(' ')}>`);
const vml = fc
  .tuple(attribute, fc.constantFrom('v:roundrect', 'v:rect', 'a'))
  .map(([one, name]) => `<!--[if mso]><${name} ${one}>x</${name}><![endif]-->`);
const closing = fc.constantFrom(
  '</a>',
  '</p>',
  '</td>',
  '</tr>',
  '</table>',
  '</body>',
  '</html>',
  '</style>',
  '</title>',
  '<br/>',
  '</{{ a }}>',
);
const opening = fc.constantFrom(
  '<style>',
  '<title>',
  '<body>',
  '<body class="{{ a }}">',
  '<!-- x ',
  '<!--[if mso]>',
  '<![endif]-->',
  '<!DOCTYPE html>',
  '<html><head>',
  '</head>',
  '<textarea>',
  '<svg>',
  '<select>',
  '<noscript>',
  '<script>',
);
const leaf = fc.oneof(
  { weight: 4, arbitrary: text },
  { weight: 4, arbitrary: output },
  { weight: 5, arbitrary: tag },
  { weight: 2, arbitrary: closing },
  { weight: 2, arbitrary: opening },
  { weight: 1, arbitrary: vml },
);
const { content } = fc.letrec<{ content: string; block: string }>((tie) => ({
  content: fc
    .array(fc.oneof({ weight: 6, arbitrary: leaf }, { weight: 1, arbitrary: tie('block') }), { maxLength: 14 })
    .map((parts) => parts.join('')),
  block: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    tie('content').map((inner) => `{% if yes %}${inner}{% endif %}`),
    fc.tuple(tie('content'), tie('content')).map(([one, other]) => `{%- if no -%}${one}{% else %}${other}{% endif %}`),
    tie('content').map((inner) => `{% for i in (1..2) %}${inner}{% endfor %}`),
    tie('content').map((inner) => `{% for i in none %}${inner}{% endfor %}`),
    tie('content').map((inner) => `{% for i in (1..3) %}${inner}{% if i == 2 %}{% break %}{% endif %}{% endfor %}`),
    tie('content').map((inner) => `{% case a %}{% when 'x' %}${inner}{% else %}-{% endcase %}`),
    tie('content').map((inner) => `{% capture k %}${inner}{% endcapture %}{{ k }}`),
    tie('content').map((inner) => `{% raw %}${inner.replaceAll('{%', '{ %')}{% endraw %}`),
  ),
}));
const value = fc.constantFrom(
  '',
  'x',
  '--',
  '>',
  '-->',
  '<a href="https://evil.example">',
  '"',
  "' onclick=x",
  'yle',
  'two\nlines',
  '{{ b }}',
  '&amp;',
  '!--',
  'script',
);

test('marked once or parsed each time, a mail comes out the same', () => {
  let marked = 0;
  fc.assert(
    fc.property(
      content,
      value,
      value,
      value,
      fc.constantFrom('https://example.com/l?a=b&c=d', 'javascript:x', ''),
      (source, a, b, c, link) => {
        let compiled: CompiledTemplate;
        const who = recipient({ contact: { a, b, c, link, empty: '', yes: true } });
        try {
          compiled = compileTemplate(template(source, { category: 'marketing', previewText: 'Hi {{ a }}' }), {
            links,
            postalAddress,
          });
        } catch {
          // Pieces that together are no Liquid.
          fc.pre(false);
          return;
        }
        if (!compiled.instrumented) return;
        marked += 1;
        assert.equal(htmlOf(compiled, who), htmlOf(unmarked(compiled), who), source);
      },
    ),
    { numRuns: 1500 },
  );
  assert.ok(marked > 100, `only ${marked} templates were marked`);
});

test('without its links, pixel and footer, a mail is what its template renders to, byte for byte', () => {
  fc.assert(
    fc.property(content, fc.constantFrom('', 'x', 'yle', '!--'), (source, a) => {
      // What raw leaves in a link is encoded there.
      fc.pre(!source.includes('{% raw'));
      const who = recipient({ contact: { a, b: 'x', c: '', link: 'https://example.com/l', empty: '', yes: true } });
      let compiled: CompiledTemplate;
      try {
        compiled = compileTemplate(template(source), { links });
      } catch {
        fc.pre(false);
        return;
      }
      const rendered = htmlOf(unmarked(compiled), { ...who, emailId: null });
      // A preview of a transactional template is the bare render, but for the opt-out link that it shows.
      const optOut = links.unsubscribeUrl({ tenantId: 'default', emailId: 1001, contactId: 7 });
      const decoded = (html: string): string =>
        html.replaceAll(optOut, links.previewUrl('unsubscribe')).replaceAll('&amp;', '&').replaceAll('&#39;', "'");
      assert.equal(decoded(untracked(htmlOf(compiled, who))), decoded(rendered), source);
    }),
    { numRuns: 500 },
  );
});

test('everyday templates are marked', () => {
  for (const source of [
    '<p>Hello {{ firstName }}</p><a href="https://example.com/{{ id }}">x</a>',
    '<!DOCTYPE html><html><head><style>p{color:{{ data.color }}}</style><title>{{ data.t }}</title></head><body><table>{% for p in data.items %}<tr><td class="c{% if forloop.first %} first{% endif %}"><a href="{{ p.url }}">{{ p.name }}</a></td></tr>{% else %}<tr><td>None</td></tr>{% endfor %}</table></body></html>',
    '<!--[if mso]><table width="{{ data.width }}"><tr><td><![endif]--><a href="{% if company %}https://example.com/b{% else %}https://example.com/c{% endif %}">x</a><!--[if mso]></td></tr></table><![endif]-->',
    '{% assign greeting = "Hi" %}{% comment %}<a href="x">{% endcomment %}<p>{{ greeting }}{% unless lastName %}!{% endunless %}{% case status %}{% when "active" %}a{% else %}b{% endcase %}</p>',
  ]) {
    assert.ok(compileTemplate(template(source), { links }).instrumented, source);
  }
});

test('templates whose HTML hangs together by values or branches are parsed each time', () => {
  for (const source of [
    '<a href={{ data.link }}>x</a>',
    '<{{ data.tag }} href="https://example.com/">x</a>',
    '<a {% if firstName %}href="https://example.com/"{% endif %}>x</a>',
    '{% if firstName %}<!--{% endif %}<a href="https://example.com/">x</a>{% if firstName %}-->{% endif %}',
    '<!-- {{ data.x }}> <a href="https://example.com/">x</a> -->',
    '<style></sty{{ data.x }}le><a href="https://example.com/">x</a></style>',
    '{% capture c %}<a href="https://example.com/">{% endcapture %}{{ c }}x</a>',
    '{% raw %}<a href="https://example.com/">{% endraw %}</a>',
    '<svg><style><a href="https://example.com/">x</a></style></svg>',
    '{% for i in (1..2) %}<a href="{% if i == 2 %}{% break %}{% endif %}https://example.com/">x</a>{% endfor %}',
    '{% if firstName %}</body>{% endif %}',
  ]) {
    const compiled = compileTemplate(template(source), { links });
    assert.equal(compiled.instrumented, null, source);
    const { html } = renderFor(compiled, recipient({ data: { link: 'https://example.com/', tag: 'a', x: '' } }));
    assert.equal(
      html,
      rewriteHtml(
        untracked(html),
        { links, emailId: 1001, madeAt: links.now(), unsubscribeUrl: null, postalAddress: null },
        '',
      ),
      source,
    );
  }
});
