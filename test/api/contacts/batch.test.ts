import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { rows, sql, tenantEm } from '../../../db/orm.ts';
import { startService, type Answer, type Service } from '../../support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const api = (...call: Parameters<Service['api']>): Promise<Answer> => service.api(...call);
const query = <T>(statement: ReturnType<typeof sql>): Promise<T[]> =>
  tenantEm(service.deps.orm, 'default').transactional((tx) => rows<T>(tx, statement));
const row = (name: string, fields: object = {}) => ({
  firstName: 'Ada',
  lastName: name,
  email: `${name}@example.com`,
  ...fields,
});
const contact = async (id: number) => (await api('GET', `/contacts/${id}`)).body;
const eventsOf = (id: number) =>
  query<{ type: string; data: Record<string, unknown> }>(sql`
  select o.type, e.value -> 'data' as data from outbox_events o, jsonb_array_elements(o.events) e where (e.value -> 'data' ->> 'contactId')::bigint = ${id} order by o.id`);

async function batch(contacts: unknown[], mode?: string) {
  const answer = await api('POST', '/contacts/batch', { contacts, ...(mode ? { mode } : {}) });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  const results = answer.body.results as {
    index: number;
    status: string;
    id: number;
    errors: { path: string; code: string }[];
  }[];
  assert.deepEqual(
    results.map(({ index }) => index),
    contacts.map((_, index) => index),
  );
  return {
    results,
    statuses: results.map(({ status }) => status),
    ids: results.map(({ id }) => id),
    errors: results.map(({ errors }) => errors.map(({ path, code }) => [path, code])),
  };
}

test('good rows go through though others are rejected, each with all that is wrong with it', async () => {
  const { statuses, ids, errors } = await batch([
    row('one', { phone: '+44 20 7946 0958', tags: ['vip'], timezone: 'europe/berlin', customFields: {} }),
    row('two', { email: 'nobody', status: 'bounced', customFields: { size: 1 } }),
    'three',
    { email: 'four@example.com' },
    row('five', { id: 7, colour: 1, phone: 5 }),
    row('six', { companyId: 999_999, firstName: ' ' }),
    row('seven'),
  ]);
  assert.deepEqual(statuses, ['created', 'rejected', 'rejected', 'rejected', 'rejected', 'rejected', 'created']);
  assert.deepEqual(
    errors.map((list) => list.sort()),
    [
      [],
      [
        ['/customFields/size', 'unknown_custom_field'],
        ['/email', 'invalid_email'],
        ['/status', 'invalid_status'],
      ],
      [['', 'type']],
      [
        ['/firstName', 'required'],
        ['/lastName', 'required'],
      ],
      [
        ['/colour', 'unknown_field'],
        ['/id', 'read_only'],
        ['/phone', 'type'],
      ],
      [
        ['/companyId', 'not_found'],
        ['/firstName', 'required'],
      ],
      [],
    ],
  );
  assert.deepEqual(
    ids.map((id) => typeof id === 'number'),
    [true, false, false, false, false, false, true],
  );
  const { id: _i, createdAt: _c, updatedAt: _u, ...made } = await contact(ids[0]!);
  assert.deepEqual(made, {
    firstName: 'Ada',
    lastName: 'one',
    email: 'one@example.com',
    phone: '+44 20 7946 0958',
    phoneE164: '+442079460958',
    jobTitle: null,
    companyId: null,
    company: null,
    status: 'active',
    erasing: false,
    tags: ['vip'],
    customFields: {},
    timezone: 'Europe/Berlin',
    locale: null,
    source: null,
    tenantId: 'default',
    version: 1,
  });
  assert.deepEqual(
    (await eventsOf(ids[0]!)).map(({ type }) => type),
    ['CONTACT_CREATED'],
  );
});

test('upsert changes what exists as a single write does; create refuses it', async () => {
  const {
    ids: [id],
  } = await batch([row('upsert', { jobTitle: 'Engineer', tags: ['a'] })]);
  const { statuses, errors } = await batch([row('upsert', { jobTitle: 'Boss' }), row('fresh')], 'create');
  assert.deepEqual([statuses, errors[0]], [['rejected', 'created'], [['/email', 'email_taken']]]);
  assert.deepEqual(
    (await batch([{ email: 'UPSERT@example.com', jobTitle: 'Engineer' }])).statuses,
    ['updated'],
    'the address is written another way',
  );
  assert.deepEqual((await batch([{ email: 'UPSERT@example.com' }])).statuses, ['unchanged']);
  const changed = await batch([
    { email: 'upsert@example.com', jobTitle: '', tags: ['b'], status: 'unsubscribed', company: 'Upsert Ltd' },
  ]);
  assert.deepEqual([changed.statuses, changed.ids], [['updated'], [id]]);
  const now = await contact(id!);
  assert.deepEqual(
    [now.jobTitle, now.tags, now.status, now.company.name, now.version],
    [null, ['b'], 'unsubscribed', 'Upsert Ltd', 3],
  );
  assert.deepEqual((await batch([{ email: 'upsert@example.com', company: 'UPSERT LTD' }])).statuses, ['unchanged']);
  assert.deepEqual(
    (await batch([{ email: 'upsert@example.com', companyId: now.companyId, company: 'Other' }])).errors[0],
    [['/company', 'conflict']],
  );
  const events = await eventsOf(id!);
  assert.deepEqual(events.map(({ type }) => type).sort(), [
    'CONTACT_CREATED',
    'CONTACT_UNSUBSCRIBED',
    'CONTACT_UPDATED',
    'CONTACT_UPDATED',
  ]);
  assert.equal(
    (await query(sql`select 1 from suppressions where email_key = 'upsert@example.com' and reason = 'unsubscribed'`))
      .length,
    1,
  );
});

