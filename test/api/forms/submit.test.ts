import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { readContactToken } from '../../../domain/addresses/contact-token.ts';
import { engineEm, rows, sql, tenantEm } from '../../../db/orm.ts';
import { eventSubject } from '../../../events/contracts.ts';
import { EVENTS } from '../../../transport/streams.ts';
import { startService, type Answer, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';

let service: Service;
let number = 0;
beforeAll(async () => {
  service = await startService({ worker: ['intake', 'consumers', 'relay'] });
});
afterAll(() => service.stop());

const SITE = 'https://www.example.com';
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const address = () => `visitor${(number += 1)}@example.com`;
const fields = [
  { name: 'email', label: 'Email', type: 'email', required: true },
  { name: 'firstName', label: 'First name', type: 'text' },
  { name: 'job', label: 'Job', type: 'text', mapTo: 'jobTitle' },
  { name: 'size', label: 'Size', type: 'select', options: [{ value: 's', label: 'Small' }] },
  {
    name: 'topics',
    label: 'Topics',
    type: 'multiselect',
    options: [
      { value: 'a', label: 'A' },
      { value: 'b', label: 'B' },
    ],
  },
];

async function make(more: object = {}): Promise<number> {
  const answer = await service.api('POST', '/forms', { name: 'Lead', fields, ...more });
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return answer.body.id;
}
const submit = (id: number, body: object, headers: Record<string, string> = {}): Promise<Answer> =>
  service.api('POST', `/forms/${id}/submit`, body, { token: null, headers });
const token = async (id: number): Promise<string> =>
  (await service.api('GET', `/forms/${id}/token`, undefined, { token: null })).body.token;
const contactOf = async (email: string) =>
  (await service.api('GET', `/contacts?email=${encodeURIComponent(email)}`)).body.data[0];
const submissions = async (id: number): Promise<Answer['body'][]> =>
  (await service.api('GET', `/forms/${id}/submissions`)).body.data;
const count = async (table: string): Promise<number> =>
  (
    await tenantEm(service.deps.orm, 'default').transactional((tx) =>
      rows<{ n: number }>(tx, sql`select count(*)::int as n from ${sql.table(table)}`),
    )
  )[0]!.n;
/** Events that submissions can have caused, once nothing waits to be published: the outbox itself empties at any time. */
async function published(): Promise<number> {
  await until('the outbox is empty', async () => (await count('outbox_events')) === 0);
  const counts = await Promise.all(
    (['FORM_SUBMITTED', 'CONTACT_CREATED'] as const).map(async (type) => {
      const subject = eventSubject('default', type);
      return (
        (await service.deps.nats.jsm.streams.info(EVENTS, { subjects_filter: subject })).state.subjects?.[subject] ?? 0
      );
    }),
  );
  return counts.reduce((sum, each) => sum + each, 0);
}
const kept = async (): Promise<number[]> => [
  await count('contacts'),
  await count('form_submissions'),
  await published(),
];
const hidden = (page: string): string => /name="_token" value="([^"]+)"/.exec(page)![1]!;

