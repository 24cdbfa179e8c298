import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { makeContactToken } from '../../../domain/addresses/contact-token.ts';
import { makeContact } from '../../support/mail/emails.ts';
import { startService, type Answer, type Service } from '../../support/service.ts';

let service: Service;
let formId: number;
beforeAll(async () => {
  service = await startService();
  const answer = await service.api('POST', '/forms', {
    name: 'Profile',
    enableProgressiveProfiling: true,
    progressiveFields: ['job', 'plan'],
    fields: [
      { name: 'email', label: 'Email', type: 'email' },
      { name: 'firstName', label: 'First name', type: 'text', required: true },
      { name: 'question', label: 'Your question', type: 'textarea' },
      { name: 'job', label: 'Job', type: 'text', mapTo: 'jobTitle', required: true },
      { name: 'plan', label: 'Plan', type: 'text' },
      { name: 'from', label: 'From', type: 'hidden', defaultValue: 'page' },
    ],
  });
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  formId = answer.body.id;
});
afterAll(() => service.stop());

const submit = (body: object, id = formId): Promise<Answer> =>
  service.api('POST', `/forms/${id}/submit`, body, { token: null });
const shown = async (token?: string): Promise<string[]> => {
  const query = token === undefined ? '' : `?contactToken=${token}`;
  const { body } = await service.api('GET', `/forms/${formId}/fields${query}`, undefined, { token: null });
  return body.fields.map(({ name }: { name: string }) => name);
};
const page = async (token: string): Promise<string> => {
  const answer = await fetch(`${service.url}/api/v1/forms/${formId}/page?contactToken=${token}`);
  assert.equal(answer.status, 200);
  return answer.text();
};
const tokenOf = (contactId: number): string => makeContactToken(service.deps.links, 'default', contactId);
const contactOf = async (id: number) => (await service.api('GET', `/contacts/${id}`)).body;
const count = async (): Promise<number> =>
  (await service.api('GET', `/forms/${formId}/submissions?includeTotal=true`)).body.page.total;

test('visit by visit, what is known is left out and the next is asked', async () => {
  assert.deepEqual(await shown(), ['email', 'firstName', 'question', 'from']);
  const first = await submit({ email: 'step@example.com', firstName: 'Ada' });
  assert.equal(first.status, 200, JSON.stringify(first.body));
  const { contactId, contactToken } = first.body;
  assert.deepEqual(await shown(contactToken), ['question', 'job', 'from']);

  // Neither the address nor the name is demanded; the field that is asked is.
  const missing = await submit({ question: 'Why?', _contactToken: contactToken });
  assert.deepEqual(
    missing.body.errors.map(({ field, code }: { field: string; code: string }) => `${field} ${code}`),
    ['job required'],
  );
  const second = await submit({ question: 'Why?', job: 'Baker', _contactToken: contactToken });
  assert.deepEqual([second.status, second.body.contactId], [200, contactId], JSON.stringify(second.body));
  assert.equal((await contactOf(contactId)).jobTitle, 'Baker');
  const third = second.body.contactToken;
  assert.deepEqual(await shown(third), ['plan', 'from']);
  assert.equal((await submit({ plan: 'gold', _contactToken: third })).status, 200);
  assert.deepEqual(await shown(third), ['from']);
});

test('a token shows no value, on the page neither', async () => {
  const { body } = await submit({ email: 'hidden.value@example.com', firstName: 'Secretname' });
  const html = await page(body.contactToken);
  assert.doesNotMatch(html, /Secretname|hidden\.value/);
  assert.match(html, /name="_contactToken" value="[\w-]+"/);
  assert.doesNotMatch(html, /name="firstName"/);
  assert.match(html, /name="job"/);
  const fields = await service.api('GET', `/forms/${formId}/fields?contactToken=${body.contactToken}`, undefined, {
    token: null,
  });
  assert.doesNotMatch(JSON.stringify(fields.body), /Secretname|hidden\.value/);
});

test('a form that leaves out what is known says so, and its page has a way for somebody else', async () => {
  const { id } = await makeContact(service, { email: 'not.me@example.com' });
  const token = tokenOf(id);
  const views = async (): Promise<number> => (await service.api('GET', `/forms/${formId}/stats`)).body.views;
  const before = await views();
  const fields = (query: string): Promise<Answer> =>
    service.api('GET', `/forms/${formId}/fields${query}`, undefined, { token: null });
  assert.equal((await fields('')).body.knownContact, false);
  assert.equal((await fields('?contactToken=x')).body.knownContact, false);
  assert.equal((await fields(`?contactToken=${token}`)).body.knownContact, true);
  // A page that shows the form again has no other view of it.
  assert.equal((await fields(`?contactToken=${token}&again=true`)).body.knownContact, true);
  assert.equal(await views(), before + 3);

  const link = /<a href="([^"]+)" data-not-you>Not you\?<\/a>/;
  const url = link.exec(await page(token))?.[1];
  assert.equal(url, `${service.url}/api/v1/forms/${formId}/page`);
  const stranger = await (await fetch(url)).text();
  assert.doesNotMatch(stranger, link);
  assert.match(stranger, /name="email"/);
  // It is there with errors too.
  const wrong = await service.api(
    'POST',
    `/forms/${formId}/submit`,
    new URLSearchParams({ _contactToken: token, question: 'Why?' }),
    { token: null, headers: { accept: 'text/html' } },
  );
  assert.match(wrong.body, link);

  const { body } = await service.api('POST', '/forms', {
    name: 'Asks everything',
    fields: [{ name: 'email', label: 'Email', type: 'email' }],
  });
  const all = await service.api('GET', `/forms/${body.id}/fields?contactToken=${token}`, undefined, { token: null });
  assert.equal(all.body.knownContact, false, 'nothing is left out');
});

