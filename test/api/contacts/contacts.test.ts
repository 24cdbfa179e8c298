import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { rows, sql, tenantEm } from '../../../db/orm.ts';
import { startService, type Answer, type Service } from '../../support/service.ts';

let service: Service;
let number = 0;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const api = (...call: Parameters<Service['api']>): Promise<Answer> => service.api(...call);
const address = (): string => `person${(number += 1)}@example.com`;

async function make(fields: object = {}): Promise<{ id: number; version: number } & Record<string, unknown>> {
  const answer = await api('POST', '/contacts', { firstName: 'Ada', lastName: 'Byron', email: address(), ...fields });
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return answer.body;
}

const query = <T>(statement: ReturnType<typeof sql>): Promise<T[]> =>
  tenantEm(service.deps.orm, 'default').transactional((tx) => rows<T>(tx, statement));

/** Events of a contact that wait in the outbox (no relay runs here), with what the relay adds. */
const events = (id: number) =>
  query<{ type: string; data: Record<string, unknown> }>(sql`
  select o.type, (e.value -> 'data') || jsonb_build_object('tenantId', o.tenant_id, 'timestamp', o.occurred_at) as data from outbox_events o, jsonb_array_elements(o.events) e
  where (e.value -> 'data' ->> 'contactId')::bigint = ${id} order by o.id`);

function refusal(answer: Answer, status: number, code: string, ...errors: [path: string, code: string][]): void {
  assert.equal(answer.status, status, JSON.stringify(answer.body));
  assert.equal(answer.body.code, code);
  assert.deepEqual(
    (answer.body.errors ?? []).map((error: { path: string; code: string }) => [error.path, error.code]),
    errors,
  );
}