test('a program submits JSON without a token: contact, submission and event', async () => {
  const list = (await service.api('POST', '/contacts/lists', { name: 'Leads' })).body.id as number;
  const id = await make({ successMessage: 'Thanks!', redirectUrl: 'https://example.com/thanks', listId: list });
  const email = address();
  const answer = await submit(
    id,
    { email: ` ${email} `, firstName: 'Grace', job: 'Admiral', topics: ['a', 'b'], unknown: 'x' },
    { 'user-agent': 'curl/8' },
  );
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  const contact = await contactOf(email);
  assert.deepEqual(answer.body, {
    success: true,
    contactId: contact.id,
    submissionId: answer.body.submissionId,
    message: 'Thanks!',
    redirectUrl: 'https://example.com/thanks',
    contactToken: answer.body.contactToken,
  });
  assert.equal(readContactToken(service.deps.links, answer.body.contactToken, 'default')?.contactId, contact.id);
  assert.deepEqual(
    [contact.firstName, contact.jobTitle, contact.status, contact.source],
    ['Grace', 'Admiral', 'active', `form:${id}`],
  );
  const [stored] = await submissions(id);
  const { submittedAt, ipAddress, ...rest } = stored;
  assert.deepEqual(rest, {
    id: answer.body.submissionId,
    formId: id,
    contactId: contact.id,
    userAgent: 'curl/8',
    submissionData: { email, firstName: 'Grace', job: 'Admiral', topics: ['a', 'b'] },
  });
  assert.match(ipAddress, /127\.0\.0\.1/);
  assert.ok(Math.abs(Date.parse(submittedAt) - Date.now()) < 60_000);
  const events = await until('the submission is an activity', async () => {
    const { data } = (await service.api('GET', `/contacts/${contact.id}/activities`)).body;
    return data.some((one: { type: string }) => one.type === 'FORM_SUBMITTED') && data;
  });
  assert.deepEqual(events.find((one: { type: string }) => one.type === 'FORM_SUBMITTED').data, {
    formId: id,
    contactId: contact.id,
    submissionId: answer.body.submissionId,
  });
  assert.deepEqual(
    (await service.api('GET', `/contacts/lists/${list}/contacts`)).body.data.map((one: { id: number }) => one.id),
    [contact.id],
  );
});

test('invalid data answers every error and creates nothing', async () => {
  const id = await make();
  const before = await kept();
  const answer = await submit(id, { email: 'nobody', size: 'xl', topics: ['c'], firstName: 'x'.repeat(300) });
  assert.equal(answer.status, 422);
  assert.match(answer.headers.get('content-type')!, /^application\/json/);
  assert.equal(answer.body.success, false);
  assert.deepEqual(
    answer.body.errors.map((error: Record<string, string>) => [error['field'], error['code']]),
    [
      ['email', 'format'],
      ['size', 'not_an_option'],
      ['topics', 'not_an_option'],
      ['firstName', 'too_long'],
    ],
  );
  assert.deepEqual(Object.keys(answer.body.errors[0]).sort(), ['code', 'field', 'message']);
  // What the contact's own rules refuse names the form's field.
  const long = await submit(id, { email: address(), job: 'x'.repeat(2000) });
  assert.deepEqual([long.status, long.body.errors[0].field], [422, 'job']);
  assert.deepEqual(
    (await submit(id, {})).body.errors.map((error: { code: string }) => error.code),
    ['required'],
  );
  assert.deepEqual(await kept(), before);
});

test('anything with an Origin needs a token of this form that has not expired', async () => {
  const id = await make();
  const email = address();
  const refused = await submit(id, { email }, { origin: SITE });
  assert.equal(refused.body.code, 'token_invalid');
  assert.equal(refused.headers.get('access-control-allow-origin'), '*');
  const other = await token(await make());
  const mine = await token(id);
  for (const _token of [other, `${mine}x`, mine.slice(0, -2), 7, null, '', [mine]]) {
    assert.equal(
      (await submit(id, { email, _token }, { origin: SITE })).body.code,
      'token_invalid',
      JSON.stringify(_token),
    );
  }
  assert.equal(await contactOf(email), undefined);
  const taken = await submit(id, { email, _token: mine }, { origin: SITE });
  assert.equal(taken.status, 200, JSON.stringify(taken.body));
  assert.equal((await submissions(id))[0].submissionData._token, undefined);
  const { expiresAt } = (await service.api('GET', `/forms/${id}/token`, undefined, { token: null })).body;
  assert.ok(Date.parse(expiresAt) > Date.now());
});

