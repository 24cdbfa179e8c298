import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { parse, type DefaultTreeAdapterTypes } from 'parse5';
import { linkOf, nthMail } from '../../support/mail/account-mails.ts';
import { startService, type Service } from '../../support/service.ts';
import { newMember, PASSWORD, registration } from '../../support/users.ts';
import { startVariant } from '../../support/variant.ts';

let service: Service;
beforeAll(async () => {
  service = await startService({ worker: ['senders'] });
});
afterAll(() => service.stop());

const open = (path: string, body: unknown) => service.api('POST', `/auth/${path}`, body, { token: null });
const login = (username: string, password: string) => open('login', { username, password });

async function page(
  url: string | URL,
  body?: Record<string, string>,
): Promise<{ status: number; html: string; headers: Headers }> {
  const response = await fetch(
    url,
    body ? { method: 'POST', body: new URLSearchParams(body), redirect: 'manual' } : { redirect: 'manual' },
  );
  return { status: response.status, html: await response.text(), headers: response.headers };
}

interface Element {
  tag: string;
  attributes: Record<string, string>;
}

/** Every element of a page. */
function elementsOf(html: string): Element[] {
  const walk = (node: DefaultTreeAdapterTypes.ChildNode): Element[] =>
    'tagName' in node
      ? [
          { tag: node.tagName, attributes: Object.fromEntries(node.attrs.map(({ name, value }) => [name, value])) },
          ...node.childNodes.flatMap(walk),
        ]
      : [];
  return parse(html).childNodes.flatMap(walk);
}

/** What a browser sends when the form of a page is submitted, and where to. */
function formOf(html: string, url: string | URL): { action: URL; fields: Record<string, string> } {
  const elements = elementsOf(html);
  const form = elements.find(({ tag }) => tag === 'form');
  assert.equal(form?.attributes['method'], 'post');
  const fields = elements
    .filter(({ tag, attributes }) => tag === 'input' && attributes['name'])
    .map(({ attributes }) => [attributes['name']!, attributes['value'] ?? '']);
  return { action: new URL(form.attributes['action']!, url), fields: Object.fromEntries(fields) };
}

/** A user who has forgotten the password, and the link of the mail. */
async function forgetful() {
  const member = await newMember(service.api);
  await open('forgot-password', { email: member.user.email });
  return { ...member, link: linkOf(await nthMail(service, member.user.email)) };
}

function assertSafe(headers: Headers): void {
  assert.match(headers.get('content-type')!, /^text\/html; charset=utf-8/);
  assert.equal(headers.get('cache-control'), 'no-store');
  assert.equal(headers.get('referrer-policy'), 'no-referrer');
  const policy = headers.get('content-security-policy')!;
  assert.match(policy, /default-src 'none'/);
  assert.match(policy, /frame-ancestors 'none'/);
  assert.match(policy, /form-action 'self'/);
  assert.doesNotMatch(policy, /script-src/);
}

test('the page of a reset changes nothing until its form is sent, and needs no script', async () => {
  const { link, username } = await forgetful();
  for (let n = 0; n < 3; n += 1) assert.equal((await page(link)).status, 200);
  assert.equal((await fetch(link, { method: 'HEAD' })).status, 200);
  assert.equal((await login(username, PASSWORD)).status, 200);
  const { html, headers } = await page(link);
  assertSafe(headers);
  assert.ok(!elementsOf(html).some(({ tag }) => tag === 'script'));
  const { action, fields } = formOf(html, link);
  assert.equal(action.search, '', 'the token is in no address that is logged');
  const done = await page(action, { ...fields, password: 'Another-Staple-10' });
  assert.equal(done.status, 200);
  assertSafe(done.headers);
  assert.match(done.html, /Your password was changed/);
  // Among the operations of the API, which the documentation opens.
  assert.match(done.html, /You can now <a href="docs#\/auth\/login">log in<\/a>/);
  assert.equal((await login(username, 'Another-Staple-10')).status, 200);
  assert.equal((await page(action, { ...fields, password: 'Third-Staple-11' })).status, 400);
  assert.equal((await page(link)).status, 400, 'a spent link says so');
});

test('a password that does not do brings the form back with every rule, read out at its field', async () => {
  const { link } = await forgetful();
  const { action, fields } = formOf((await page(link)).html, link);
  const refused = await page(action, { ...fields, password: 'abc' });
  assert.equal(refused.status, 400);
  assertSafe(refused.headers);
  for (const rule of ['at least 8 characters', 'an upper-case letter', 'a digit', 'a special character'])
    assert.ok(refused.html.includes(rule), rule);
  const elements = elementsOf(refused.html);
  const input = elements.find(({ attributes }) => attributes['type'] === 'password')!.attributes;
  assert.equal(input['aria-invalid'], 'true');
  assert.equal(input['value'], undefined);
  for (const id of input['aria-describedby']!.split(' '))
    assert.ok(
      elements.some(({ attributes }) => attributes['id'] === id),
      id,
    );
  assert.ok(elements.some(({ tag, attributes }) => tag === 'label' && attributes['for'] === input['id']));
  assert.equal(
    (await page(action, { ...formOf(refused.html, action).fields, password: 'Another-Staple-10' })).status,
    200,
  );
});

test('half a link, and one that scanners appended to, lead to a page too', async () => {
  const { link } = await forgetful();
  for (const path of ['reset-password', 'verify-email']) {
    for (const query of [
      '',
      '?token=',
      '?token=x',
      '?token=x&token=y',
      `?token=${'A'.repeat(3000)}`,
      '?token=%3Cscript%3E',
    ]) {
      const answer = await page(`${service.url}/${path}${query}`);
      assert.equal(answer.status, 400, query);
      assert.ok(!answer.html.includes('<script>'));
    }
  }
  assert.equal((await page(`${link.href}&utm_source=scanner`)).status, 200);
});

test('the page of a verification changes nothing until its form is sent', async () => {
  const strict = await startVariant(service, { ENABLE_EMAIL_VERIFICATION: true });
  const input = registration();
  assert.equal((await strict.api('POST', '/auth/register', input, { token: null })).status, 201);
  const link = linkOf(await nthMail(service, input.email));
  const first = await page(link);
  assertSafe(first.headers);
  assert.equal(
    (await strict.api('POST', '/auth/login', { username: input.username, password: PASSWORD }, { token: null })).body
      .code,
    'email_unverified',
  );
  const { action, fields } = formOf(first.html, link);
  assert.match((await page(action, fields)).html, /Your address is confirmed/);
  assert.equal(
    (await strict.api('POST', '/auth/login', { username: input.username, password: PASSWORD }, { token: null })).status,
    200,
  );
  assert.equal((await page(action, fields)).status, 400);
  await strict.stop();
});

test('what is written into a form comes back as text', async () => {
  const answer = await page(`${service.url}/reset-password`, { token: '"><script>alert(1)</script>', password: 'abc' });
  assert.ok(!answer.html.includes('<script>'));
  assert.match(answer.html, /value="&quot;&gt;&lt;script&gt;/);
});