test('a contact is created in full, with its event, and read back', async () => {
  const email = `Mixed.${address()}`;
  const answer = await api('POST', '/contacts', {
    firstName: '  Ada ',
    lastName: 'Byron',
    email: ` ${email} `,
    phone: '+44 20 7946 0958',
    jobTitle: '',
    company: 'Example Ltd',
    tags: [' vip', 'vip', 'new'],
    timezone: 'europe/berlin',
    locale: 'de_at',
    source: 'fair',
    customFields: {},
  });
  assert.equal(answer.status, 201);
  const { id, companyId, createdAt, updatedAt, ...rest } = answer.body;
  assert.deepEqual(rest, {
    firstName: 'Ada',
    lastName: 'Byron',
    email,
    phone: '+44 20 7946 0958',
    phoneE164: '+442079460958',
    jobTitle: null,
    company: { id: companyId, name: 'Example Ltd' },
    status: 'active',
    tags: ['vip', 'new'],
    customFields: {},
    timezone: 'Europe/Berlin',
    locale: 'de-AT',
    source: 'fair',
    erasing: false,
    tenantId: 'default',
    version: 1,
  });
  assert.match(createdAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.equal(updatedAt, createdAt);
  assert.equal(answer.headers.get('location'), `/api/v1/contacts/${id}`);
  const read = await api('GET', `/contacts/${id}`);
  assert.deepEqual(read.body, answer.body);
  assert.equal(read.headers.get('etag'), '"1"');
  const { tenantId, timestamp, ...data } = (await events(id))[0]!.data;
  assert.deepEqual([tenantId, data], ['default', { contactId: id, email }]);
  assert.ok(timestamp);
});

test('every violation of a new contact is told at once', async () => {
  refusal(
    await api('POST', '/contacts', {
      firstName: ' ',
      lastName: 'x\u0007',
      email: 'nobody',
      status: 'bounced',
      tags: ['x'.repeat(101)],
      customFields: { 'a/b': 1 },
      timezone: 'Mars',
      locale: '!',
    }),
    400,
    'validation_failed',
    ['/firstName', 'required'],
    ['/lastName', 'invalid_character'],
    ['/email', 'invalid_email'],
    ['/timezone', 'invalid_timezone'],
    ['/locale', 'invalid_locale'],
    ['/tags', 'too_long'],
    ['/customFields/a~1b', 'unknown_custom_field'],
    ['/status', 'invalid_status'],
  );
  refusal(
    await api('POST', '/contacts', { firstName: 'Ada', email: address(), colour: 'red', version: 1 }),
    400,
    'validation_failed',
    ['/lastName', 'required'],
    ['/colour', 'unknown_field'],
    ['/version', 'read_only'],
  );
  const many = Array.from({ length: 101 }, (_, index) => `tag ${index}`);
  refusal(
    await api('POST', '/contacts', { firstName: 'A', lastName: 'B', email: address(), tags: many }),
    400,
    'validation_failed',
    ['/tags', 'too_many_tags'],
  );
});

test('an address is unique whatever its case, also when twins come at once', async () => {
  const email = address();
  const twins = await Promise.all(
    Array.from({ length: 6 }, (_, n) =>
      api('POST', '/contacts', { firstName: 'Twin', lastName: String(n), email: n % 2 ? email : email.toUpperCase() }),
    ),
  );
  assert.equal(twins.filter((answer) => answer.status === 201).length, 1);
  for (const answer of twins.filter((one) => one.status !== 201))
    refusal(answer, 409, 'email_taken', ['/email', 'email_taken']);
  const other = await make();
  refusal(await api('PUT', `/contacts/${other.id}`, { email: email.toUpperCase() }), 409, 'email_taken', [
    '/email',
    'email_taken',
  ]);
  assert.equal((await events(other.id)).length, 1, 'a refused change leaves no event');
});

test('a company is found by its name or created, one for twins; by id it must exist; not both', async () => {
  const answers = await Promise.all(
    Array.from({ length: 6 }, (_, n) => make({ company: n % 2 ? 'Twin Works' : ' TWIN works ' })),
  );
  assert.equal(new Set(answers.map((contact) => contact['companyId'])).size, 1);
  assert.equal((await api('GET', '/contacts/companies?name=twin%20WORKS&includeTotal=true')).body.page.total, 1);
  const companyId = answers[0]!['companyId'];
  const byId = await make({ companyId });
  assert.equal((byId['company'] as { id: number }).id, companyId);
  refusal(
    await api('POST', '/contacts', { firstName: 'A', lastName: 'B', email: address(), companyId: 999_999 }),
    400,
    'validation_failed',
    ['/companyId', 'not_found'],
  );
  refusal(
    await api('POST', '/contacts', { firstName: 'A', lastName: 'B', email: address(), companyId, company: 'X' }),
    400,
    'validation_failed',
    ['/company', 'conflict'],
  );
  refusal(await api('PUT', `/contacts/${byId.id}`, { companyId, company: 'X' }), 400, 'validation_failed', [
    '/company',
    'conflict',
  ]);
  assert.equal((await make({ companyId: null, company: null }))['company'], null);
});

test('what GET answers can be PUT back and changes nothing', async () => {
  const contact = await make({ phone: '+44 20 7946 0958', company: 'Round Trip', tags: ['a', 'b'] });
  const put = await api('PUT', `/contacts/${contact.id}`, contact);
  assert.equal(put.status, 200);
  assert.deepEqual(put.body, contact);
  assert.equal((await events(contact.id)).length, 1);
  // With an edit of the company beside the old object, too.
  const other = await make({ company: 'Other Trip' });
  const moved = await api('PUT', `/contacts/${contact.id}`, { ...contact, companyId: other['companyId'] });
  assert.deepEqual(moved.body.company, other['company']);
  const cleared = await api('PUT', `/contacts/${contact.id}`, { ...moved.body, company: null });
  assert.deepEqual([cleared.status, cleared.body.company, cleared.body.companyId], [200, null, null]);
  refusal(
    await api('PUT', `/contacts/${contact.id}`, { company: { id: 1, name: 'Elsewhere' } }),
    400,
    'validation_failed',
    ['/company', 'read_only'],
  );
  refusal(
    await api('PUT', `/contacts/${contact.id}`, { id: contact.id, version: 1, phoneE164: '+49', tenantId: 'default' }),
    400,
    'validation_failed',
    ['/phoneE164', 'read_only'],
    ['/version', 'read_only'],
  );
});

test('PUT changes what is given: absent stays, null and empty clear, arrays are replaced', async () => {
  const contact = await make({ phone: '+44 20 7946 0958', jobTitle: 'Engineer', tags: ['a', 'b'], source: 'fair' });
  const put = await api('PUT', `/contacts/${contact.id}`, {
    phone: null,
    jobTitle: '',
    tags: ['c'],
    firstName: 'Augusta',
  });
  assert.equal(put.status, 200);
  assert.deepEqual(
    [
      put.body.phone,
      put.body.phoneE164,
      put.body.jobTitle,
      put.body.tags,
      put.body.firstName,
      put.body.source,
      put.body.version,
    ],
    [null, null, null, ['c'], 'Augusta', 'fair', 2],
  );
  assert.ok(put.body.updatedAt > put.body.createdAt);
  const updated = (await events(contact.id)).filter((event) => event.type === 'CONTACT_UPDATED');
  assert.deepEqual(
    updated.map(({ data }) => [data['version'], data['changed']]),
    [[2, ['firstName', 'phone', 'jobTitle', 'tags']]],
  );
  refusal(
    await api('PUT', `/contacts/${contact.id}`, { firstName: '', lastName: ' ' }),
    400,
    'validation_failed',
    ['/firstName', 'required'],
    ['/lastName', 'required'],
  );
  refusal(await api('PUT', `/contacts/${contact.id}`, { firstName: null }), 400, 'validation_failed', [
    '/firstName',
    'type',
  ]);
  assert.equal((await api('PUT', '/contacts/999999', { firstName: 'X' })).status, 404);
});

test('If-Match guards changes, also among many at once', async () => {
  const { id } = await make();
  const puts = await Promise.all(
    Array.from({ length: 5 }, (_, n) =>
      api('PUT', `/contacts/${id}`, { jobTitle: `Job ${n}` }, { headers: { 'if-match': '"1"' } }),
    ),
  );
  assert.deepEqual(puts.map((answer) => answer.status).sort(), [200, 412, 412, 412, 412]);
  refusal(
    await api('DELETE', `/contacts/${id}`, undefined, { headers: { 'if-match': '"1"' } }),
    412,
    'precondition_failed',
  );
  assert.equal((await api('DELETE', `/contacts/${id}`, undefined, { headers: { 'if-match': '"2"' } })).status, 204);
});

test('a status can be lowered to unsubscribed or archived and not be lifted again', async () => {
  const contact = await make();
  const put = await api('PUT', `/contacts/${contact.id}`, { status: 'unsubscribed' });
  assert.equal(put.body.status, 'unsubscribed');
  assert.deepEqual(
    (await events(contact.id)).map((event) => event.type),
    ['CONTACT_CREATED', 'CONTACT_UPDATED', 'CONTACT_UNSUBSCRIBED'],
  );
  assert.equal(
    (await api('PUT', `/contacts/${contact.id}`, { ...put.body, jobTitle: 'Poet' })).status,
    200,
    'unchanged is accepted',
  );
  const lifted = await api('PUT', `/contacts/${contact.id}`, { status: 'active' });
  refusal(lifted, 400, 'validation_failed', ['/status', 'invalid_status']);
  assert.match(lifted.body.errors[0].message, /opt-in/);
  refusal(await api('PUT', `/contacts/${contact.id}`, { status: 'pending' }), 400, 'validation_failed', [
    '/status',
    'invalid_status',
  ]);
  assert.equal((await api('PUT', `/contacts/${contact.id}`, { status: 'archived' })).body.status, 'archived');
  // The opt-out outlives the contact.
  assert.equal((await api('DELETE', `/contacts/${contact.id}`)).status, 204);
  assert.equal((await make({ email: contact['email'] }))['status'], 'unsubscribed');
});

test('a suppressed address gives its status to whoever gets it', async () => {
  const [bounced, manual] = [address(), address()];
  await query(
    sql`insert into suppressions (tenant_id, email_key, reason) values ('default', ${bounced}, 'bounced'), ('default', ${manual}, 'manual')`,
  );
  assert.equal((await make({ email: bounced.toUpperCase(), status: 'active' }))['status'], 'bounced');
  const contact = await make();
  const put = await api('PUT', `/contacts/${contact.id}`, { email: manual });
  assert.equal(put.body.status, 'unsubscribed');
});

test('DELETE takes everything of a contact along', async () => {
  const { id } = await make();
  const list = (await api('POST', '/contacts/lists', { name: 'With the deleted', contactIds: [id] })).body;
  await query(
    sql`insert into score_totals (tenant_id, subject, subject_id, total, updated_at) values ('default', 'contact', ${id}, 5, now())`,
  );
  await query(sql`insert into contact_activities (tenant_id, contact_id, type, occurred_at, event_id, data)
    values ('default', ${id}, 'EMAIL_OPENED', now(), gen_random_uuid(), '{}')`);
  const mail = (
    await query<{ id: number }>(
      sql`insert into emails (tenant_id, send_key, template_id, contact_id, lane) values ('default', 'x', 1, ${id}, 'journey') returning id`,
    )
  )[0]!;
  assert.equal((await api('DELETE', `/contacts/${id}`)).status, 204);
  assert.equal((await api('GET', `/contacts/${id}`)).status, 404);
  assert.equal((await api('DELETE', `/contacts/${id}`)).status, 404);
  assert.equal((await api('GET', `/contacts/${id}/activities`)).status, 404);
  assert.equal((await api('GET', `/contacts/lists/${list.id}`)).body.count, 0);
  assert.deepEqual(await query(sql`select status, reason from emails where id = ${mail.id}`), [
    { status: 'SUPPRESSED', reason: 'contact_deleted' },
  ]);
  assert.deepEqual(await query(sql`select 1 from score_totals where subject_id = ${id} and subject = 'contact'`), []);
  assert.equal(
    (await query<{ n: number }>(sql`select count(*) as n from contact_activities where contact_id = ${id}`))[0]!.n,
    0,
  );
});

test('activities are listed, newest first', async () => {
  const { id } = await make();
  for (const [type, at] of [
    ['EMAIL_SENT', '2030-01-01T10:00:00.000Z'],
    ['EMAIL_OPENED', '2030-01-01T11:00:00.000Z'],
  ]) {
    await query(sql`insert into contact_activities (tenant_id, contact_id, type, occurred_at, event_id, data)
      values ('default', ${id}, ${type}, ${at}, gen_random_uuid(), '{"emailId": 3}')`);
  }
  const answer = await api('GET', `/contacts/${id}/activities?limit=1`);
  assert.deepEqual(
    answer.body.data.map(({ id: _id, ...rest }: { id: number }) => rest),
    [{ type: 'EMAIL_OPENED', occurredAt: '2030-01-01T11:00:00.000Z', data: { emailId: 3 } }],
  );
  const next = await api('GET', `/contacts/${id}/activities?limit=1&cursor=${answer.body.page.nextCursor}`);
  assert.equal(next.body.data[0].type, 'EMAIL_SENT');
  const last = await api('GET', `/contacts/${id}/activities?limit=1&cursor=${next.body.page.nextCursor}`);
  assert.deepEqual([last.body.data[0].type, last.body.page.hasMore], ['CONTACT_CREATED', false]);
});

test('a contact that is being erased is neither deleted nor merged: its traces would be found by nothing', async () => {
  const [one, two] = [await make(), await make()];
  const erasure = await api('POST', `/contacts/${one.id}/erase`);
  assert.deepEqual([erasure.status, erasure.body.status], [202, 'PENDING'], 'no worker runs here');
  refusal(await api('DELETE', `/contacts/${one.id}`), 409, 'conflict');
  refusal(await api('POST', `/contacts/${two.id}/merge`, { sourceId: one.id }), 409, 'conflict');
  refusal(await api('POST', `/contacts/${one.id}/merge`, { sourceId: two.id }), 409, 'conflict');
  assert.equal((await api('GET', `/contacts/${two.id}`)).body.version, 1);
});
