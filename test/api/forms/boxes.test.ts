import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { makeContactToken } from '../../../domain/addresses/contact-token.ts';
import { makeContact } from '../../support/mail/emails.ts';
import { startService, type Service } from '../../support/service.ts';

let service: Service;
let number = 0;
const BROWSER = { accept: 'text/html', origin: 'https://site.example' };
const OPTIONS = ['a', 'b'].map((value) => ({ value, label: value }));
const FIELDS = [
  { name: 'email', label: 'Email', type: 'email' },
  { name: 'news', label: 'News', type: 'consent', mapTo: 'customFields.news' },
  { name: 'vip', label: 'VIP', type: 'checkbox', mapTo: 'customFields.vip' },
  { name: 'likes', label: 'Likes', type: 'multiselect', options: OPTIONS, mapTo: 'customFields.likes' },
  { name: 'plan', label: 'Plan', type: 'radio', options: OPTIONS },
  { name: 'rules', label: 'Rules', type: 'checkbox' },
  { name: 'question', label: 'Question', type: 'text' },
] as const;

beforeAll(async () => {
  service = await startService();
  for (const [name, type] of [
    ['news', 'boolean'],
    ['vip', 'string'],
    ['likes', 'string'],
  ])
    assert.equal((await service.api('POST', '/contacts/custom-fields', { entity: 'contact', name, type })).status, 201);
});
afterAll(() => service.stop());

const anonymous = { token: null };
async function makeForm(more: object = {}): Promise<number> {
  const { status, body } = await service.api('POST', '/forms', {
    name: 'Boxes',
    fields: FIELDS,
    enableProgressiveProfiling: true,
    ...more,
  });
  assert.equal(status, 201, JSON.stringify(body));
  return body.id;
}
const newContact = (customFields: object) =>
  makeContact(service, { email: `box${(number += 1)}@example.com`, customFields });
const tokenOf = (contactId: number): string => makeContactToken(service.deps.links, 'default', contactId);
const customOf = async (id: number) => (await service.api('GET', `/contacts/${id}`)).body.customFields;
const lastOf = async (form: number) =>
  (await service.api('GET', `/forms/${form}/submissions?limit=1`)).body.data[0].submissionData;
const shown = async (form: number, token: string): Promise<string[]> =>
  (await service.api('GET', `/forms/${form}/fields?contactToken=${token}`, undefined, anonymous)).body.fields.map(
    ({ name }: { name: string }) => name,
  );

/** What a browser posts of a page, with what was ticked and typed in it. */
async function posted(form: number, query: string, typed: Record<string, string>): Promise<[string, string][]> {
  const { body: html } = await service.api('GET', `/forms/${form}/page${query}`, undefined, anonymous);
  const hidden = [...html.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)">/g)];
  return [...hidden.map(([, name, value]): [string, string] => [name, value]), ...Object.entries(typed)];
}
const formData = (pairs: [string, string][]): FormData => {
  const data = new FormData();
  for (const [name, value] of pairs) data.append(name, value);
  return data;
};
const WAYS = {
  form: (pairs: [string, string][]) => new URLSearchParams(pairs),
  multipart: formData,
};
const post = async (form: number, body: URLSearchParams | FormData): Promise<void> => {
  const answer = await fetch(`${service.url}/api/v1/forms/${form}/submit`, { method: 'POST', headers: BROWSER, body });
  assert.equal(answer.status, 200, await answer.text());
};
const send = async (form: number, body: object): Promise<void> => {
  const answer = await service.api('POST', `/forms/${form}/submit`, body, anonymous);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
};

const given = { news: true, vip: 'true', likes: 'a' };

test.each(['json', 'form', 'multipart'] as const)(
  'a given consent that is left out as known stays, and is no answer of the submission: %s',
  async (way) => {
    const form = await makeForm();
    const { id } = await newContact(given);
    const query = `?contactToken=${tokenOf(id)}`;
    assert.deepEqual(await shown(form, tokenOf(id)), ['plan', 'rules', 'question']);
    const typed = { question: 'Why?' };
    if (way === 'json') await send(form, { ...typed, _contactToken: tokenOf(id) });
    else await post(form, WAYS[way](await posted(form, query, typed)));
    assert.deepEqual(await lastOf(form), way === 'json' ? typed : { ...typed, rules: false });
    assert.deepEqual(await customOf(id), given);
  },
);