test('who typed a known address gets no token and changes nothing that is filled', async () => {
  const { id } = await makeContact(service, { email: 'known@example.com', firstName: 'Real' });
  const typed = await submit({ email: 'known@example.com', firstName: 'Fake' });
  assert.deepEqual([typed.body.contactId, 'contactToken' in typed.body], [id, false]);
  assert.equal((await contactOf(id)).firstName, 'Real');
  const theirs = await submit({
    email: 'Known@Example.com',
    firstName: 'New',
    job: 'Cook',
    _contactToken: tokenOf(id),
  });
  assert.deepEqual([theirs.body.contactId, typeof theirs.body.contactToken], [id, 'string']);
  assert.equal((await contactOf(id)).firstName, 'New', 'a token overwrites');
});

test('`contactToken` is understood as `_contactToken`, unless the form has such a field', async () => {
  const { id } = await makeContact(service, { email: 'plain.name@example.com', firstName: 'Old' });
  const values = { email: 'plain.name@example.com', firstName: 'New', question: 'Why?', job: 'Cook' };
  assert.equal((await submit({ ...values, contactToken: tokenOf(id) })).status, 200);
  assert.equal((await contactOf(id)).firstName, 'New', 'a token overwrites');
  const other = await service.api('POST', '/forms', {
    name: 'Has such a field',
    fields: ['email', 'firstName', 'contactToken'].map((name) => ({ name, label: name, type: 'text' })),
  });
  const sent = { email: 'plain.name@example.com', firstName: 'Newer', contactToken: tokenOf(id) };
  const answer = await service.api('POST', `/forms/${other.body.id}/submit`, sent, { token: null });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  assert.equal((await contactOf(id)).firstName, 'New', 'it is a value there');
  const [stored] = (await service.api('GET', `/forms/${other.body.id}/submissions`)).body.data;
  assert.equal(stored.submissionData.contactToken, sent.contactToken);
});

test('sent again after a lost answer, a submission has the token of the contact that it made', async () => {
  const _token = (await service.api('GET', `/forms/${formId}/token`, undefined, { token: null })).body.token;
  const values = { email: 'lost.answer@example.com', firstName: 'Ada', _token };
  const first = await submit(values);
  const second = await submit(values);
  assert.equal(second.body.submissionId, first.body.submissionId);
  assert.equal(typeof second.body.contactToken, 'string');
  assert.deepEqual(await shown(second.body.contactToken), ['question', 'job', 'from']);
});

test('sent again after its contact was merged, a submission has no token of the other', async () => {
  const _token = (await service.api('GET', `/forms/${formId}/token`, undefined, { token: null })).body.token;
  const values = { email: 'merged.away@example.com', firstName: 'Ada', _token };
  const first = await submit(values);
  const { id } = await makeContact(service, { email: 'older@example.com', firstName: 'Older' });
  const merged = await service.api('POST', `/contacts/${id}/merge`, { sourceId: first.body.contactId });
  assert.equal(merged.status, 200, JSON.stringify(merged.body));
  const second = await submit(values);
  assert.deepEqual(
    [second.body.submissionId, second.body.contactId, 'contactToken' in second.body],
    [first.body.submissionId, id, false],
  );
});

test('two known visitors whose pages have the same form token are two', async () => {
  const people = [];
  for (const email of ['cached.a@example.com', 'cached.b@example.com'])
    people.push(await makeContact(service, { email, firstName: 'Ada', jobTitle: 'Baker' }));
  const _token = (await service.api('GET', `/forms/${formId}/token`, undefined, { token: null })).body.token;
  const answers = [];
  for (const { id } of people)
    answers.push(await submit({ question: 'Why?', plan: 'gold', _token, _contactToken: tokenOf(id) }));
  assert.deepEqual(
    answers.map(({ status, body }) => [status, body.contactId]),
    people.map(({ id }) => [200, id]),
  );
  assert.notEqual(answers[0]!.body.submissionId, answers[1]!.body.submissionId);
});

test('a forwarded token does not change its contact: another address is somebody else', async () => {
  const { id } = await makeContact(service, { email: 'owner@example.com', firstName: 'Owner' });
  const other = await submit({ email: 'friend@example.com', firstName: 'Friend', _contactToken: tokenOf(id) });
  assert.equal(other.status, 200, JSON.stringify(other.body));
  assert.notEqual(other.body.contactId, id);
  assert.equal((await contactOf(id)).firstName, 'Owner');
});

test('guessed, foreign, expired tokens and those of deleted contacts are none', async () => {
  const { id } = await makeContact(service, { email: 'gone@example.com' });
  const past = Date.now() - 31 * 86_400_000;
  const tokens = [
    'x',
    tokenOf(999_999_999),
    makeContactToken(service.deps.links, 'another', id),
    makeContactToken(service.deps.links, 'default', id, past),
    `${tokenOf(id).slice(0, -2)}xx`,
  ];
  const before = await count();
  for (const token of tokens) {
    assert.deepEqual(await shown(encodeURIComponent(token)), ['email', 'firstName', 'question', 'from'], token);
    const answer = await submit({ job: 'Thief', _contactToken: token });
    assert.deepEqual(
      [answer.status, answer.body.errors.map(({ field }: { field: string }) => field)],
      [422, ['email', 'firstName']],
    );
  }
  assert.equal((await submit({ job: 'Thief', _contactToken: { a: 1 } })).status, 422);
  assert.equal(await count(), before);
  assert.equal((await contactOf(id)).jobTitle, null);
});