test('a browser without a token gets the page, prefilled, and nothing is stored; with it the thank-you', async () => {
  const id = await make({ successMessage: 'Thank <you>' });
  const email = address();
  const post = (more: Record<string, string> = {}) =>
    submit(id, new URLSearchParams({ email, firstName: 'A & B', ...more }), { accept: BROWSER, origin: SITE });
  const page = await post();
  assert.equal(page.status, 200);
  assert.match(page.headers.get('content-type')!, /^text\/html/);
  assert.ok(page.body.includes(`value="${email}"`) && page.body.includes('value="A &amp; B"'));
  assert.deepEqual(await submissions(id), []);
  assert.ok(page.body.includes('Nothing has been sent yet. Please press “Send” once more to confirm.'), page.body);
  assert.match(page.body, /<button type="submit" autofocus aria-describedby="once-more">Send<\/button>/);
  const _token = hidden(page.body);
  const wrong = await submit(id, new URLSearchParams({ email: 'nobody', _token }), {
    accept: BROWSER,
    origin: service.url,
  });
  assert.equal(wrong.status, 422);
  assert.ok(
    wrong.body.includes('role="alert"') && wrong.body.includes('value="nobody"'),
    'the page tells what is wrong',
  );
  assert.ok(!wrong.body.includes('once-more'), 'that is another reason');
  const thanks = await post({ _token, size: 's' });
  assert.equal(thanks.status, 200);
  assert.match(thanks.body, /Thank &lt;you&gt;/);
  assert.equal((await submissions(id)).length, 1);
  // A program that sends a form and wants JSON gets JSON.
  const json = await submit(
    id,
    new URLSearchParams([
      ['email', email],
      ['topics', 'a'],
      ['topics', 'b'],
      ['_token', _token],
    ]),
  );
  assert.equal(json.body.success, true);
  assert.deepEqual((await submissions(id))[0].submissionData.topics, ['a', 'b']);
  assert.equal((await submit(id, new URLSearchParams({ email }))).body.code, 'token_invalid');
});

test('what a browser sends again, or twice at once, is one submission; other values are another', async () => {
  const id = await make();
  const page = (await service.api('GET', `/forms/${id}/page`, undefined, { token: null })).body;
  const send = async (firstName: string, _token: string) => {
    const email = 'again@example.com';
    const { status, body } = await submit(id, { email, firstName, _token }, { Origin: 'https://shop.example' });
    assert.equal(status, 200);
    return body.submissionId as number;
  };
  const ada = hidden(page);
  const first = await send('Ada', ada);
  const before = await kept();
  assert.equal(await send('Ada', ada), first);
  assert.deepEqual(await kept(), before, 'no contact, submission or event more');
  assert.notEqual(await send('Eve', ada), first);
  assert.notEqual(await send('Ada', await token(id)), first, 'filled in a second time');
  const clicks = await Promise.all(Array.from({ length: 10 }, () => send('Bob', ada)));
  assert.equal(new Set(clicks).size, 1);
  assert.equal((await submissions(id)).length, 4);
  await service.api('DELETE', `/contacts/${(await contactOf('again@example.com')).id}`);
  const { body } = await submit(id, { email: 'again@example.com', firstName: 'Ada', _token: ada });
  assert.deepEqual([body.submissionId, body.contactId], [first, null], 'its contact was deleted');
});

test('multipart posts are taken too, and other bodies are not', async () => {
  const id = await make();
  const data = new FormData();
  data.set('email', address());
  data.set('_token', await token(id));
  const taken = await submit(id, data);
  assert.equal(taken.status, 200, JSON.stringify(taken.body));
  assert.equal((await submit(id, 'email=x' as unknown as object, { 'content-type': 'text/plain' })).status, 415);
  assert.equal((await submit(id, '[1]' as unknown as object, { 'content-type': 'application/json' })).status, 400);
});

