import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, test } from '@jest/globals';
import { Liquid } from 'liquidjs';
import mjml2html from 'mjml-browser';
import { createEmailLinks } from '../../../domain/emails/rendering/links.ts';
import { makeContact, makeTemplate, send, untilStatus } from '../../support/mail/emails.ts';
import { startService, type Service } from '../../support/service.ts';
import { readMail } from '../../unit/emails/rendering/read-mail.ts';
import { contact, newsletters } from './newsletters/data.ts';

let service: Service;
beforeAll(async () => {
  service = await startService({ worker: ['intake', 'consumers', 'relay', 'senders'] });
  assert.equal(
    (await service.api('POST', '/contacts/custom-fields', { entity: 'contact', name: 'city', type: 'string' })).status,
    201,
  );
});
afterAll(() => service.stop());

/** Liquid by itself, which knows nothing of mails: values are escaped, a company prints its name. */
function plainLiquid(source: string, scope: Record<string, unknown>): string {
  const engine = new Liquid({ outputEscape: 'escape', timezoneOffset: 0 });
  const escaped = (value: string) =>
    value.replace(
      /[&<>"']/g,
      (character) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&#34;', "'": '&#39;' })[character]!,
    );
  // What these make is HTML already.
  engine.registerFilter('escape', { raw: true, handler: escaped });
  engine.registerFilter('newline_to_br', {
    raw: true,
    handler: (value: string) => escaped(value).replace(/\n/g, '<br />\n'),
  });
  return engine.parseAndRenderSync(source.replace('{{ heading }}', '{{ heading | raw }}'), scope);
}

const decode = (text: string): string =>
  text
    .replace(/&amp;/g, '&')
    .replace(/&#34;|&quot;/g, '"')
    .replace(/&#39;/g, "'")
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>');
/** The href of every link, as `change` has it; all other bytes stay. */
const changeLinks = (html: string, change: (href: string, whole: string) => string): string =>
  html.replace(
    /(<(?:a|area|v:roundrect)\b(?:\s+(?:(?!href)[\w-]+)(?:=(?:"[^"]*"|'[^']*'|[^\s"'>]+))?)*\s+href=)("[^"]*"|'[^']*'|[^\s"'>]+)/g,
    (whole, before: string, quoted: string) => {
      const quote = /^["']/.test(quoted) ? quoted[0]! : '';
      return `${before}${quote}${change(decode(quote ? quoted.slice(1, -1) : quoted), whole)}${quote}`;
    },
  );

/**
 * The mail as it was before it was finished: no pixel and no preheader, and each link through the click endpoint as the
 * one that it leads to. What is left must be what Liquid alone makes of the source, byte for byte, but that in both the
 * hrefs stand as what they mean.
 */
function unfinished(html: string, pieces: { pixel: string; preheader: string; footer: string }): string {
  let rest = html;
  for (const piece of Object.values(pieces)) {
    if (piece === '') continue;
    assert.equal(rest.split(piece).length, 2, `once: ${piece}`);
    rest = rest.replace(piece, '');
  }
  return changeLinks(rest, (href) => {
    const [, url] = /\/api\/v1\/emails\/tracking\/click\/[\w-]+\?url=([^&]*)$/.exec(href) ?? [];
    return url === undefined ? href : decodeURIComponent(url);
  });
}

for (const [name, { subject, previewText, category, data }] of Object.entries(newsletters)) {
  test(`${name} arrives as Liquid alone would have made it`, async () => {
    const source = await readFile(new URL(`./newsletters/${name}`, import.meta.url), 'utf8');
    const templateId = await makeTemplate(service, { subject, content: source, category, previewText });
    const { id, email } = await makeContact(service, contact);
    const { body: stored } = await service.api('GET', `/contacts/${id}`);
    const emailId = await send(service, { templateId, recipientId: id, data });
    await untilStatus(service, emailId, 'SENT');
    const { raw } = service.sink.mails.find((mail) => mail.to[0] === email)!;
    const mail = readMail(Buffer.from(raw, 'latin1'));
    assert.deepEqual(mail.defects, []);
    const { html, text } = Object.fromEntries(
      mail.parts.map(([type, content]) => [
        type.replace('text/plain', 'text').replace('text/html', 'html'),
        content.replaceAll('\r\n', '\n'),
      ]),
    );

    const [, opened = ''] = /\/tracking\/open\/([\w-]+)/.exec(html!) ?? [];
    const madeAt = service.deps.links.verifyOpen(opened)!.madeAt!;
    const links = createEmailLinks({
      ...{ publicUrl: service.deps.env.PUBLIC_URL, signer: service.deps.links, now: () => madeAt },
    });
    const subjectOf = { tenantId: 'default', emailId, contactId: id, address: null };
    const urls = {
      unsubscribeUrl: links.unsubscribeUrl(subjectOf),
      preferencesUrl: links.preferencesUrl(subjectOf),
      webViewUrl: links.webViewUrl(emailId),
    };
    const scope = { ...stored, contact: stored, data, ...urls };
    const content = name.endsWith('.mjml') ? (await mjml2html(source, { keepComments: true })).html : source;
    const expected = plainLiquid(content, scope);
    const marketing = category !== 'transactional';
    const address = '1 Example Street, 12345 Example';
    const lines = [
      ...(marketing && !expected.includes(urls.unsubscribeUrl)
        ? [`<a href="${urls.unsubscribeUrl}" style="color:#555555">Unsubscribe</a>`]
        : []),
      ...(marketing && !source.includes(address) ? [address] : []),
    ];
    const got = unfinished(html!, {
      pixel: `<img src="${links.openUrl(emailId)}" width="1" height="1" alt="">`,
      preheader: previewText
        ? `<div style="display:none;max-height:0;overflow:hidden;mso-hide:all">${plainLiquid(previewText.replaceAll('<', '&lt;').replaceAll('>', '&gt;'), scope)}</div>`
        : '',
      footer:
        lines.length > 0
          ? `<div style="padding:16px;font:12px/1.5 Arial,Helvetica,sans-serif;color:#555555;text-align:center">${lines.join('<br>')}</div>`
          : '',
    });
    assert.equal(
      got,
      changeLinks(expected, (href, whole) =>
        /^\s*https?:/.test(href) && !whole.includes('data-notrack') && !Object.values(urls).slice(0, 2).includes(href)
          ? meant(href)
          : href,
      ),
    );
    assert.ok(/tracking\/click\//.test(html!), 'its links are followed');
    assert.doesNotMatch(text!.replace('{{ this is shown }}', ''), /[{}]{2}|\{%|<\/?(td|div|a|p)\b/);
    assert.match(text!, marketing ? /1 Example Street, 12345 Example/ : /\S/);
  });
}

/** A link as it is followed: blanks around it go, and what may not stand in a Location is written as URLs have it. */
function meant(href: string): string {
  const trimmed = href.trim();
  return /^[\x21-\x7e]+$/.test(trimmed) ? trimmed : new URL(trimmed).href;
}

test('MJML is compiled wherever it is shown, refused with its line, and not compiled anew by a change of something else', async () => {
  const mjml = (text: string) =>
    `<mjml><mj-body><mj-section><mj-column>\n<mj-text>${text}</mj-text></mj-column></mj-section></mj-body></mjml>`;
  const refused = await service.api('POST', '/emails/templates', {
    name: 'M',
    subject: 'M',
    content: mjml('x').replace('mj-text>x', 'mj-txt>x').replace('/mj-text', '/mj-txt'),
  });
  assert.deepEqual(
    [refused.status, refused.body.errors[0].path, refused.body.errors[0].code],
    [400, '/content', 'mjml_syntax'],
  );
  assert.match(refused.body.errors[0].message, /mj-txt.*\(line 2\)$/);
  assert.match(
    (await service.api('POST', '/emails/templates', { name: 'M', subject: 'M', content: mjml('{{ x | nonsense }}') }))
      .body.errors[0].message,
    /undefined filter: nonsense \(line 2/,
  );

  const { body: made } = await service.api('POST', '/emails/templates', {
    name: 'M',
    subject: 'M',
    content: mjml('Hello {{ data.who }}'),
  });
  const preview = async () =>
    (await service.api('POST', `/emails/templates/${made.id}/preview`, { data: { who: 'you' } })).body;
  const first = await preview();
  assert.match(first.html, /^<!doctype html>[^]*>Hello you<\/div>/);
  assert.doesNotMatch(first.html, /<mj-?/);
  assert.match(first.text, /^Hello you/);
  assert.equal(
    (await service.api('GET', `/emails/templates/${made.id}`)).body.content,
    made.content,
    'what was written is what is edited',
  );
  const renamed = await service.api('PUT', `/emails/templates/${made.id}`, { name: 'N', subject: 'Other' });
  assert.equal(renamed.body.contentVersion, 2);
  assert.equal((await preview()).html, first.html);
  await service.api('PUT', `/emails/templates/${made.id}`, { content: '<p>Plain {{ data.who }}</p>' });
  assert.match((await preview()).html, /^<p>Plain you<\/p>/);
  await service.api('PUT', `/emails/templates/${made.id}`, {
    content: mjml('Again {{ data.who }}: <a href="{{ webViewUrl }}">look</a>'),
  });

  const queued = await service.api('POST', `/emails/templates/${made.id}/test`, {
    to: 'desk@example.org',
    data: { who: 'desk' },
  });
  assert.equal(queued.status, 202, JSON.stringify(queued.body));
  await untilStatus(service, queued.body.emailId, 'SENT');
  const { html } = service.sink.mails.find((mail) => mail.to[0] === 'desk@example.org')!.parsed;
  assert.match(html as string, />Again desk: <a/);
  const view = createEmailLinks({ publicUrl: service.deps.env.PUBLIC_URL, signer: service.deps.links }).webViewUrl(
    queued.body.emailId,
  );
  assert.match(await (await fetch(view)).text(), />Again desk: <a/);
});