test.each(['form', 'multipart'] as const)(
  'a box that a page showed and that was not ticked is answered: %s',
  async (way) => {
    const form = await makeForm({ enableProgressiveProfiling: false });
    const { id, email } = await newContact(given);
    await post(form, WAYS[way](await posted(form, `?contactToken=${tokenOf(id)}`, { email, vip: 'true' })));
    assert.deepEqual(await lastOf(form), { email, news: false, vip: true, likes: [], rules: false });
    assert.deepEqual(await customOf(id), { ...given, news: false });
  },
);

test('a program answers what it names, and nothing else', async () => {
  const form = await makeForm({ enableProgressiveProfiling: false });
  const { id, email } = await newContact(given);
  const _contactToken = tokenOf(id);
  await send(form, { email, rules: null, news: '', _contactToken, _shown: 'news vip' });
  assert.deepEqual(await lastOf(form), { email });
  assert.deepEqual(await customOf(id), given);
  await send(form, { email, news: false, likes: [], _contactToken });
  assert.deepEqual(await lastOf(form), { email, news: false, likes: [] });
  assert.equal((await customOf(id)).news, false);
  const demanding = await makeForm({ fields: [FIELDS[0], { ...FIELDS[1], required: true }] });
  const refused = await service.api('POST', `/forms/${demanding}/submit`, { email }, anonymous);
  assert.deepEqual([refused.status, refused.body.errors[0].code], [422, 'required']);
});

test.each(['form', 'multipart'] as const)(
  'what counts is what the page showed, not what it would show now: %s',
  async (way) => {
    // The form gets a box after the page was shown.
    const later = await makeForm({ fields: [FIELDS[0], FIELDS[6]], enableProgressiveProfiling: false });
    const first = await newContact(given);
    const page = await posted(later, `?contactToken=${tokenOf(first.id)}`, { email: first.email });
    assert.equal((await service.api('PUT', `/forms/${later}`, { fields: FIELDS })).status, 200);
    await post(later, WAYS[way](page));
    assert.deepEqual(await lastOf(later), { email: first.email });
    assert.deepEqual(await customOf(first.id), given);

    // The contact's token ends after the page was shown, and the form overwrites.
    const form = await makeForm({ updateExisting: 'overwrite' });
    const second = await newContact(given);
    const left = await posted(form, `?contactToken=${tokenOf(second.id)}`, { email: second.email, question: 'Why?' });
    await post(form, WAYS[way](left.map(([name, value]) => [name, name === '_contactToken' ? 'ended' : value])));
    assert.deepEqual(await lastOf(form), { email: second.email, question: 'Why?', rules: false });
    assert.deepEqual(await customOf(second.id), given);

    // A box that was ticked elsewhere meanwhile was shown, and left unticked.
    const third = await newContact({});
    const open = await posted(form, `?contactToken=${tokenOf(third.id)}`, { question: 'Why?' });
    await service.api('PUT', `/contacts/${third.id}`, { customFields: given });
    await post(form, WAYS[way](open));
    assert.equal((await customOf(third.id)).news, false);
  },
);

test.each(['form', 'multipart'] as const)(
  'a page of somebody that does not say what it shows is taken to show what the form shows now: %s',
  async (way) => {
    const form = await makeForm({ updateExisting: 'overwrite' });
    const { token: _token } = (await service.api('GET', `/forms/${form}/token`, undefined, anonymous)).body;
    const stranger = `box${(number += 1)}@example.com`;
    await post(form, WAYS[way]([['email', stranger], ['_token', _token]])); // prettier-ignore
    assert.deepEqual(await lastOf(form), { email: stranger, news: false, vip: false, likes: [], rules: false });
    const known = await newContact(given);
    const asked: [string, string][] = [['email', known.email], ['_token', _token]]; // prettier-ignore
    await post(form, WAYS[way]([...asked, ['_contactToken', tokenOf(known.id)]]));
    assert.deepEqual(await lastOf(form), { email: known.email, rules: false });
    await post(form, WAYS[way]([...asked, ['_contactToken', 'ended']]));
    assert.deepEqual(await lastOf(form), { email: known.email });
    assert.deepEqual(await customOf(known.id), given);
  },
);