test('a browser is sent to the address of the editor, whatever the visitor says', async () => {
  const id = await make({ redirectUrl: 'https://example.com/danke schön'.replace(' ', '-') });
  const data = new URLSearchParams({
    email: address(),
    redirectUrl: 'https://evil.example.org',
    _token: await token(id),
  });
  const answer = await submit(id, data, { accept: BROWSER });
  assert.deepEqual([answer.status, answer.headers.get('location')], [303, 'https://example.com/danke-sch%C3%B6n']);
});

test('what fills the field that no one sees is told success and stored nowhere', async () => {
  const id = await make();
  const email = address();
  for (const _website of ['http://spam.example.org', ['a', 'b']]) {
    const answer = await submit(id, { email, _website });
    assert.deepEqual([answer.status, answer.body.success], [200, true]);
  }
  assert.equal(
    (await submit(id, new URLSearchParams({ email, _website: 'x', _token: await token(id) }), { accept: BROWSER }))
      .status,
    200,
  );
  assert.deepEqual([await submissions(id), await contactOf(email)], [[], undefined]);
  assert.equal((await submit(id, { email, _website: '' })).body.contactId, (await contactOf(email)).id);
});

test('a submission fills what is empty, or overwrites where the form says so', async () => {
  const email = address();
  const { body: contact } = await service.api('POST', '/contacts', { firstName: 'Ada', lastName: 'Byron', email });
  const careful = await make();
  const answer = await submit(careful, { email: email.toUpperCase(), firstName: 'Eve', job: 'Countess' });
  assert.equal(answer.body.contactId, contact.id);
  assert.deepEqual([(await contactOf(email)).firstName, (await contactOf(email)).jobTitle], ['Ada', 'Countess']);
  const bold = await make({ updateExisting: 'overwrite' });
  await submit(bold, { email, firstName: 'Eve', job: '' });
  const now = await contactOf(email);
  assert.deepEqual([now.firstName, now.lastName, now.jobTitle], ['Eve', 'Byron', 'Countess']);
});

/** A form that fills a custom field of each type, and the field of its form by which it does. */
async function customForm({
  offers = ['pro', 'free'],
  ...more
}: { offers?: string[]; [more: string]: unknown } = {}): Promise<number> {
  const types = { shoe: 'number', vip: 'boolean', born: 'date', plan: 'enum', note: 'string', likes: 'string' };
  for (const [name, type] of Object.entries(types)) {
    const options = type === 'enum' ? { options: ['pro', 'free', 'gold'] } : {};
    assert.ok(
      [201, 409].includes(
        (await service.api('POST', '/contacts/custom-fields', { entity: 'contact', name, type, ...options })).status,
      ),
    );
  }
  const pick = (...values: string[]) => ({ options: values.map((value) => ({ value, label: value })) });
  const field = (name: string, type: string, custom: string, extra = {}) => ({
    name,
    label: name,
    type,
    mapTo: `customFields.${custom}`,
    ...extra,
  });
  return make({
    fields: [
      fields[0],
      fields[2],
      field('size', 'number', 'shoe'),
      field('member', 'checkbox', 'vip'),
      field('birthday', 'text', 'born'),
      field('offer', 'select', 'plan', pick(...offers)),
      field('remark', 'textarea', 'note'),
      field('topics', 'multiselect', 'likes', pick('a', 'b')),
    ],
    ...more,
  });
}

