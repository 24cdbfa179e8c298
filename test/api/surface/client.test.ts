import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { createClient, each, ProblemError, type Client } from '../../../clients/typescript/index.ts';
import { ADMIN_PASSWORD, startService, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { startVariant } from '../../support/variant.ts';

let service: Service;
let client: Client;
beforeAll(async () => {
  service = await startService({ worker: ['intake', 'consumers', 'relay', 'senders'] });
  const session: { token?: string } = {};
  client = createClient({ baseUrl: `${service.url}/`, token: () => session.token });
  session.token = (await client.login({ body: { username: 'admin', password: ADMIN_PASSWORD } })).accessToken;
});
afterAll(() => service.stop());

const person = (number: number) => ({
  firstName: 'Ada',
  lastName: `Byron ${number}`,
  email: `ada${number}@example.org`,
});

/** The ProblemError that a call ends in. */
async function problem(call: Promise<unknown>): Promise<ProblemError> {
  const error = await call.then(
    () => null,
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof ProblemError, String(error));
  return error;
}

test('a whole path: contacts, a list by pages, a template, a mail sent and read', async () => {
  const made = [];
  for (let number = 1; number <= 5; number += 1)
    made.push(await client.createContact({ body: { ...person(number), tags: ['path'] } }));
  const listed = [];
  for await (const contact of each(client.listContacts, { query: { tag: 'path', limit: 2, sort: 'id' } }))
    listed.push(contact.id);
  assert.deepEqual(
    listed,
    made.map(({ id }) => id),
  );

  const contact = await client.getContact({ path: { id: made[0]!.id } });
  const changed = await client.updateContact({
    path: { id: contact.id },
    body: { ...contact, jobTitle: 'Engineer' },
    ifMatch: contact.version,
  });
  assert.deepEqual([changed.jobTitle, changed.version], ['Engineer', contact.version + 1]);

  const template = await client.createTemplate({
    body: { name: 'Hello', subject: 'Hello {{firstName}}', content: '<p>Hello {{firstName}}</p>' },
  });
  const { emailId } = await client.sendEmail({ body: { templateId: template.id, recipientId: contact.id } });
  const email = await until('the mail is out', async () => {
    const read = await client.getEmail({ path: { id: emailId } });
    return read.status === 'SENT' || read.status === 'DELIVERED' ? read : null;
  });
  assert.deepEqual([email.contactId, email.to], [contact.id, contact.email]);
  const mail = await until(
    'the mail is there',
    async () => service.sink.mails.find(({ to }) => to.includes(contact.email)) ?? null,
  );
  assert.equal(mail.parsed.subject, 'Hello Ada');

  assert.equal(await client.deleteContact({ path: { id: made[4]!.id } }), undefined);
  assert.deepEqual([(await problem(client.getContact({ path: { id: made[4]!.id } }))).code], ['not_found']);
});

test('a file goes up as multipart, and a filter as it is typed', async () => {
  const list = await client.createSegment({
    body: {
      name: 'Imported',
      type: 'dynamic',
      filter: { op: 'and', conditions: [{ field: 'source', operator: 'eq', value: 'fair' }] },
    },
  });
  assert.equal(list.type, 'dynamic');
  const job = await client.importContacts({
    body: { file: new Blob(['email,first name,last name\nx@example.org,X,Y\n'], { type: 'text/csv' }), mode: 'create' },
  });
  assert.deepEqual([job.status, (await client.getImport({ path: { id: job.id } })).id], ['PENDING', job.id]);
});

test('an export is what its format says: contacts, text or a workbook', async () => {
  for (const n of [60, 61]) await client.createContact({ body: { ...person(n), tags: ['export'] } });
  const download = (format: 'csv' | 'json' | 'ndjson' | 'xlsx') =>
    client.exportContacts({ query: { format, tag: 'export' } });
  const emails = [person(60).email, person(61).email];
  const listed = await download('json');
  assert.deepEqual(Array.isArray(listed) && listed.map(({ email }) => email), emails);
  assert.deepEqual(
    ((await download('ndjson')) as unknown as string)
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { email: string }).email),
    emails,
  );
  assert.match((await download('csv')) as unknown as string, /^id,firstName,/);
  const workbook = await download('xlsx');
  assert.ok(workbook instanceof Blob);
  assert.equal(await workbook.slice(0, 2).text(), 'PK');
});

