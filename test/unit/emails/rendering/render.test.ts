import assert from 'node:assert/strict';
import { test } from '@jest/globals';
import { compileTemplate, renderFor } from '../../../../domain/emails/rendering/render.ts';
import {
  isLimitError,
  limitReached,
  templateLimits,
  withTimeLimit,
} from '../../../../domain/emails/rendering/template-limits.ts';
import type { RecipientContext, TemplateVersion } from '../../../../domain/emails/rendering/render.ts';
import { readContactToken } from '../../../../domain/addresses/contact-token.ts';
import { AppError } from '../../../../lib/checks/errors.ts';
import { links, postalAddress, recipient, signer, template, untracked } from '../delivery/mails.ts';

function render(content: string, who: Partial<RecipientContext> = {}, overrides: Partial<TemplateVersion> = {}) {
  return renderFor(compileTemplate(template(content, overrides), { links, postalAddress }), recipient(who));
}
/** Rendered content without what is added to it. */
const plain = (content: string, who: Partial<RecipientContext> = {}): string => untracked(render(content, who).html);

test('contact fields, the company, data and what is missing', () => {
  assert.equal(
    plain('{{firstName}} {{ contact.firstName }} {{email}} {{customFields.plan}} {{contact.customFields.plan}}'),
    'Ann Ann ann@example.org gold gold',
  );
  assert.equal(
    plain('{{company}}|{{company.domain}}|{{contact.company}}|{{company | upcase}}'),
    'Salt &amp; Co|salt.example|Salt &amp; Co|SALT &amp; CO',
  );
  assert.equal(
    plain('{% if company == "Salt & Co" %}yes{% endif %}{% if company contains "Salt" %}!{% endif %}'),
    'yes!',
  );
  assert.equal(plain('[{{nope}}{{nope.at.all}}{{data.nope}}{{company.nope}}{{ contact.nope | upcase }}]'), '[]');
  assert.equal(plain('{{ nope | default: "friend" }}'), 'friend');
  assert.equal(
    plain('[{{contact}}{{customFields}}{{data}}{{data.list}}]', { data: { list: [{ x: 1 }] } }),
    '[]',
    'what has no text prints none',
  );
  assert.equal(
    plain('{{data.order.id}}{% for x in data.items %}<{{x}}>{% endfor %}', {
      data: { order: { id: 5 }, items: [1, 2] },
    }),
    '5<1><2>',
  );
  assert.equal(plain('{{email}}{{firstName}}{{company}}', { contact: null, contactId: null }), 'ann@example.org');
  assert.equal(plain('{% for t in tags %}{{t}},{% endfor %}{{ tags }}'), 'a,b,ab');
});

test('what objects inherit is out of reach', () => {
  for (const name of [
    'constructor',
    '__proto__',
    'hasOwnProperty',
    'valueOf',
    'toString',
    '__defineGetter__',
    'liquidMethodMissing',
  ]) {
    for (const path of [`contact.${name}`, `data.${name}`, `firstName.${name}`, `contact.${name}.${name}`]) {
      assert.equal(plain(`[{{ ${path} }}]`), '[]', path);
    }
    assert.match(plain(`[{{ company.${name} }}]`), /^\[(Salt &amp; Co)?\]$/, name);
  }
});

test('values are escaped in content, and are never Liquid', () => {
  const contact = {
    firstName: `<script>alert("1")</script>`,
    lastName: "{{ contact.email }}{% if true %}x{% endif %}'&",
  };
  const html = plain('<p title="{{firstName}}" lang=\'{{lastName}}\'>{{ firstName }}{{ lastName }}</p>', { contact });
  const first = '&lt;script&gt;alert(&#34;1&#34;)&lt;/script&gt;';
  const last = '{{ contact.email }}{% if true %}x{% endif %}&#39;&amp;';
  assert.equal(html, `<p title="${first}" lang='${last}'>${first}${last}</p>`);
  assert.equal(plain('{% cycle firstName %}{% echo firstName %}', { contact }), first + first);
});