test('a submission fills custom fields with values of their types, from JSON and from a browser', async () => {
  const id = await customForm();
  const [first, second, third] = [address(), address(), address()] as const;
  const filled = { shoe: 38.5, vip: true, born: '1815-12-10', plan: 'pro', note: 'one\ntwo', likes: 'a;b' };
  const json = await submit(id, {
    email: first,
    size: 38.5,
    member: true,
    birthday: ' 1815-12-10 ',
    offer: 'pro',
    remark: 'one\ntwo',
    topics: ['a', 'b', 'a'],
  });
  assert.equal(json.status, 200, JSON.stringify(json.body));
  assert.deepEqual((await contactOf(first)).customFields, filled);
  const sent = new URLSearchParams([
    ['email', second],
    ['size', '+38.50'],
    ['member', 'on'],
    ['birthday', '1815-12-10'],
    ['offer', 'pro'],
    ['remark', 'one\ntwo'],
    ['topics', 'a'],
    ['topics', 'b'],
    ['_token', await token(id)],
  ]);
  assert.equal((await submit(id, sent, { accept: BROWSER, origin: service.url })).status, 200);
  assert.deepEqual((await contactOf(second)).customFields, filled);
  // What is left empty fills nothing, and a box that a program does not name is not answered.
  assert.equal((await submit(id, { email: third, size: '', birthday: null, offer: '', topics: [] })).status, 200);
  assert.deepEqual((await contactOf(third)).customFields, {});
  // As when a submission comes with the form as it was before its custom field was deleted.
  await engineEm(service.deps.orm).transactional((tx) => rows(tx, sql`delete from custom_fields where name = 'note'`));
  assert.equal((await submit(id, { email: third, size: 41, remark: 'too late' })).status, 200);
  assert.deepEqual((await contactOf(third)).customFields, { shoe: 41 });
});

test('what the type of a custom field does not take is an error of the form field, beside those of the other fields', async () => {
  const id = await customForm({ offers: ['pro', 'gold'] });
  // An option can go while a form offers it; that form can still be put back.
  const { data } = (await service.api('GET', '/contacts/custom-fields?limit=200')).body;
  const plan = data.find(({ name }: { name: string }) => name === 'plan');
  assert.equal(
    (await service.api('PUT', `/contacts/custom-fields/${plan.id}`, { options: ['pro', 'free'] })).status,
    200,
  );
  const form = (await service.api('GET', `/forms/${id}`)).body;
  assert.equal((await service.api('PUT', `/forms/${id}`, form)).status, 200);
  const email = address();
  const before = await kept();
  const errorsOf = async (body: object): Promise<string[][]> => {
    const answer = await submit(id, { email, ...body });
    assert.equal(answer.status, 422, JSON.stringify(answer.body));
    return answer.body.errors.map((error: Record<string, string>) => [error['field'], error['code']]);
  };
  assert.deepEqual(
    await errorsOf({ job: 'x'.repeat(2000), birthday: '30.02.1815', offer: 'gold', remark: 'x'.repeat(6000) }),
    [
      ['job', 'too_long'],
      ['birthday', 'invalid_date'],
      ['offer', 'invalid_option'],
      ['remark', 'too_long'],
    ],
  );
  assert.deepEqual(await errorsOf({ size: 'large' }), [['size', 'format']], 'the form field has its own rules first');
  const swapped = await make({
    fields: [
      fields[0],
      { name: 'size', label: 'Size', type: 'text', mapTo: 'customFields.shoe' },
      { name: 'member', label: 'Member', type: 'text', mapTo: 'customFields.vip' },
    ],
  });
  const answer = await submit(swapped, { email, size: '1,234', member: 'perhaps' });
  assert.deepEqual(
    answer.body.errors.map((error: Record<string, string>) => [error['field'], error['code']]),
    [
      ['size', 'invalid_number'],
      ['member', 'invalid_boolean'],
    ],
  );
  const page = await submit(swapped, new URLSearchParams({ email, size: 'large', _token: await token(swapped) }), {
    accept: BROWSER,
    origin: service.url,
  });
  assert.deepEqual([page.status, /id="f\d+-size-error">Size: must be a number/.test(page.body)], [422, true]);
  assert.deepEqual(await kept(), before);
});

