/** What bots, scanners and other sites send to a form: each is answered as it should be, and stores nothing it should not. */
import assert from 'node:assert/strict';
import { afterAll, beforeAll, beforeEach, test } from '@jest/globals';
import { makeFormToken } from '../../../api/forms/form-token.ts';
import { startService, type Answer, type Service } from '../../support/service.ts';

let service: Service;
let formId: number;
let otherId: number;
beforeAll(async () => {
  service = await startService();
  const make = async (): Promise<number> => {
    const made = await service.api('POST', '/forms', {
      name: 'Attacked',
      redirectUrl: 'https://example.com/thanks',
      fields: [
        { name: 'email', label: 'Email', type: 'email' },
        { name: 'firstName', label: 'First name', type: 'text' },
        { name: 'note', label: 'Note', type: 'textarea' },
        { name: 'pick', label: 'Pick', type: 'select', options: [{ value: 'a', label: 'A' }] },
      ],
    });
    assert.equal(made.status, 201, JSON.stringify(made.body));
    return made.body.id;
  };
  [formId, otherId] = [await make(), await make()];
});
afterAll(() => service.stop());

const ORIGIN = { origin: 'https://www.example.com' };
const submit = (body: object | string, headers: Record<string, string> = {}): Promise<Answer> =>
  service.api('POST', `/forms/${formId}/submit`, body, { token: null, headers });
const stored = async (): Promise<Answer['body'][]> =>
  (await service.api('GET', `/forms/${formId}/submissions?limit=200`)).body.data;
const people = async (): Promise<number> => (await service.api('GET', '/contacts?includeTotal=true')).body.page.total;
const tokenOf = (id: number, now = new Date()): string => makeFormToken(service.deps.links, id, now).token;

let before: [number, number];
beforeEach(async () => {
  before = [(await stored()).length, await people()];
});
const nothingIsStored = async (): Promise<void> =>
  assert.deepEqual([(await stored()).length, await people()], before, 'nothing is stored');

test('who fills the honeypot is told success', async () => {
  const answer = await submit({ email: 'bot@example.com', _website: 'https://spam.example', _token: tokenOf(formId) });
  assert.deepEqual(
    [answer.status, answer.body.success, answer.body.contactId, 'contactToken' in answer.body],
    [200, true, null, false],
  );
  await nothingIsStored();
});

test('from a page, no token, a stale, foreign, changed or doubled one is refused', async () => {
  const hours = (n: number): Date => new Date(Date.now() - n * 3_600_000);
  const tokens = [
    undefined,
    '',
    tokenOf(formId, hours(13)),
    tokenOf(otherId),
    `${tokenOf(formId).slice(0, -1)}`,
    [tokenOf(formId), tokenOf(formId)],
    { token: tokenOf(formId) },
    'x'.repeat(5000),
  ];
  for (const _token of tokens) {
    const answer = await submit({ email: 'page@example.com', _token }, ORIGIN);
    assert.deepEqual([answer.status, answer.body.code], [400, 'token_invalid'], JSON.stringify(_token));
  }
  await nothingIsStored();
});

test('HTML and formulas are stored as they were typed, shown as text, and never run by a spreadsheet', async () => {
  const nasty = [`<img src=x onerror=alert(1)>`, `=HYPERLINK("https://spam.example","x")`, `"><script>x</script>`];
  for (const [n, text] of nasty.entries()) {
    const answer = await submit({ email: `text${n}@example.com`, note: text, firstName: text });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
  }
  const kept = (await stored()).slice(0, nasty.length).map(({ submissionData }) => submissionData.note);
  assert.deepEqual(kept.sort(), nasty.toSorted());
  // Shown again to a browser whose token is missing.
  const page = await fetch(`${service.url}/api/v1/forms/${formId}/submit`, {
    method: 'POST',
    headers: { ...ORIGIN, accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ email: nasty[2]!, note: nasty[0]!, firstName: nasty[2]! }),
  });
  const html = await page.text();
  assert.doesNotMatch(html, /<img src=x|<script>x/);
  assert.match(html, /&lt;img src=x/);
});

test('a field of five megabytes, a thousand fields and deep ones are refused', async () => {
  const huge = await submit({ email: 'huge@example.com', note: 'x'.repeat(5 * 1024 * 1024) });
  assert.equal(huge.status, 413);
  const many = Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`f${n}`, 'x']));
  assert.equal((await submit({ ...many, email: 'many@example.com' })).status, 400);
  const deep = await submit({ email: 'deep@example.com', note: { a: { b: [1] } } });
  assert.deepEqual([deep.status, deep.body.errors[0].code], [422, 'type']);
  await nothingIsStored();
});

test('names of prototypes and fields that are not in the form are not stored', async () => {
  const polluting = await submit('{"email":"proto@example.com","__proto__":{"note":"polluted"}}', {
    'content-type': 'application/json',
  });
  assert.deepEqual([polluting.status, polluting.body.errors[0].path], [400, '/__proto__']);
  const answer = await submit(
    '{"email":"proto@example.com","constructor":{"prototype":{"x":1}},"id":7,"status":"active","tenantId":"other","surprise":"x"}',
    { 'content-type': 'application/json' },
  );
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  const [last] = await stored();
  assert.deepEqual(last.submissionData, { email: 'proto@example.com' });
  assert.equal(({} as Record<string, unknown>)['x'], undefined);
});

test('a visitor cannot choose where the browser goes', async () => {
  for (const name of ['redirectUrl', 'redirect', 'next', '_redirect']) {
    const { body } = await submit({ email: 'goes@example.com', [name]: 'https://spam.example/' });
    assert.equal(body.redirectUrl, 'https://example.com/thanks');
  }
  for (const redirectUrl of ['javascript:alert(1)', 'data:text/html,x', '//spam.example', 'ftp://example.com/x']) {
    const answer = await service.api('PUT', `/forms/${formId}`, { redirectUrl });
    assert.deepEqual([answer.status, answer.body.errors?.[0].path], [400, '/redirectUrl'], redirectUrl);
  }
});

test('line breaks, NUL and half characters get nowhere they could do harm', async () => {
  for (const email of ['a@example.com\r\nBcc: b@example.com', 'a@example.com,b@example.com']) {
    const answer = await submit({ email });
    assert.deepEqual([answer.status, answer.body.errors[0].field], [422, 'email'], JSON.stringify(email));
  }
  // What no text can be.
  for (const broken of [
    { email: 'a\0@example.com' },
    { email: '\ud800@example.com' },
    { email: 'nul@example.com', note: 'a\0b' },
  ])
    assert.equal((await submit(broken)).status, 400);
  await nothingIsStored();
});
