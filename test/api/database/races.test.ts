import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import pg from 'pg';
import { Contact } from '../../../db/entities/contacts.ts';
import { sql, tenantEm } from '../../../db/orm.ts';
import { commonSort, listPage } from '../../../domain/common/list-page.ts';
import { startService, type Answer, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';

let service: Service;
let owner: pg.Client;
beforeAll(async () => {
  service = await startService();
  owner = new pg.Client({ connectionString: service.slot.env['DATABASE_MIGRATION_URL'] });
  await owner.connect();
  await owner.query(`create function gone() returns trigger language plpgsql security definer as $$
    begin execute format('delete from %I where id = $1', tg_argv[0]) using (to_jsonb(new) ->> tg_argv[1])::bigint; return null; end $$`);
});
afterAll(async () => {
  await owner.end();
  await service.stop();
});

const api = (...call: Parameters<Service['api']>): Promise<Answer> => service.api(...call);
/** As a client that comes again when it is told to: on a busy machine, locks may take longer than a request waits. */
const patient = (...call: Parameters<Service['api']>): Promise<Answer> =>
  until(`${call[0]} ${call[1]} is answered`, async () => {
    const answer = await api(...call);
    if (answer.status !== 503) return answer;
    assert.equal(answer.headers.get('retry-after'), '1', JSON.stringify(answer.body));
    return null;
  });
let number = 0;
const person = (fields: object = {}) => ({
  firstName: 'Ada',
  lastName: 'Byron',
  email: `race${(number += 1)}@example.com`,
  ...fields,
});
async function ok(...call: Parameters<Service['api']>): Promise<Answer['body']> {
  const answer = await api(...call);
  assert.ok(answer.status < 300, `${call[0]} ${call[1]}: ${JSON.stringify(answer.body)}`);
  return answer.body;
}

/** As if somebody deleted a row of `table` right after each commit that wrote to `on`: its last act is to delete that row. */
async function whileGone<T>(table: string, work: () => Promise<T>, { on = table, column = 'id' } = {}): Promise<T> {
  await owner.query(
    `create constraint trigger gone after insert or update on ${on} deferrable initially deferred for each row execute function gone('${table}', '${column}')`,
  );
  try {
    return await work();
  } finally {
    await owner.query(`drop trigger gone on ${on}`);
  }
}

const template = { name: 'Letter', subject: 'Hello', content: '<p>Hello</p>' };
const form = { name: 'Form', fields: [{ name: 'email', label: 'Email', type: 'email' }] };
const resources: { path: string; table: string; made: () => object; change: object }[] = [
  { path: '/contacts', table: 'contacts', made: () => person({ company: 'Mill' }), change: { jobTitle: 'Engineer' } },
  {
    path: '/contacts/companies',
    table: 'companies',
    made: () => ({ name: 'Mill' }),
    change: { domain: 'example.com' },
  },
  {
    path: '/contacts/custom-fields',
    table: 'custom_fields',
    made: () => ({ entity: 'contact', name: `field${(number += 1)}`, type: 'string' }),
    change: { description: 'changed' },
  },
  {
    path: '/contacts/segments',
    table: 'segments',
    made: () => ({ name: 'All', type: 'dynamic', filter: { field: 'firstName', operator: 'exists' } }),
    change: { name: 'Everybody' },
  },
  { path: '/contacts/lists', table: 'segments', made: () => ({ name: 'Some' }), change: { description: 'changed' } },
  { path: '/emails/templates', table: 'email_templates', made: () => template, change: { subject: 'Good day' } },
  {
    path: '/emails/topics',
    table: 'email_topics',
    made: () => ({ name: `Topic ${(number += 1)}` }),
    change: { description: 'changed' },
  },
  {
    path: '/emails/senders',
    table: 'email_senders',
    made: () => ({ email: `sender${(number += 1)}@example.com` }),
    change: { name: 'changed' },
  },
  { path: '/campaigns', table: 'campaigns', made: () => ({ name: 'Journey', steps: [] }), change: { name: 'changed' } },
  { path: '/forms', table: 'forms', made: () => form, change: { description: 'changed' } },
  {
    path: '/scoring/rules',
    table: 'scoring_rules',
    made: () => ({ name: 'Open', eventType: 'EMAIL_OPENED', points: 5 }),
    change: { points: 6 },
  },
  {
    path: '/scoring/thresholds',
    table: 'score_thresholds',
    made: () => ({ name: 'Hot', score: 70, action: { type: 'NONE' } }),
    change: { score: 71 },
  },
  {
    path: '/auth/roles',
    table: 'roles',
    made: () => ({ name: `Role ${(number += 1)}`, permissions: [] }),
    change: { description: 'changed' },
  },
];
for (const { path, table, made, change } of resources) {
  test(`POST and PUT of ${path} answer what was committed, though it is gone by then`, async () => {
    const input = made();
    const created = await whileGone(table, () => api('POST', path, input));
    assert.equal(created.status, 201, JSON.stringify(created.body));
    assert.equal((await api('GET', `${path}/${created.body.id}`)).status, 404);
    const other = await ok('POST', path, made());
    const changed = await whileGone(table, () => api('PUT', `${path}/${other.id}`, change));
    assert.equal(changed.status, 200, JSON.stringify(changed.body));
    // What goes up with each change.
    const { version, updatedAt, contentVersion } = changed.body;
    assert.deepEqual(changed.body, {
      ...other,
      ...change,
      version,
      updatedAt,
      ...(contentVersion ? { contentVersion } : {}),
    });
    assert.equal((await api('GET', `${path}/${other.id}`)).status, 404);
  });
}

test('a contact is shown with its company, though that is gone by then; a list with its members', async () => {
  await ok('POST', '/contacts/companies', { name: 'Brook' });
  const ofCompany = (work: () => Promise<Answer>) =>
    whileGone('companies', work, { on: 'contacts', column: 'company_id' });
  const created = await ofCompany(() => api('POST', '/contacts', person({ company: 'Brook' })));
  assert.deepEqual([created.status, created.body.company], [201, { id: created.body.companyId, name: 'Brook' }]);
  const changed = await ofCompany(() => api('PUT', `/contacts/${created.body.id}`, { company: 'Meadow' }));
  assert.deepEqual([changed.status, changed.body.company], [200, { id: changed.body.companyId, name: 'Meadow' }]);
  const { id } = await ok('POST', '/contacts', person());
  const list = await whileGone('segments', () => api('POST', '/contacts/lists', { name: 'One', contactIds: [id] }));
  assert.deepEqual([list.status, list.body.count], [201, 1]);
});

test('a merge answers the contact that it made, though that is gone by then', async () => {
  const [target, source] = [
    await ok('POST', '/contacts', person({ company: 'Hill' })),
    await ok('POST', '/contacts', person({ jobTitle: 'Engineer' })),
  ];
  const merged = await whileGone('contacts', () =>
    api('POST', `/contacts/${target.id}/merge`, { sourceId: source.id }),
  );
  assert.equal(merged.status, 200, JSON.stringify(merged.body));
  assert.deepEqual([merged.body.id, merged.body.jobTitle, merged.body.company.name], [target.id, 'Engineer', 'Hill']);
  assert.equal((await api('GET', `/contacts/${target.id}`)).status, 404);
});

test("an export of a person's data is of one moment, though the person is gone by then", async () => {
  const contact = await ok('POST', '/contacts', person({ company: 'Hill' }));
  const held = await whileGone('contacts', () => api('GET', `/contacts/${contact.id}/data-export`), {
    on: 'audit_log',
    column: 'resource_id',
  });
  assert.equal(held.status, 200, JSON.stringify(held.body));
  assert.deepEqual([held.body.contact.id, held.body.company.name], [contact.id, 'Hill']);
  assert.equal((await api('GET', `/contacts/${contact.id}/data-export`)).status, 404);
});

test('a page of a list is of one moment: what is deleted while it is read is on it', async () => {
  const contact = await ok('POST', '/contacts', person());
  const LOCK = 4711;
  await owner.query(`select pg_advisory_lock(${LOCK})`);
  // The ids are asked for, and wait; what comes next sees the contact no more, unless it looks at the same moment.
  const listed = listPage(
    tenantEm(service.deps.orm, 'default'),
    Contact,
    {},
    {
      from: sql`contacts t`,
      where: [sql`t.id = ${contact.id} and (select pg_advisory_xact_lock_shared(${sql.lit(LOCK)})) is not null`],
      sortable: { id: commonSort.id },
    },
    (found) => found.map(({ id }) => id),
  );
  await until(
    'it waits',
    async () =>
      (await owner.query(`select 1 from pg_locks where not granted and locktype = 'advisory' and objid = ${LOCK}`)).rows
        .length > 0,
  );
  assert.equal((await api('DELETE', `/contacts/${contact.id}`)).status, 204);
  await owner.query(`select pg_advisory_unlock(${LOCK})`);
  assert.deepEqual((await listed).data, [contact.id]);
});

/** As if each commit that writes to `table` met another transaction, this many times in a row. */
async function whileMeeting<T>(table: string, times: number, work: () => Promise<T>): Promise<T> {
  // A sequence is not rolled back.
  await owner.query(`create sequence met; grant usage on sequence met to public;
    create function meet() returns trigger language plpgsql as $$
    declare n int := nextval('met');
    begin
      if n <= ${times} then raise exception 'met' using errcode = (array['40P01', '40001'])[n % 2 + 1]; end if;
      return null;
    end $$`);
  await owner.query(
    `create constraint trigger meet after insert or update or delete on ${table} deferrable initially deferred for each row execute function meet()`,
  );
  try {
    return await work();
  } finally {
    await owner.query(`drop trigger meet on ${table}; drop function meet(); drop sequence met`);
  }
}

for (const { path, table, made, change } of resources) {
  test(`POST, PUT and DELETE of ${path} that meet others are repeated, and done once`, async () => {
    const newest = async () => (await owner.query(`select max(id) as id from ${table}`)).rows[0].id;
    const before = await newest();
    const created = await whileMeeting(table, 2, () => api('POST', path, made()));
    assert.equal(created.status, 201, JSON.stringify(created.body));
    const rows = await owner.query(`select id from ${table} where id > $1`, [before ?? 0]);
    assert.deepEqual(rows.rows, [{ id: String(created.body.id) }]);
    const changed = await whileMeeting(table, 2, () => api('PUT', `${path}/${created.body.id}`, change));
    assert.equal(changed.status, 200, JSON.stringify(changed.body));
    const read = (await api('GET', `${path}/${created.body.id}`)).body;
    assert.deepEqual(changed.body, { ...read, ...(read.companyId ? { company: changed.body.company } : {}) });
    assert.deepEqual({ ...read, ...change }, read);
    assert.equal(read.version, created.body.version + 1);
    const deleted = await whileMeeting(table, 2, () => api('DELETE', `${path}/${created.body.id}`));
    assert.ok([200, 202, 204].includes(deleted.status), JSON.stringify(deleted.body));
  });
}

test('a request with a key that meets others is done once; one that always meets them is told to come back', async () => {
  const topic = { name: 'Kept' };
  const send = () => api('POST', '/emails/topics', topic, { headers: { 'Idempotency-Key': 'met' } });
  const refused = await whileMeeting('email_topics', 1000, send);
  assert.deepEqual([refused.status, refused.body.code], [503, 'unavailable'], JSON.stringify(refused.body));
  assert.ok(Number(refused.headers.get('Retry-After')) > 0);
  const made = await whileMeeting('email_topics', 3, send);
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const again = await send();
  assert.deepEqual([again.status, again.body.id], [201, made.body.id]);
  const told = await owner.query(`select 1 from email_topics where name = 'Kept'`);
  assert.equal(told.rows.length, 1);
});

test('a merge that waits too long for a lock lets others go first, and is repeated', async () => {
  const [a, b] = [await ok('POST', '/contacts', person()), await ok('POST', '/contacts', person())];
  const holder = new pg.Client({ connectionString: service.slot.env['DATABASE_MIGRATION_URL'] });
  await holder.connect();
  try {
    await holder.query('begin');
    await holder.query('select 1 from contacts where id = $1 for update', [a.id]);
    const merged = api('POST', `/contacts/${a.id}/merge`, { sourceId: b.id });
    const waiting = async () =>
      (
        await owner.query<{ since: string }>(
          `select xact_start::text as since from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        )
      ).rows[0]?.since;
    const first = await until('the merge waits', waiting);
    await until('it waits in another transaction', async () => {
      const since = await waiting();
      return since !== undefined && since !== first;
    });
    await holder.query('rollback');
    assert.equal((await merged).status, 200);
  } finally {
    await holder.end();
  }
});

test('whatever meets, nothing is a fault of ours', async () => {
  const rounds: Record<string, (a: Answer['body'], b: Answer['body'], list: number) => Promise<Answer>[]> = {
    'merge and merge': (a, b) => [
      patient('POST', `/contacts/${a.id}/merge`, { sourceId: b.id }),
      patient('POST', `/contacts/${b.id}/merge`, { sourceId: a.id }),
      patient('POST', `/contacts/${a.id}/merge`, { sourceId: b.id }),
    ],
    'merge and delete': (a, b) => [
      patient('POST', `/contacts/${a.id}/merge`, { sourceId: b.id }),
      patient('DELETE', `/contacts/${a.id}`),
      patient('DELETE', `/contacts/${b.id}`),
    ],
    'export and delete': (a, b) => [
      patient('GET', `/contacts/${a.id}/data-export`),
      patient('DELETE', `/contacts/${a.id}`),
      patient('GET', `/contacts/${b.id}/data-export`),
      patient('POST', `/contacts/${a.id}/merge`, { sourceId: b.id }),
    ],
    'update and delete': (a, b) => [
      patient('PUT', `/contacts/${a.id}`, { jobTitle: 'x', company: 'Mill' }),
      patient('DELETE', `/contacts/${a.id}`),
      patient('PUT', `/contacts/${b.id}`, { status: 'unsubscribed' }),
      patient('DELETE', `/contacts/${b.id}`),
    ],
    'update, merge and erase': (a, b) => [
      patient('PUT', `/contacts/${a.id}`, { tags: ['x'] }),
      patient('POST', `/contacts/${a.id}/merge`, { sourceId: b.id }),
      patient('PUT', `/contacts/${b.id}`, { tags: ['y'] }),
      patient('POST', `/contacts/${b.id}/erase`),
    ],
    'a list is deleted and used': (a, b, list) => [
      patient('POST', `/contacts/lists/${list}/contacts`, { contactIds: [a.id, b.id] }),
      patient('GET', `/contacts/lists/${list}`),
      patient('DELETE', `/contacts/lists/${list}`),
      patient('PUT', `/contacts/lists/${list}`, { name: 'x' }),
      patient('GET', `/contacts/lists/${list}/contacts`),
      patient('POST', `/contacts/segments/${list}/rebuild`),
      patient('DELETE', `/contacts/${a.id}`),
      patient('GET', `/contacts/${b.id}/segments`),
    ],
    'a company is deleted and used': (a, b) => [
      patient('PUT', `/contacts/${b.id}`, { companyId: a.companyId }),
      patient('DELETE', `/contacts/companies/${a.companyId}`),
      patient('PUT', `/contacts/companies/${a.companyId}`, { name: 'x' }),
      patient('GET', `/contacts/${a.id}`),
      patient('GET', `/contacts/companies/${a.companyId}/contacts`),
      patient('POST', `/contacts/${a.id}/merge`, { sourceId: b.id }),
    ],
    everything: (a, b, list) => [
      patient('POST', `/contacts/${a.id}/merge`, { sourceId: b.id }),
      patient('DELETE', `/contacts/${b.id}`),
      patient('PUT', `/contacts/${a.id}`, { status: 'unsubscribed' }),
      patient('GET', `/contacts/${a.id}/activities`),
      patient('POST', '/contacts/batch', {
        contacts: [
          { email: a.email, jobTitle: 'y' },
          { email: b.email, jobTitle: 'z' },
        ],
      }),
      patient('POST', '/scoring/events', { contactId: a.id, type: 'WEBSITE_VISITED', data: {} }),
      patient('POST', `/contacts/lists/${list}/contacts/remove`, { contactIds: [a.id] }),
      patient('GET', `/scoring/contacts/${a.id}`),
      patient('POST', '/emails/suppressions', { email: a.email }),
    ],
  };
  for (const [what, meet] of Object.entries(rounds)) {
    for (let round = 0; round < 12; round += 1) {
      const [a, b] = [
        await ok('POST', '/contacts', person({ company: `Mill ${number}` })),
        await ok('POST', '/contacts', person()),
      ];
      const { id: list } = await ok('POST', '/contacts/lists', { name: 'Met', contactIds: [a.id] });
      for (const { status, body } of await Promise.all(meet(a, b, list))) {
        assert.ok([200, 201, 202, 204, 400, 404, 409].includes(status), `${what}: ${status} ${JSON.stringify(body)}`);
      }
    }
  }
});

test('a transaction that has waited for a lock as long as it may is not repeated', async () => {
  let tries = 0;
  const attempt = tenantEm(service.deps.orm, 'default').transactional(async (tx) => {
    tries += 1;
    await tx.execute(`do $$ begin raise exception 'waited' using errcode = '55P03'; end $$`);
  });
  await assert.rejects(attempt, /waited/);
  assert.equal(tries, 1);
});