test('of submissions that come together each gets its own answer, and one that fails takes none with it', async () => {
  const id = await make({
    fields: [fields[0], { name: 'size', label: 'Size', type: 'text', mapTo: 'customFields.shoe' }],
  });
  const _token = await token(id);
  const stored = async () => new Map((await submissions(id)).map((one) => [one.id, one.submissionData]));
  const send = async (email: string, size: string, more: object = {}) => {
    const body = { email, size, ...more };
    const answer = await submit(id, body, { 'X-Request-Id': `for-${email}` });
    return { ...body, status: answer.status, submissionId: answer.body.submissionId as number };
  };
  const [good, wrong, twins] = await Promise.all([
    Promise.all(Array.from({ length: 20 }, (_, n) => send(`together${n}@example.com`, `${n}`))),
    Promise.all(Array.from({ length: 5 }, (_, n) => send(`wrong${n}@example.com`, 'perhaps'))),
    Promise.all(Array.from({ length: 5 }, () => send('twins.together@example.com', '40', { _token }))),
  ]);
  const all = await stored();
  assert.equal(all.size, 21);
  for (const { email, size, status, submissionId } of [...good, ...twins])
    assert.deepEqual([status, all.get(submissionId)], [200, { email, size }]);
  assert.deepEqual(new Set(wrong.map(({ status }) => status)), new Set([422]));
  assert.equal(await contactOf('wrong0@example.com'), undefined);
  assert.equal((await contactOf('together7@example.com')).customFields.shoe, 7);
});

test('a submission fills custom fields that are empty, or overwrites them where the form says so', async () => {
  const email = address();
  const careful = await customForm();
  await service.api('POST', '/contacts', {
    firstName: 'Ada',
    lastName: 'Byron',
    email,
    customFields: { shoe: 38, vip: false, plan: 'free' },
  });
  const fill = { email, size: 40, member: true, offer: 'pro', remark: 'new' };
  assert.equal((await submit(careful, fill)).status, 200);
  // That a box was not ticked is no answer that is to be kept.
  assert.deepEqual((await contactOf(email)).customFields, { shoe: 38, vip: true, plan: 'free', note: 'new' });
  const bold = await customForm({ updateExisting: 'overwrite' });
  await submit(bold, { ...fill, remark: '' });
  assert.deepEqual((await contactOf(email)).customFields, { shoe: 40, vip: true, plan: 'pro', note: 'new' });
});

test('no submission lifts an unsubscription', async () => {
  const email = address();
  await service.api('POST', '/contacts', { firstName: 'Ada', lastName: 'Byron', email, status: 'unsubscribed' });
  for (const updateExisting of ['fillEmpty', 'overwrite']) {
    const id = await make({ updateExisting, fields: [...fields, { name: 'status', label: 'Status', type: 'text' }] });
    assert.equal((await submit(id, { email, status: 'active' })).status, 200);
    assert.equal((await contactOf(email)).status, 'unsubscribed');
  }
});

test('twenty visitors of one address at once are one contact', async () => {
  const id = await make();
  const email = address();
  const answers = await Promise.all(Array.from({ length: 20 }, () => submit(id, { email })));
  assert.deepEqual([...new Set(answers.map((answer) => answer.status))], [200]);
  assert.equal(new Set(answers.map((answer) => answer.body.contactId)).size, 1);
  assert.equal((await submissions(id)).length, 20);
});

