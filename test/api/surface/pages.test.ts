import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { makeContact, makeTemplate, send, untilStatus } from '../../support/mail/emails.ts';
import { startService, type Service } from '../../support/service.ts';
import { startVariant } from '../../support/variant.ts';

let service: Service;
beforeAll(async () => {
  service = await startService({ worker: ['intake', 'relay', 'senders'] });
});
afterAll(() => service.stop());

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

async function open(path: string, { base = service.url, headers = {} }: { base?: string; headers?: object } = {}) {
  const answer = await fetch(`${base}${path}`, {
    redirect: 'manual',
    headers: { accept: BROWSER, 'accept-language': 'en', ...headers },
  });
  return { status: answer.status, html: await answer.text(), headers: answer.headers };
}

/** What mail and chat programs take into a link that ends a sentence or stands in brackets. */
const TAILS = ['.', ')', '>', '%3E', '%E2%80%A6', '...', ',', '%22', ').', '%5D'];

async function made() {
  const contact = await makeContact(service);
  const template = await makeTemplate(service, { subject: 'Hello & welcome', content: '<p>Hi</p>' });
  const emailId = await send(service, { templateId: template, recipientId: contact.id });
  const subject = { tenantId: 'default', emailId, contactId: contact.id };
  return { contact, emailId, token: service.deps.links.unsubscribeToken(subject) };
}

async function makeForm(more: object = {}): Promise<number> {
  const fields = [{ name: 'email', label: 'Email', type: 'email' }];
  return (await service.api('POST', '/forms', { name: 'Newsletter', fields, ...more })).body.id as number;
}

test('the address of the service leads to the documentation', async () => {
  const root = await open('/');
  assert.deepEqual([root.status, root.headers.get('location')], [302, '/docs']);
  assert.equal((await open('/docs')).status, 200);
});

test('a missing page is a page for browsers, and a problem for programs', async () => {
  for (const path of ['/nothing', '/api/v1/nothing', '/api/v1/emails/unsubscribe/', '/%E0%A4%A']) {
    const page = await open(path);
    assert.deepEqual([page.status, page.headers.get('content-type')], [404, 'text/html; charset=utf-8'], path);
    assert.match(page.html, /<h1>There is no page here<\/h1>/);
    assert.match(page.headers.get('vary')!, /Accept/);
    const german = await open(path, { headers: { 'accept-language': 'de' } });
    assert.match(german.html, /<html lang="de">.*<h1>Hier gibt es keine Seite<\/h1>/s);
    for (const accept of ['application/json', '*/*']) {
      const problem = await open(path, { headers: { accept } });
      assert.equal(problem.headers.get('content-type'), 'application/problem+json', accept);
    }
  }
});

test('a link to which a program has added punctuation leads where it should', async () => {
  const { emailId, token, contact } = await made();
  const { links } = service.deps;
  const form = await makeForm();
  for (const tail of TAILS) {
    for (const [path, heading] of [
      [`/api/v1/emails/unsubscribe/${token}`, 'Unsubscribe'],
      [`/api/v1/emails/preferences/${token}`, 'Your email preferences'],
      ['/api/v1/emails/unsubscribe/preview', 'This is a preview'],
    ] as const) {
      const shown = await open(path + tail);
      assert.equal(shown.status, 200, path + tail);
      assert.ok(shown.html.includes(`<h1>${heading}</h1>`), shown.html);
    }
    const url = 'https://example.com/offer';
    const click = `/api/v1/emails/tracking/click/${links.clickTrackingId(emailId, url)}?url=${encodeURIComponent(url)}`;
    const followed = await open(click + tail);
    assert.deepEqual([followed.status, followed.headers.get('location')], [302, url], click + tail);
    const page = await open(`/api/v1/forms/${form}/page${tail}`);
    assert.deepEqual([page.status, page.headers.get('location')], [302, `/api/v1/forms/${form}/page`], tail);
  }
  // A full stop that is a part of the link stays.
  const stop = 'https://example.com/what.';
  const exact = await open(
    `/api/v1/emails/tracking/click/${links.clickTrackingId(emailId, stop)}?url=${encodeURIComponent(stop)}`,
  );
  assert.equal(exact.headers.get('location'), stop);
  const posted = await service.api('POST', `/emails/unsubscribe/${token}).`, undefined, { token: null });
  assert.equal(posted.status, 200);
  assert.equal((await service.api('GET', `/contacts/${contact.id}`)).body.status, 'unsubscribed');
});