test('a box that was left unticked is asked again, and can be ticked by whoever types the address', async () => {
  const form = await makeForm();
  const email = `box${(number += 1)}@example.com`;
  await post(form, WAYS.form(await posted(form, '', { email, question: 'Why?', plan: 'a' })));
  const [contact] = (await service.api('GET', `/contacts?email=${email}`)).body.data;
  assert.deepEqual(contact.customFields, { news: false, vip: 'false' });
  assert.deepEqual(await shown(form, tokenOf(contact.id)), ['news', 'vip', 'likes', 'rules']);
  await post(form, WAYS.form(await posted(form, '', { email, news: 'true', vip: 'true' })));
  assert.deepEqual(await customOf(contact.id), { news: true, vip: 'true' });
  // Without a token nobody takes it back.
  await post(form, WAYS.form(await posted(form, '', { email })));
  assert.deepEqual(await customOf(contact.id), { news: true, vip: 'true' });
});

test('that a field is false is a value, where no box says so', async () => {
  const yesNo = ['true', 'false'].map((value) => ({ value, label: value }));
  const form = await makeForm({ fields: [FIELDS[0], { ...FIELDS[1], type: 'radio', options: yesNo }] });
  const { id, email } = await newContact({ news: false });
  assert.deepEqual(await shown(form, tokenOf(id)), []);
  await send(form, { email, news: 'true' });
  assert.equal((await customOf(id)).news, false);
});

test('of the progressive fields, an unticked box comes again after what was not asked yet', async () => {
  const form = await makeForm({ progressiveFields: ['news', 'rules', 'question'] });
  const { id } = await newContact({ vip: 'true', likes: 'a' });
  const next = async () => (await shown(form, tokenOf(id))).filter((name) => name !== 'plan');
  const answer = async (typed: Record<string, string>) =>
    post(form, WAYS.form(await posted(form, `?contactToken=${tokenOf(id)}`, typed)));
  assert.deepEqual(await next(), ['news']);
  await answer({});
  assert.deepEqual(await next(), ['rules']);
  await answer({ rules: 'true' });
  assert.deepEqual(await next(), ['question']);
  await answer({ question: 'Why?' });
  assert.deepEqual(await next(), ['news'], 'it is asked again');
  await answer({ news: 'true' });
  assert.deepEqual(await next(), []);
});

test('a box with a default that was unticked stays unticked when the page is shown again', async () => {
  const form = await makeForm({
    fields: [
      FIELDS[0],
      { name: 'news', label: 'News', type: 'consent', defaultValue: 'true' },
      { name: 'likes', label: 'Likes', type: 'multiselect', options: OPTIONS, defaultValue: 'a' },
      { name: 'question', label: 'Question', type: 'text', required: true },
    ],
  });
  const ticks = (html: string): number => html.match(/ checked/g)?.length ?? 0;
  const { body: first } = await service.api('GET', `/forms/${form}/page`, undefined, anonymous);
  assert.equal(ticks(first), 2, 'the defaults');
  const sent = await posted(form, '', { email: 'unticks@example.com' });
  const { id: contactId } = await newContact({});
  const foreign = makeContactToken(service.deps.links, 'other', contactId);
  for (const pairs of [
    sent,
    // A page of an earlier release, which does not say what it showed.
    sent.filter(([name]) => name !== '_shown'),
    [...sent.filter(([name]) => name !== '_shown'), ['_contactToken', foreign] as [string, string]],
    // Its token has expired.
    sent.map(([name, value]): [string, string] => [name, name === '_token' ? 'old' : value]),
  ])
    for (const way of Object.values(WAYS)) {
      const answer = await fetch(`${service.url}/api/v1/forms/${form}/submit`, {
        method: 'POST',
        headers: BROWSER,
        body: way(pairs),
      });
      const html = await answer.text();
      assert.match(html, /name="question"/);
      assert.equal(ticks(html), 0, JSON.stringify(pairs));
    }
});

test('a field can not have the name of what a page sends beside the fields', async () => {
  for (const name of ['_shown', '_contactToken', '_token', '_website', '_own']) {
    const { status, body } = await service.api('POST', '/forms', {
      name: 'Reserved',
      fields: [FIELDS[0], { name, label: 'L', type: 'text' }],
    });
    assert.deepEqual([status, body.errors.map(({ path }: { path: string }) => path)], [400, ['/fields/1/name']]);
  }
});