test('the form says which origins may use it, and preflights are answered', async () => {
  const open = await make();
  const closed = await make({ allowedOrigins: [SITE] });
  const get = (id: number, path: string, origin: string) =>
    service.api('GET', `/forms/${id}/${path}`, undefined, { token: null, headers: { origin } });
  assert.equal(
    (await get(open, 'fields', 'https://other.example.org')).headers.get('access-control-allow-origin'),
    '*',
  );
  const allowed = await get(closed, 'token', SITE);
  assert.equal(allowed.headers.get('access-control-allow-origin'), SITE);
  assert.equal(allowed.headers.get('access-control-allow-credentials'), null);
  assert.match(allowed.headers.get('vary')!, /origin/i);
  for (const origin of ['https://other.example.org', 'null', `${SITE}.example.org`]) {
    const refused = await get(closed, 'token', origin);
    assert.deepEqual(
      [refused.status, refused.body.code, refused.headers.get('access-control-allow-origin')],
      [403, 'origin_not_allowed', null],
      origin,
    );
    assert.equal((await submit(closed, { email: address(), _token: await token(closed) }, { origin })).status, 403);
  }
  // The hosted page posts from our own origin, which no list names.
  const own = await submit(closed, new URLSearchParams({ email: address(), _token: await token(closed) }), {
    origin: service.url,
    accept: BROWSER,
  });
  assert.equal(own.status, 200);
  const preflight = await fetch(`${service.url}/api/v1/forms/${closed}/submit`, {
    method: 'OPTIONS',
    headers: {
      origin: SITE,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type',
    },
  });
  assert.equal(preflight.status, 204);
  assert.match(preflight.headers.get('access-control-allow-methods')!, /POST/);
  assert.match(preflight.headers.get('access-control-allow-headers')!, /content-type/i);
});

test('a form that an active campaign waits for is not deleted; others go with their submissions', async () => {
  const id = await make();
  await submit(id, { email: address() });
  const campaign = await service.api('POST', '/campaigns', {
    name: 'Welcome',
    trigger: { type: 'FORM_SUBMITTED', formId: id },
    steps: [{ type: 'EXIT', config: {} }],
  });
  assert.equal(campaign.status, 201, JSON.stringify(campaign.body));
  assert.equal((await service.api('POST', `/campaigns/${campaign.body.id}/start`, {})).status, 202);
  const refused = await service.api('DELETE', `/forms/${id}`);
  assert.deepEqual([refused.status, refused.body.code], [409, 'in_use']);
  assert.match(refused.body.errors[0].message, /Welcome/);
  await service.api('POST', `/campaigns/${campaign.body.id}/stop`);
  assert.equal((await service.api('DELETE', `/forms/${id}`)).status, 204);
  assert.equal((await service.api('GET', `/forms/${id}/submissions`)).status, 404);
});

test('pairs of one address at once, with a company, beside the scoring of both, are all taken', async () => {
  for (const updateExisting of ['fillEmpty', 'overwrite']) {
    const id = await make({ updateExisting, fields: [...fields, { name: 'company', label: 'Company', type: 'text' }] });
    const addresses = Array.from({ length: 30 }, () => address());
    const pairs = addresses.flatMap((email) => ['Acme', 'Acme'].map((company) => submit(id, { email, company })));
    const rule = (
      await service.api('POST', '/scoring/rules', {
        name: 'C',
        eventType: 'FORM_SUBMITTED',
        points: 1,
        target: 'company',
      })
    ).body.id;
    const answers = await Promise.all(pairs);
    assert.deepEqual([...new Set(answers.map((answer) => answer.status))], [200]);
    assert.equal((await service.api('GET', `/forms/${id}/submissions?includeTotal=true&limit=1`)).body.page.total, 60);
    const companies = new Set(await Promise.all(addresses.map(async (email) => (await contactOf(email)).companyId)));
    assert.equal(companies.size, 1);
    await service.api('DELETE', `/scoring/rules/${rule}`);
  }
});

