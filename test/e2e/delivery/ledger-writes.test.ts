import assert from 'node:assert/strict';
import pg from 'pg';
import { afterAll, beforeAll, test } from '@jest/globals';
import { engineEm, sql } from '../../../db/orm.ts';
import { leaseSends, type LeasedSend } from '../../../domain/channels/ledger/lease-sends.ts';
import type { SendSettlement } from '../../../domain/channels/ledger/settle-sends.ts';
import { LedgerWrites } from '../../../worker/channels/ledger-writes.ts';
import { rowOf } from '../../../worker/channels/prepare.ts';
import { channelsOf } from '../../support/channels.ts';
import { startService, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';

const HOLDER = 'messages-test';

let service: Service;
let query: ReturnType<typeof channelsOf>['engine'];
let ledger: LedgerWrites;
let owner: pg.Client;
/** Sees what Postgres does while `owner` is in a transaction. */
let watcher: pg.Client;
beforeAll(async () => {
  service = await startService();
  query = channelsOf(service).engine;
  ledger = new LedgerWrites(service.deps, HOLDER, 600);
  [owner, watcher] = [1, 2].map(
    () => new pg.Client({ connectionString: service.slot.env['DATABASE_MIGRATION_URL']! }),
  ) as [pg.Client, pg.Client];
  await Promise.all([owner.connect(), watcher.connect()]);
});
afterAll(async () => {
  await Promise.all([owner.end(), watcher.end()]);
  await service.stop();
});

/** Queues texts to numbers. */
const queue = (count: number, tenantId = 'default') =>
  query(sql`
    with m as (
      insert into messages (tenant_id, send_key, channel, category, to_address, status, content)
      select ${tenantId}, 'writes/' || gen_random_uuid(), 'sms', 'transactional', '+442079461' || lpad(n::text, 3, '0'), 'QUEUED', '{"body":"Hi"}'
      from generate_series(1, ${count}::int) n returning id)
    insert into message_sends (tenant_id, message_id, type, lane) select ${tenantId}, id, 'sms', 'transactional' from m`);
const lease = (limit: number) =>
  leaseSends(engineEm(service.deps.orm), { holder: HOLDER, lane: 'transactional', limit, seconds: 600 });

/** Leases new texts to numbers. */
async function leased(count: number): Promise<LeasedSend[]> {
  await queue(count);
  const sends = await lease(count);
  assert.equal(sends.length, count);
  return sends;
}
const start = (send: LeasedSend) => ledger.start({ ...rowOf(send), isSendable: true });
const settle = (send: LeasedSend, fields: Partial<SendSettlement> = {}) =>
  ledger.settle({
    ...{ id: send.id, tenantId: send.tenantId, messageId: send.messageId, attempt: 1, providerId: null },
    ...{ wasTried: true, result: 'SENT', reason: null, providerMessageId: null, reply: null },
    ...fields,
  });
/** Locks the message of a send until `rollback`. */
async function lock({ messageId }: LeasedSend): Promise<void> {
  await owner.query('begin');
  await owner.query('select id from messages where id = $1 for update', [messageId]);
}
const waiting = `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%for no key update of m%'`;
const waits = () => until('the ledger waits for the lock', async () => (await watcher.query(waiting)).rows.length > 0);
const statuses = async (sends: readonly LeasedSend[]): Promise<string[]> => {
  const found = await query<{ id: number; status: string }>(sql`
    select id, status from message_sends where id = any(${sends.map(({ id }) => id)}::bigint[])`);
  return sends.map(({ id }) => found.find((row) => row.id === id)!.status);
};

test('what has come is stored in one transaction: settlements and starts', async () => {
  const [first, second, third] = (await leased(3)) as [LeasedSend, LeasedSend, LeasedSend];
  assert.deepEqual(await start(first), { id: first.id, status: 'SENDING', attempt: 1 });
  const [, started, again] = await Promise.all([settle(first), start(second), start(third)]);
  assert.deepEqual(
    [started, again],
    [second, third].map(({ id }) => ({ id, status: 'SENDING', attempt: 1 })),
  );
  assert.deepEqual(await statuses([first, second, third]), ['SENT', 'SENDING', 'SENDING']);
  const [times] = await query<{ n: number }>(sql`
    select count(distinct updated_at) as n from message_sends where id = any(${[first.id, second.id, third.id]}::bigint[])`);
  assert.equal(times!.n, 1);
  assert.equal(await start(third), null, 'it holds no lease of it any more');
});

test('a start is not stored before a settlement that came before it, however long that takes', async () => {
  const [before, after] = (await leased(2)) as [LeasedSend, LeasedSend];
  await start(before);
  await lock(before);
  const settled = settle(before);
  await waits();
  const started = start(after);
  try {
    // A start that did not wait would get there within a few round trips of Postgres.
    for (let looks = 0; looks < 20; looks += 1)
      assert.deepEqual(await statuses([before, after]), ['SENDING', 'QUEUED']);
  } finally {
    await owner.query('rollback');
  }
  assert.equal((await started)?.status, 'SENDING');
  await settled;
  assert.deepEqual(await statuses([before, after]), ['SENT', 'SENDING']);
});

test('a start whose message is locked is left out, and holds back nothing', async () => {
  const [ended, locked, next] = (await leased(3)) as [LeasedSend, LeasedSend, LeasedSend];
  await start(ended);
  await lock(locked);
  try {
    const [, leftOut, started] = await Promise.all([settle(ended), start(locked), start(next)]);
    assert.equal(leftOut, null);
    assert.equal(started?.status, 'SENDING');
    assert.deepEqual(await statuses([ended, locked, next]), ['SENT', 'QUEUED', 'SENDING']);
  } finally {
    await owner.query('rollback');
  }
  assert.equal((await start(locked))?.status, 'SENDING');
});

test('a start that Postgres refuses is told apart, and the others are started', async () => {
  const [refused, next] = (await leased(2)) as [LeasedSend, LeasedSend];
  const [first, second] = await Promise.all([
    ledger.start({ ...rowOf(refused), isSendable: true, encoding: 'a\0b' }),
    start(next),
  ]);
  assert.deepEqual([first?.status, second?.status], ['REFUSED', 'SENDING']);
  assert.deepEqual(await statuses([refused, next]), ['QUEUED', 'SENDING']);
});

test('a settlement that Postgres refuses holds back neither other settlements nor starts', async () => {
  const [refused, good, next] = (await leased(3)) as [LeasedSend, LeasedSend, LeasedSend];
  await Promise.all([refused, good].map(start));
  const results = await Promise.all([settle(refused, { result: 'FAILED', reply: 'a\0b' }), settle(good), start(next)]);
  assert.deepEqual(results[2], { id: next.id, status: 'SENDING', attempt: 1 });
  assert.deepEqual(await statuses([refused, good, next]), ['SENDING', 'SENT', 'SENDING']);
});

test('when a transaction fails, its settlements are stored by the next one, and its starts are uncertain', async () => {
  const [before, after] = (await leased(2)) as [LeasedSend, LeasedSend];
  await start(before);
  await lock(before);
  const both = Promise.all([settle(before), start(after)]);
  await waits();
  await watcher.query(`select pg_terminate_backend(pid) from (${waiting}) w`);
  await owner.query('rollback');
  const [, started] = await both;
  assert.equal(started?.status, 'UNCERTAIN');
  assert.deepEqual(await statuses([before, after]), ['SENT', 'QUEUED']);
});

test('a number on the opt-out list of its provider is opted out by its settlement, beside others', async () => {
  const [out, other, next] = (await leased(3)) as [LeasedSend, LeasedSend, LeasedSend];
  await Promise.all([out, other].map(start));
  const [, , started] = await Promise.all([
    settle(out, { result: 'FAILED', reason: 'address_unsubscribed', suppress: 'unsubscribed' }),
    settle(other, { result: 'FAILED', reason: 'address_invalid', suppress: 'invalid' }),
    start(next),
  ]);
  assert.equal(started?.status, 'SENDING');
  assert.deepEqual(await statuses([out, other, next]), ['FAILED', 'FAILED', 'SENDING']);
  const suppressed = await query(sql`
    select address, reason from channel_suppressions where source = 'provider' order by reason`);
  assert.deepEqual(suppressed, [
    { address: other.address, reason: 'invalid' },
    { address: out.address, reason: 'unsubscribed' },
  ]);
  const consents = await query(sql`select status, source from text_consents where address = ${out.address}`);
  assert.deepEqual(consents, [{ status: 'unsubscribed', source: 'provider' }]);
});

test('a lease is as large as it may be, shared by the tenants that have something to lease', async () => {
  await queue(10);
  await queue(10, 'other');
  const tenantsOf = async (limit: number) => (await lease(limit)).map(({ tenantId }) => tenantId).sort();
  assert.deepEqual(await tenantsOf(4), ['default', 'default', 'other', 'other']);
  // The rest of one tenant: from then on, it has nothing that is free.
  await query(
    sql`update message_sends set holder = ${HOLDER}, lease_until = now() + interval '10 minutes' where tenant_id = 'other'`,
  );
  assert.deepEqual(await tenantsOf(6), Array(6).fill('default'));
});