test('a file of a submission is a Blob, or text', async () => {
  const { id } = await client.createForm({
    body: {
      name: 'F',
      fields: [
        { name: 'email', label: 'E', type: 'email' },
        { name: 'cv', label: 'CV', type: 'file' },
      ],
    },
  });
  const download = async (content: string) => {
    const form = new FormData();
    form.set('email', 'file@example.org');
    form.set('_token', (await client.getFormToken({ path: { id } })).token);
    form.set('cv', new Blob([content]));
    const { body } = await service.api('POST', `/forms/${id}/submit`, form, { headers: { accept: '*/*' } });
    const [submission] = (await client.listFormSubmissions({ path: { id } })).data;
    const { fileId } = submission!.submissionData['cv'] as { fileId: number };
    return client.downloadFormFile({ path: { id, submissionId: body.submissionId as number, fileId } });
  };
  const pdf = await download('%PDF-1.4');
  assert.ok(pdf instanceof Blob);
  assert.equal(await pdf.text(), '%PDF-1.4');
  assert.equal(await download('hello'), 'hello');
});

test("errors have the code, every violation and the request's id", async () => {
  const error = await problem(
    client.createContact({ body: { firstName: '', lastName: 'Byron', email: 'no address' } }),
  );
  assert.deepEqual([error.status, error.code], [400, 'validation_failed']);
  assert.deepEqual(error.errors.map(({ path }) => path).sort(), ['/email', '/firstName']);
  assert.match(error.requestId!, /^[\w-]{36}$/);
  const contact = await client.createContact({ body: person(20) });
  const stale = await problem(
    client.updateContact({ path: { id: contact.id }, body: { jobTitle: 'X' }, ifMatch: contact.version + 1 }),
  );
  assert.deepEqual([stale.status, stale.code], [412, 'precondition_failed']);
  const stranger = await problem(createClient({ baseUrl: service.url }).listContacts());
  assert.deepEqual([stranger.status, stranger.code], [401, 'unauthorized']);
});

test('under one Idempotency-Key a contact is made once', async () => {
  const first = await client.createContact({ body: person(30), idempotencyKey: 'order 4711' });
  assert.equal((await client.createContact({ body: person(30), idempotencyKey: 'order 4711' })).id, first.id);
  assert.equal((await problem(client.createContact({ body: person(30) }))).code, 'email_taken');
  assert.equal(
    (await problem(client.createContact({ body: person(31), idempotencyKey: 'order 4711' }))).code,
    'idempotency_key_reused',
  );
});

test('after 429 it waits as told and repeats, one call after another, within bounds', async () => {
  const slow = await startVariant(service, {
    ENABLE_RATE_LIMITING: true,
    RATE_LIMIT_BURST: 1,
    RATE_LIMIT_PER_MINUTE: 60,
  });
  try {
    const statuses: number[] = [];
    const watched: typeof fetch = async (...request) => {
      const response = await fetch(...request);
      statuses.push(response.status);
      return response;
    };
    const settings = { baseUrl: slow.url, token: service.admin.token, fetch: watched };
    const patient = createClient(settings);
    for (let call = 0; call < 3; call += 1) await patient.getProfile();
    assert.ok(statuses.includes(429) && statuses.filter((status) => status === 200).length === 3, statuses.join());

    statuses.length = 0;
    const made = await patient.createContact({ body: person(40), idempotencyKey: true });
    assert.ok(made.id > 0 && statuses.at(-1) === 201, statuses.join());

    statuses.length = 0;
    const all = await Promise.all(
      [1, 2, 3, 4, 5, 6].map((number) => patient.createContact({ body: person(50 + number) })),
    );
    assert.equal(new Set(all.map(({ id }) => id)).size, 6, 'a refused POST was not executed, so it is repeated too');
    assert.ok(statuses.filter((status) => status === 429).length >= 5, statuses.join());
    statuses.length = 0;
    const hasty = createClient({ ...settings, maxWait: 0 });
    const outcomes = await Promise.all(
      [1, 2, 3].map(() =>
        hasty.getProfile().then(
          () => null,
          (error: ProblemError) => error.status,
        ),
      ),
    );
    assert.ok(outcomes.includes(429) && statuses.length === 3, 'nor what would have to wait too long');
  } finally {
    await slow.stop();
  }
});

test('after a lost connection it repeats what changes nothing, and a POST with a key', async () => {
  let lost = 0;
  const breaking: typeof fetch = async (...request) => {
    const response = await fetch(...request);
    lost += 1;
    if (lost % 2 === 0) return response;
    await response.text();
    throw new TypeError('fetch failed');
  };
  const patient = createClient({ baseUrl: service.url, token: service.admin.token, fetch: breaking });
  assert.equal((await patient.getProfile()).username, 'admin');
  const made = await patient.createContact({ body: person(70), idempotencyKey: true });
  assert.equal((await client.listContacts({ query: { email: made.email } })).data.length, 1);
  await assert.rejects(patient.createContact({ body: person(71) }), /fetch failed/);
  const impatient = createClient({ baseUrl: service.url, token: service.admin.token, retries: 0, fetch: breaking });
  lost = 0;
  await assert.rejects(impatient.getProfile(), /fetch failed/);
});