test('a submission meets no lock of a contact that waits for its company', async () => {
  const id = await make({ fields: [...fields, { name: 'company', label: 'Company', type: 'text' }] });
  const [email, company] = [address(), 'Ring Works'];
  await submit(id, { email: address(), company });
  // As scoring does: the contact first, then its company, while a twin of the submission comes.
  await tenantEm(service.deps.orm, 'default')
    .transactional(async (tx) => {
      const [contact] = await rows<{ id: number }>(
        tx,
        sql`
      insert into contacts (tenant_id, first_name, last_name, email, email_key) values ('default', '', '', ${email}, ${email}) returning id`,
      );
      const twin = submit(id, { email, company });
      await until('the twin waits', async () => {
        // A transaction sees who does what as it was when it first looked.
        await rows(tx, sql`select pg_stat_clear_snapshot()`);
        return (
          (
            await rows(
              tx,
              sql`select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
            )
          ).length > 0
        );
      });
      await rows(tx, sql`update companies set name = name where name = ${company}`);
      await rows(
        tx,
        sql`update contacts set company_id = (select id from companies where name = ${company}) where id = ${contact!.id}`,
      );
      return { twin };
    })
    .then(async ({ twin }) => assert.equal((await twin).status, 200));
});

test('a list that is gone fails no submission', async () => {
  const list = (await service.api('POST', '/contacts/lists', { name: 'Gone' })).body.id as number;
  const id = await make({ listId: list });
  await engineEm(service.deps.orm).transactional((tx) => rows(tx, sql`delete from segments where id = ${list}`));
  assert.equal((await submit(id, { email: address() })).status, 200);
});

test('the page comes back with every choice of a multiselect', async () => {
  const id = await make();
  const page = await submit(
    id,
    new URLSearchParams([
      ['email', address()],
      ['topics', 'a'],
      ['topics', 'b'],
    ]),
    { accept: BROWSER, origin: SITE },
  );
  assert.match(page.body, /<input [^>]*name="topics" value="a" checked>/);
  assert.match(page.body, /<input [^>]*name="topics" value="b" checked>/);
  const one = await submit(
    id,
    new URLSearchParams([
      ['email', address()],
      ['topics', 'b'],
    ]),
    { accept: BROWSER, origin: SITE },
  );
  assert.match(one.body, /<input [^>]*name="topics" value="a">/);
  assert.match(one.body, /<input [^>]*name="topics" value="b" checked>/);
});

test('a box that was unticked stays so when the page comes back, whatever its default is', async () => {
  const boxes = [
    { name: 'terms', label: 'Terms', type: 'consent', defaultValue: 'true' },
    { name: 'news', label: 'News', type: 'checkbox', defaultValue: 'true' },
    { ...fields[4], defaultValue: 'a' },
  ];
  const others = [
    { name: 'plan', label: 'Plan', type: 'text', defaultValue: 'gold' },
    { name: 'from', label: 'From', type: 'hidden', defaultValue: 'ad' },
  ];
  const id = await make({ fields: [fields[0], ...boxes, ...others] });
  const ticked = (page: string): string[] => [...page.matchAll(/name="(\w+)"[^>]* checked/g)].map(([, name]) => name!);
  const first = (await service.api('GET', `/forms/${id}/page`, undefined, { token: null })).body;
  assert.deepEqual(ticked(first), ['terms', 'news', 'topics']);
  for (const _token of [await token(id), '']) {
    const post = (more: object) =>
      submit(id, new URLSearchParams({ email: 'wrong', plan: '', _token, ...more }), { accept: BROWSER });
    const unticked = (await post({})).body;
    assert.deepEqual(ticked(unticked), []);
    assert.match(unticked, /name="plan"[^>]* value=""/, 'what was emptied stays empty');
    assert.match(unticked, /name="from" value="ad"/, 'what the page did not have has its default');
    assert.deepEqual(ticked((await post({ terms: 'true' })).body), ['terms']);
  }
});

test('a page may read the errors that come before the form is looked at', async () => {
  const id = await make();
  const post = (path: string, body: string, type: string) =>
    fetch(`${service.url}/api/v1/forms/${path}/submit`, {
      method: 'POST',
      headers: { origin: SITE, 'content-type': type },
      body,
    });
  for (const [answer, status] of [
    [await post(`${id}`, '{', 'application/json'), 400],
    [await post(`${id}`, 'x', 'text/csv'), 415],
    [await post('999999', '{}', 'application/json'), 404],
  ] as const)
    assert.deepEqual([answer.status, answer.headers.get('access-control-allow-origin')], [status, '*']);
});