test('a link that is broken for good is a page that says so', async () => {
  const { token, emailId } = await made();
  const click = service.deps.links.clickTrackingId(emailId, 'https://example.com/');
  for (const path of [
    `/api/v1/emails/unsubscribe/${token.toLowerCase()}`,
    `/api/v1/emails/preferences/${token.slice(0, -3)}...`,
    '/api/v1/emails/confirm/nothing',
    '/api/v1/emails/view/nothing',
    `/api/v1/emails/tracking/click/${click}?url=https%3A%2F%2Felsewhere.example`,
    `/api/v1/emails/tracking/click/${click}`,
  ]) {
    const page = await open(path);
    assert.deepEqual([page.status, page.headers.get('location')], [400, null], path);
    assert.match(page.html, /<h1>This link does not work<\/h1>/, path);
  }
  for (const path of ['/reset-password?token=x.', '/verify-email?token=x)', '/accept-invitation?token=x'])
    assert.match((await open(path)).html, /<h1>This link no longer works<\/h1>/, path);
});

test('a form that is not there is a page, in a frame too', async () => {
  const draft = await makeForm({ status: 'DRAFT' });
  for (const path of [`/api/v1/forms/${draft}/page`, '/api/v1/forms/987654/page']) {
    const page = await open(path, { headers: { 'sec-fetch-dest': 'iframe' } });
    assert.equal(page.status, 404);
    assert.match(page.html, /<p role="alert">This form is closed\.<\/p>/);
    assert.match(page.headers.get('content-security-policy')!, /frame-ancestors \*/);
    assert.equal(page.headers.get('x-frame-options'), null);
  }
  assert.equal((await service.api('GET', `/forms/${draft}/page`)).body.code, 'not_found');
});

test('pages say whose they are, and load nothing but the logo', async () => {
  const { token } = await made();
  const form = await makeForm();
  const pages = [
    `/api/v1/emails/unsubscribe/${token}`,
    `/api/v1/emails/preferences/${token}`,
    '/api/v1/emails/confirm/nothing',
    `/api/v1/forms/${form}/page`,
    '/nothing',
  ];
  const policyOf = ({ headers }: { headers: Headers }) =>
    /img-src ([^;]+);/.exec(headers.get('content-security-policy')!)![1];
  for (const path of pages) {
    const page = await open(path);
    assert.ok(page.html.includes('<header><bdi>Perennial</bdi></header>'), path);
    assert.ok(
      page.html.includes('<footer><bdi>Perennial</bdi> · <bdi>1 Example Street, 12345 Example</bdi></footer>'),
      path,
    );
    assert.ok(
      page.html.includes('<link rel="icon" href="/favicon.svg">') && /<title>[^<]+<\/title>/.test(page.html),
      path,
    );
    assert.equal(policyOf(page), "'self'");
  }
  assert.equal((await open('/favicon.svg')).headers.get('content-type'), 'image/svg+xml');

  const variant = await startVariant(service, {
    MAIL_FROM: '"Bread & Butter" <news@example.com>',
    PAGE_LOGO_URL: 'https://pictures.example.com/logo.png?v=1&x',
    PAGE_PRIVACY_URL: 'https://www.example.com/privacy',
  });
  try {
    const logo = 'https://pictures.example.com/logo.png?v=1&amp;x';
    for (const path of pages) {
      const page = await open(path, { base: variant.url });
      assert.ok(page.html.includes(`<header><img src="${logo}" alt="Bread &amp; Butter"></header>`), path);
      assert.ok(
        page.html.includes('<a href="https://www.example.com/privacy" rel="noreferrer">Privacy</a></footer>'),
        path,
      );
      assert.ok(page.html.includes(`<link rel="icon" href="${logo}">`));
      assert.equal(policyOf(page), 'https://pictures.example.com');
    }
    // In a frame, the page around it says whose it is.
    const framed = await open(`/api/v1/forms/${form}/page`, {
      base: variant.url,
      headers: { 'sec-fetch-dest': 'iframe' },
    });
    assert.ok(!/<header>|<footer>/.test(framed.html));
    assert.equal(policyOf(framed), "'self'");
  } finally {
    await variant.stop();
  }
});

test('an email in the browser has its subject as title', async () => {
  const { emailId } = await made();
  await untilStatus(service, emailId, 'SENT');
  const shown = await open(`/api/v1/emails/view/${service.deps.links.viewToken(emailId)}.`);
  assert.equal(shown.status, 200);
  assert.match(shown.html, /<title>Hello &amp; welcome<\/title>/);
});