test('rows of one address are taken in their order; the later one wins', async () => {
  const first = await batch([
    row('twice', { jobTitle: 'one', source: 'fair' }),
    row('twice', { email: 'TWICE@example.com', jobTitle: 'two' }),
    row('twice', { email: 'TWICE@example.com' }),
    row('twice', { jobTitle: 'x'.repeat(300) }),
  ]);
  assert.deepEqual(first.statuses, ['created', 'updated', 'unchanged', 'rejected']);
  assert.equal(new Set(first.ids.slice(0, 3)).size, 1);
  const { jobTitle, source, email } = await contact(first.ids[0]!);
  assert.deepEqual([jobTitle, source, email], ['two', 'fair', 'TWICE@example.com']);
  assert.deepEqual((await batch([row('thrice'), row('thrice')], 'create')).statuses, ['created', 'rejected']);
});

test('suppressed addresses, companies and segments are as with single writes', async () => {
  const { body: segment } = await api('POST', '/contacts/segments', {
    name: 'Batch',
    type: 'dynamic',
    filter: { field: 'company.name', operator: 'eq', value: 'Batch Ltd' },
  });
  await query(
    sql`insert into suppressions (tenant_id, email_key, reason) values ('default', 'gone@example.com', 'bounced')`,
  );
  const { ids } = await batch([
    row('gone', { company: 'Batch Ltd' }),
    row('stays', { company: 'BATCH ltd' }),
    row('alone'),
  ]);
  const made = await Promise.all(ids.map((id) => contact(id)));
  assert.deepEqual(
    made.map(({ status }) => status),
    ['bounced', 'active', 'active'],
  );
  assert.equal(made[0].companyId, made[1].companyId);
  assert.equal((await api('GET', `/contacts/companies?name=batch%20ltd&includeTotal=true`)).body.page.total, 1);
  assert.equal((await api('GET', `/contacts/segments/${segment.id}`)).body.count, 2);
  await batch([
    { email: 'stays@example.com', company: null },
    { email: 'alone@example.com', companyId: made[0].companyId },
  ]);
  const members = await api('GET', `/contacts/segments/${segment.id}/contacts?sort=id`);
  assert.deepEqual(
    members.body.data.map((member: { id: number }) => member.id),
    [ids[0]!, ids[2]!].sort((a, b) => a - b),
  );
});

test('batches at the same time over the same addresses, in other orders, all succeed and make each contact once', async () => {
  const names = Array.from({ length: 60 }, (_, n) => `race${n}`);
  const shuffled = (from: number) => [...names.slice(from), ...names.slice(0, from)].reverse();
  const answers = await Promise.all(
    [0, 15, 30, 45].map((from, n) =>
      batch(shuffled(from).map((name) => row(name, { jobTitle: String(n), company: `Race ${from % 2}` }))),
    ),
  );
  assert.equal(answers.flatMap(({ statuses }) => statuses).filter((status) => status === 'created').length, 60);
  assert.ok(answers.every(({ statuses }) => !statuses.includes('rejected')));
  assert.equal((await query(sql`select 1 from contacts where email_key like 'race%'`)).length, 60);
  assert.equal((await query(sql`select 1 from companies where name_key like 'race %'`)).length, 2);
});

test('a batch holds at most 1,000 rows, and that many are taken', async () => {
  const many = Array.from({ length: 1000 }, (_, n) => row(`many${n}`, { tags: ['many'] }));
  const refused = await api('POST', '/contacts/batch', { contacts: [...many, row('one-more')] });
  assert.deepEqual(
    [refused.status, refused.body.errors[0].path, refused.body.errors[0].code],
    [400, '/contacts', 'too_many'],
  );
  assert.equal((await api('POST', '/contacts/batch', { contacts: [] })).status, 400);
  assert.ok((await batch(many)).statuses.every((status) => status === 'created'));
  assert.ok(
    (await batch(many.map((one) => ({ ...one, jobTitle: 'Engineer' })))).statuses.every(
      (status) => status === 'updated',
    ),
  );
  assert.equal((await api('GET', '/contacts?tag=many&includeTotal=true&limit=1')).body.page.total, 1000);
});