test('what is escaped already is not escaped again', () => {
  const contact = { firstName: "O'Neil <b>", note: 'one\ntwo & three' };
  const escaped = 'O&#39;Neil &lt;b&gt;';
  assert.equal(
    plain('{% capture c %}<b>{{ firstName }}</b>{% endcapture %}{{ c }}{{ c }}', { contact }),
    `<b>${escaped}</b><b>${escaped}</b>`,
  );
  assert.equal(plain('{{ firstName | escape }}', { contact }), escaped);
  assert.equal(plain('{{ note | newline_to_br }}', { contact }), 'one<br />\ntwo &amp; three');
});

test('subjects are one line of text, not HTML', () => {
  const contact = { firstName: "A&B's\r\nBcc: eve@example.org\u0000\u2028x", lastName: '{{ 1 }}' };
  const { subject } = render('x', { contact }, { subject: 'Hi {{ firstName }},\n {{ lastName | escape }} ' });
  assert.equal(subject, "Hi A&B's Bcc: eve@example.org x, {{ 1 }}");
});

test('http and https links of a and area are tracked; everything else is left as it is', () => {
  const content = [
    '<a href="https://example.com/a?b=1&amp;c=2">1</a>',
    "<a class=x HREF = 'http://example.com/b'>2</a>",
    '<a href=https://example.com/c>3</a>',
    '<map><area href="https://example.com/d"></map>',
    '<a href="https://example.com/{{ firstName }}?x={{ customFields.plan }}&amp;y">4</a>',
    '<a href="{{ data.link }}">5</a>',
  ];
  const left = [
    '<a href="mailto:a@example.com">',
    '<a href="tel:+1">',
    '<a href="#top">',
    '<a href="cid:x">',
    '<a href="javascript:alert(1)">',
    '<a href="//evil.example">',
    '<a href="/relative">',
    '<a>',
    '<a href>',
    '<a href="">',
    '<a data-notrack href="https://example.com/n">',
    '<link href="https://example.com/l">',
    '<img src="https://example.com/i">',
    '<!-- <a href="https://example.com/x"> -->',
    '<style>a[href="https://example.com/"]{}</style>',
    '<textarea><a href="https://example.com/t"></textarea>',
  ];
  const data = { link: 'https://example.com/from?data=1&x=2' };
  const { html } = render(`<body>${[...content, ...left].join('\n')}</body>`, { data });
  for (const tag of left) assert.ok(html.includes(tag), tag);
  const clicks = [...html.matchAll(/tracking\/click\/([\w-]+)\?url=([^"'\s>]*)/g)].map(([, id = '', url = '']) => [
    decodeURIComponent(url),
    id,
  ]);
  assert.deepEqual(
    clicks.map(([url]) => url),
    [
      'https://example.com/a?b=1&c=2',
      'http://example.com/b',
      'https://example.com/c',
      'https://example.com/d',
      'https://example.com/Ann?x=gold&y',
      data.link,
    ],
  );
  for (const [url = '', id = ''] of clicks) assert.equal(signer.verifyClick(id, url)?.emailId, 1001);
  assert.match(
    html,
    /<img src="https:\/\/mail\.example\.com\/api\/v1\/emails\/tracking\/open\/([\w-]+)" width="1" height="1" alt=""><\/body>$/,
  );
  assert.equal(signer.verifyOpen(/open\/([\w-]+)"/.exec(html)?.[1] ?? '')?.emailId, 1001);
});

test('a link that a value makes dangerous is left alone', () => {
  for (const link of ['javascript:alert(1)', '//evil.example', ' \tJAVASCRIPT:x', 'data:text/html,x', '']) {
    assert.ok(!render('<a href="{{ data.link }}">x</a>', { data: { link } }).html.includes('/click/'), link);
  }
  const { html } = render('<a href="{{ data.link }}">x</a>', {
    data: { link: 'https://example.com/"><script>\r\nX: y' },
  });
  assert.ok(!html.includes('<script>'));
  assert.equal(
    decodeURIComponent(/url=([^"]*)"/.exec(html)?.[1] ?? ''),
    'https://example.com/%22%3E%3Cscript%3EX:%20y',
  );
});

test('opt-out links are not tracked, the web view is', () => {
  const { html } = render(
    '<a href="{{unsubscribeUrl}}">1</a><a href="{{ preferencesUrl }}">2</a><a href=\'{{ webViewUrl }}\'>3</a>',
  );
  const hrefs = [...html.matchAll(/href=["']([^"']*)["']/g)].map(([, href = '']) => href);
  assert.match(hrefs[0] ?? '', /^https:\/\/mail\.example\.com\/api\/v1\/emails\/unsubscribe\/[\w-]+$/);
  assert.match(hrefs[1] ?? '', /^https:\/\/mail\.example\.com\/api\/v1\/emails\/preferences\/[\w-]+$/);
  assert.match(hrefs[2] ?? '', /\/tracking\/click\/.*%2Femails%2Fview%2F/);
  const subjectOf = (token = '') => {
    const { madeAt, ...subject } = signer.verifyUnsubscribe(token)!;
    assert.ok(madeAt && madeAt.getTime() <= Date.now());
    return subject;
  };
  assert.deepEqual(subjectOf(hrefs[0]?.split('/').pop()), {
    tenantId: 'default',
    emailId: 1001,
    contactId: 7,
    address: null,
  });
  const bare = render('{{unsubscribeUrl}}', { contact: null, contactId: null }).html;
  assert.deepEqual(subjectOf(/unsubscribe\/([\w-]+)/.exec(bare)?.[1]), {
    tenantId: 'default',
    emailId: 1001,
    contactId: null,
    address: 'ann@example.org',
  });
});

test('marketing mail always shows a way out and the postal address, in both parts', () => {
  const marketing = { category: 'marketing' } as const;
  const none = render('<body><p>Hi</p></body>', {}, marketing);
  assert.match(
    none.html,
    /<p>Hi<\/p><div style="[^"]*"><a href="https:\/\/mail\.example\.com\/api\/v1\/emails\/unsubscribe\/[\w-]+"[^>]*>Unsubscribe<\/a><br>Example Ltd, 1 Example Street, Exampletown<\/div><img [^>]*><\/body>$/,
  );
  assert.match(none.text, /^Hi\n\n-- \nUnsubscribe: https:\S+\nExample Ltd, 1 Example Street, Exampletown\n$/);
  assert.ok(none.unsubscribeUrl && none.html.includes(none.unsubscribeUrl) && none.text.includes(none.unsubscribeUrl));

  const own = render('<p>Hi</p><a href="{{unsubscribeUrl}}">Leave</a>', {}, marketing);
  assert.equal(own.html.split('/unsubscribe/').length, 2);
  assert.ok(own.html.includes(postalAddress));
  assert.equal(own.text.split('/unsubscribe/').length, 2);

  const hidden = render('<p>Hi</p>{% if false %}<a href="{{unsubscribeUrl}}">Leave</a>{% endif %}', {}, marketing);
  assert.equal(hidden.html.split('/unsubscribe/').length, 2, 'a link that was not rendered does not count');

  const both = render(`<a href="{{unsubscribeUrl}}">Leave</a> ${postalAddress}`, {}, marketing);
  assert.equal(both.html.split(postalAddress).length, 2);

  for (const elsewhere of [
    `<!-- ${postalAddress} -->`,
    `{% if false %}${postalAddress}{% endif %}`,
    `{% comment %}${postalAddress}{% endcomment %}`,
    `{% capture a %}${postalAddress}{% endcapture %}`,
  ]) {
    assert.ok(
      render(`<p>Hi</p>${elsewhere}`, {}, marketing).html.includes(`${postalAddress}</div>`),
      `${elsewhere} does not count`,
    );
  }

  const ownText = render('<p>Hi</p>', {}, { ...marketing, text: 'Hello {{ firstName }}' });
  assert.match(ownText.text, /^Hello Ann\n\n-- \nUnsubscribe: /);
});

test('a way out counts as shown only where it is a link that is there to be followed', () => {
  const shown = ({ html }: { html: string }): number => html.split('>Unsubscribe</a>').length - 1;
  const parsed = '<a href={{ data.x }}></a>';
  for (const [content, more] of [
    ['<p>Hi</p><!-- {{ unsubscribeUrl }} -->', {}],
    ['<!--[if mso]><v:roundrect href="{{ unsubscribeUrl }}"></v:roundrect><![endif]-->', {}],
    ['<p title="{{ unsubscribeUrl }}">Hi</p>', {}],
    ['<title>{{ unsubscribeUrl }}</title><p>Hi</p>', {}],
    ['<p>Hi</p>', { previewText: 'Leave: {{ unsubscribeUrl }}' }],
    ['<a href="{{ unsubscribeUrl }}/more">Hi</a>', {}],
  ] as const) {
    for (const source of [content, parsed + content])
      assert.equal(shown(render(source, {}, { category: 'marketing', ...more })), 1, source);
  }
  for (const content of [
    '<a href="{{ unsubscribeUrl }}">Leave</a>',
    "<A HREF='{{ unsubscribeUrl }}' data-notrack>Leave</A>",
    '<a href=" {% if true %}{{ unsubscribeUrl }}{% endif %} ">Leave</a>',
    '<map><area href="{{ unsubscribeUrl }}"></map>',
  ]) {
    for (const source of [content, parsed + content])
      assert.equal(shown(render(source, {}, { category: 'marketing' })), 0, source);
  }
});

test('transactional mail gets none of it', () => {
  const mail = render('<p>Hi</p>', {}, { category: 'transactional' });
  assert.equal(untracked(mail.html), '<p>Hi</p>');
  assert.equal(mail.text, 'Hi');
  assert.equal(mail.unsubscribeUrl, null);
});

test('preview text is hidden in front of the content', () => {
  const mail = (content: string) =>
    render(content, {}, { previewText: 'Now & only: {{ firstName }} {{ lastName }}' }).html;
  const hidden =
    '<div style="display:none;max-height:0;overflow:hidden;mso-hide:all">Now &amp; only: Ann O&#39;Neil</div>';
  assert.ok(
    mail('<!DOCTYPE html><html><head></head><body class="x"><p>Hi</p></body></html>').includes(
      `<body class="x">${hidden}<p>`,
    ),
  );
  assert.ok(mail('<!DOCTYPE html><html><head><title>x</title></head><p>Hi</p>').includes(`</head>${hidden}<p>`));
  assert.ok(mail('<p>Hi</p>').startsWith(`${hidden}<p>`));
  assert.ok(!mail('<p>Hi</p>').includes('Now &amp; only: Ann O&amp;'));
});

test('links of buttons in VML and in conditional comments are those of other links', () => {
  const button = (href: string) =>
    `<!--[if mso]><v:roundrect xmlns:v="urn:schemas-microsoft-com:vml" href="${href}" style="height:40px"><center>Go</center></v:roundrect><![endif]-->`;
  const content = (tail: string) =>
    `${button('https://example.com/a?b=1&amp;c=2')}${button('https://example.com/{{ id }}')}<!--[if mso | IE]><a href='https://example.com/o'>x</a><![endif]-->` +
    `<!-- <a href="https://example.com/no">x</a> --><!--[if !mso]><!--><a href="https://example.com/m">x</a><!--<![endif]-->${button('{{ unsubscribeUrl }}')}<p ${tail}>x</p>`;
  // Behind text in a table too.
  const inTable = `<table><tr><td>x</td></tr>\n${button('https://example.com/{{ id }}')}\n</table>`;
  assert.equal(render(inTable).html.split('/tracking/click/').length, 2);
  assert.match(render(inTable).html, /\?url=https%3A%2F%2Fexample.com%2F7"/);
  for (const tail of ['', 'class={{ firstName }}']) {
    const { html, unsubscribeUrl } = render(content(tail), {}, { category: 'marketing' });
    const urls = [...html.matchAll(/\/tracking\/click\/[\w-]+\?url=([^"']*)["']/g)].map(([, url]) =>
      decodeURIComponent(url!),
    );
    assert.deepEqual(
      urls.sort(),
      ['https://example.com/7', 'https://example.com/a?b=1&c=2', 'https://example.com/m', 'https://example.com/o'],
      tail,
    );
    assert.ok(html.includes('<a href="https://example.com/no">'), 'a comment for nobody stays');
    // The link for Outlook alone is none that everybody sees.
    assert.ok(html.includes(`<a href="${unsubscribeUrl}" style=`), 'the footer has the link');
    assert.match(html, new RegExp(`href="${unsubscribeUrl!.replace(/[.?]/g, '\\$&')}" style="height:40px"`));
  }
});

test('the text part is made from the HTML', () => {
  const content = `<html><head><style>p{}</style><title>No</title></head><body><h1>Hello {{ firstName }}</h1><table><tr><td>One</td><td>Two</td></tr></table>
    <p>{{ lastName }} &amp; {{ company }}</p><a href="https://example.com/?u={{ id }}">Shop</a> <img src="https://example.com/i.png" alt="A picture"><ul>{% for t in tags %}<li>{{ t }}</li>{% endfor %}</ul></body></html>`;
  const { text } = render(content);
  assert.match(
    text,
    /^Hello Ann\n+One\nTwo\n+O'Neil & Salt & Co\n+Shop \[https:\/\/example\.com\/\?u=7\] A picture\n+/,
  );
  assert.match(text, /a\n+\s*\* ?b|a[\s\S]*b/);
  assert.doesNotMatch(text, /\n{3}|No|p\{\}|<|i\.png|[\uE000\uE001]/);
});

test('the text part says the same whether it is made once or for each mail', () => {
  const body =
    '<h2>{{ firstName }}</h2><p>{{ lastName }} {% if company %}of {{ company }}{% endif %}</p><p><a href="https://example.com/{{ id }}">Go</a></p>';
  const once = render(body).text;
  // An attribute without quotes keeps the template from being marked.
  const each = render(`<p class={{ firstName }}></p>${body}`).text;
  assert.equal(compileTemplate(template(`<p class={{ firstName }}></p>${body}`), { links }).text, null);
  assert.equal(each.replace(/\n+/g, '\n'), once.replace(/\n+/g, '\n'));
});

/** The text made once from the template, and the one made of each rendered mail, which must be the same. */
function textOf(content: string, who: Partial<RecipientContext> = {}): string {
  const { text } = render(content, who);
  // An attribute without quotes keeps the template from being marked.
  const each = render(`${content}<p class={{ firstName }}></p>`, who).text;
  assert.equal(each.replace(/\n+/g, '\n'), text.replace(/\n+/g, '\n'), content);
  return text;
}

test('the text part has nothing that the HTML hides', () => {
  const filler = '&#847;&zwnj;&nbsp;&#8199;&shy;&#8203;&#65279; '.repeat(40);
  for (const style of [
    'display:none',
    'color: red; DISPLAY : none !important',
    'max-height:0px;overflow:hidden',
    'height:0;overflow:hidden',
    'visibility:hidden',
    'opacity:0.0',
    'mso-hide:all',
    'font-size:0',
    'font-size:1px;line-height:1px',
  ])
    assert.equal(textOf(`<div style="${style}">Hidden {{ firstName }}<b>too</b></div><p>Shown</p>`), 'Shown', style);
  assert.equal(textOf(`<div hidden>Hidden</div><p>Shown</p>`), 'Shown');
  for (const style of ['color:red', 'display:block;max-height:10px;font-size:0.9em;opacity:0.5', ''])
    assert.equal(textOf(`<div style="${style}">{{ firstName }}</div>`), 'Ann', style);
  assert.equal(textOf(`<div>${filler}</div><p>Shown${filler}here ${filler}</p>`), 'Shown here');
  // Joiners between letters and in emoji are a part of them.
  assert.equal(
    textOf('<p>\u0645\u06cc\u200c\u062e 👩\u200d💻 a&shy;b&nbsp;c</p>'),
    '\u0645\u06cc\u200c\u062e 👩\u200d💻 ab\u00a0c',
  );
  // Sizes of layout cells are not those of the text in them; buttons for all but Outlook are links.
  assert.equal(
    textOf(
      '<table><tr><td style="font-size:0px"><div style="font-size:13px">Hi {{ firstName }}</div></td></tr></table><a href="https://example.com/" style="mso-hide:all">Go</a>',
    ).replace(/\n+/g, '\n'),
    'Hi Ann\nGo [https://example.com/]',
  );
});

test('URLs in the text part are those of the HTML', () => {
  const data = { q: 'Salt & Co ü', full: 'https://example.com/é?a=1&b=2', amp: 'a&amp;b' };
  for (const [href, url] of [
    ['https://example.com/?a=1&amp;b=2&copy=3', 'https://example.com/?a=1&b=2&copy=3'],
    ['https://example.com/?x=%26&amp;amp;=1', 'https://example.com/?x=%26&amp;=1'],
    [' https://example.com/a b/ü ', 'https://example.com/a%20b/%C3%BC'],
    ['https://example.com/?q={{ data.q }}', 'https://example.com/?q=Salt%20&%20Co%20%C3%BC'],
    ['https://example.com/?q={{ data.q | url_encode }}&amp;z=1', 'https://example.com/?q=Salt+%26+Co+%C3%BC&z=1'],
    ['https://example.com/?q={{ data.amp }}', 'https://example.com/?q=a&amp;b'],
    ['{% if data.full %}{{ data.full }}{% endif %}', 'https://example.com/%C3%A9?a=1&b=2'],
    ['mailto:help@example.com', 'mailto:help@example.com'],
    ['tel:+4930123', 'tel:+4930123'],
  ] as const) {
    assert.equal(textOf(`<p><a href="${href}">Go</a></p>`, { data }), `Go [${url}]`, href);
    assert.equal(textOf(`<a href="${href}"><img src="x.png" alt="Our shop"></a>`, { data }), `Our shop [${url}]`);
    assert.equal(textOf(`<a href="${href}"><img src="x.png" alt=""></a>`, { data }), url);
    if (!/^https?:/.test(url)) continue;
    const { html } = render(`<a href="${href}">Go</a>`, { data });
    const [, query] = /\?url=([^"]*)"/.exec(html)!;
    assert.equal(decodeURIComponent(query!), url, href);
  }
  assert.equal(textOf('<a href="mailto:help@example.com">help@example.com</a>'), 'help@example.com');
  assert.equal(
    textOf('<a href="https://example.com/">https://example.com/</a> <a href="#top">Up</a>'),
    'https://example.com/ Up',
  );
});

test('what a document sets before its body counts in the text part', () => {
  const set = '{% assign name = firstName | upcase %}{% if company %}{% assign of = " of it" %}{% endif %}';
  assert.equal(textOf(`${set}\n<!doctype html><html><body><p>Hi {{ name }}{{ of }}</p></body></html>`), 'Hi ANN of it');
  const inside = `<!doctype html><html><head>${set}</head><body><p>Hi {{ name }}{{ of }}</p></body></html>`;
  assert.equal(textOf(inside), 'Hi ANN of it');
});

test('Liquid that only appears in the text is not run', () => {
  const { text } = render('<p>Write &#123;&#123; firstName }} and &#123;% if %}</p>');
  assert.equal(text, 'Write {{ firstName }} and {% if %}');
  const contact = { firstName: '\uE0000\uE001 {{ email }}' };
  assert.equal(render('<p>{{ firstName }}</p>', { contact }).text, contact.firstName);
  assert.equal(render('<p>\uE0000\uE001 {{ email }}</p>').text, '\uE0000\uE001 ann@example.org');
});

test('a preview tracks nothing and signs nothing', () => {
  const mail = render(
    '<a href="https://example.com/?a=1&amp;b={{ id }}">x</a><a href="https://example.com/">y</a>',
    { emailId: null },
    { category: 'marketing' },
  );
  assert.match(
    mail.html,
    /^<a href="https:\/\/example\.com\/\?a=1&amp;b=7">x<\/a><a href="https:\/\/example\.com\/">y<\/a><div/,
  );
  assert.doesNotMatch(mail.html, /tracking|<img/);
  assert.match(mail.html, /\/api\/v1\/emails\/unsubscribe\/preview"/);
  assert.equal(mail.unsubscribeUrl, null);
});

test('a template that costs too much for a recipient is a template_limit, one that fails says where', () => {
  const code = (content: string, data: Record<string, unknown>): unknown => {
    try {
      return render(content, { data }).html;
    } catch (error) {
      assert.ok(error instanceof AppError);
      return [error.code, error.errors?.[0]?.message];
    }
  };
  const big = Array.from({ length: 300_000 }, () => 1);
  assert.deepEqual(code('{% for a in data.big %}{% for b in data.big %}{% endfor %}{% endfor %}', { big }), [
    'template_limit',
    undefined,
  ]);
  const endless = `{% if ${Array.from({ length: 2000 }, () => 'data.big contains "x"').join(' or ')} %}{% endif %}`;
  assert.deepEqual(code(endless, { big }), ['template_limit', undefined]);
  assert.deepEqual(
    code('<p>\n{{ forloop.constructor }}{% for a in data.list %}{{ forloop.constructor }}{% endfor %}', { list: [1] }),
    ['validation_failed', "Class constructor ForloopDrop cannot be invoked without 'new' (line 2, column 53)"],
  );
  const odd = { n: '%zz', t: 'Nowhere/Town', o: { toString: 1, valueOf: 2 } };
  assert.equal(
    untracked(
      String(
        code(
          '[{{ data.n | url_decode }}{{ data.n | base64_decode }}{{ "2026-01-01" | date: "%Y", data.t }}{{ data.o }}]',
          odd,
        ),
      ),
    ),
    '[%zz%zz2026-01-01]',
  );
});

test('a template that was stopped while the machine did something else is rendered again, one that used its time is not', () => {
  let runs = 0;
  const stopped = (ms: number, times: number): string =>
    withTimeLimit(
      () => {
        runs += 1;
        const begun = process.threadCpuUsage();
        for (let used = 0; used < ms;) {
          const { user, system } = process.threadCpuUsage(begun);
          used = (user + system) / 1000;
        }
        if (runs <= times) throw limitReached('template render');
        return 'done';
      },
      { renderMs: templateLimits.renderMs, hardMs: null },
    );
  assert.equal(stopped(0, 2), 'done');
  assert.equal(runs, 3);
  runs = 0;
  assert.throws(() => stopped(templateLimits.renderMs, 1), isLimitError);
  assert.equal(runs, 1);
  runs = 0;
  assert.throws(() => stopped(0, 1_000), isLimitError);
  assert.ok(runs > 1 && runs < 10);
});

test('a form is linked for its contact, and its token stands for that contact for 30 days', () => {
  const { tenantId, contactId } = recipient();
  const { html, text } = render('<a href="{{formUrl: 12}}">Form</a> {{- formUrl :7 -}} [{{contactToken}}]');
  const tokens = [...text.matchAll(/contactToken=([\w-]+)/g)].map(([, token]) => token!);
  assert.equal(tokens.length, 2, text);
  assert.match(text, /\/api\/v1\/forms\/7\/page\?contactToken=/);
  const shown = /\[([\w-]+)\]/.exec(html)![1]!;
  for (const token of [...tokens, shown]) assert.equal(readContactToken(signer, token, tenantId)?.contactId, contactId);
  const day = 86_400_000;
  assert.equal(readContactToken(signer, shown, tenantId, Date.now() + 29 * day)?.contactId, contactId);
  assert.equal(readContactToken(signer, shown, tenantId, Date.now() + 31 * day), null);
  assert.equal(readContactToken(signer, shown, 'another', Date.now()), null);
  assert.equal(
    readContactToken(
      signer,
      shown.replace(/^./, (first) => (first === 'A' ? 'B' : 'A')),
      tenantId,
    ),
    null,
  );
  // Without a contact there is no token, and a preview shows none.
  const bare = render('{{formUrl: 12}} [{{contactToken}}]', { contact: null, contactId: null });
  assert.match(bare.text, /\/forms\/12\/page \[\]/);
  assert.doesNotMatch(render('{{formUrl: 12}}', { emailId: null }).text, /contactToken/);
  const short = plain('[ {{-formUrl:7-}} {{formUrl: 7}} {{- formUrl :7 -}} ]');
  assert.equal(short.match(/\/forms\/7\/page/g)?.length, 3);
  assert.doesNotMatch(short, /\s/);
  assert.equal(plain('[{{ "x" | formUrl }}{{ 0 | formUrl }}{{ links }}{{ formUrl }}]'), '[]');
});
