/**
 * What is recorded of deliveries, without a worker: proofs, lists and replays of periods that begin or end where a day
 * does, as what was told is in partitions by day; what receivers answer about who is erased meanwhile; and retries.
 */
import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import pg from 'pg';
import { engineEm, rows, sql, tenantEm, type EntityManager } from '../../../db/orm.ts';
import { listDeliveries } from '../../../domain/webhooks/deliveries/list-deliveries.ts';
import { recordDeliveries } from '../../../domain/webhooks/deliveries/record-deliveries.ts';
import { settleDeliveries, type Settlement } from '../../../domain/webhooks/deliveries/settle-deliveries.ts';
import { eraseStoredEvents } from '../../../domain/webhooks/content/stored-events.ts';
import { replayPage } from '../../../domain/webhooks/deliveries/replay.ts';
import { holding } from '../../support/accounts.ts';
import { eventOf } from '../../support/events.ts';
import { startService, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';

const DAY_MS = 86_400_000;
const TODAY_MS = Math.floor(Date.now() / DAY_MS) * DAY_MS;

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const engine = <T>(query: Parameters<typeof rows>[1]) =>
  engineEm(service.deps.orm).transactional((tx) => rows<T>(tx, query));

/** A webhook that is not active, and was told at these times; each day has partitions. */
async function makeTold(times: readonly number[]): Promise<number> {
  const made = await service.api('POST', '/webhooks', {
    ...{ name: 'CRM', url: 'https://example.com/', types: ['CONTACT_CREATED'], active: false },
  });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const { id } = made.body;
  const matches = times.map((_, n) => ({
    ...{ event: eventOf('CONTACT_CREATED', { contactId: n + 1 }), endpointIds: [id], contactId: null },
  }));
  const recorded = await engineEm(service.deps.orm).transactional((tx) => recordDeliveries(tx, matches));
  assert.equal(recorded, times.length);
  const told = sql`json_to_recordset(${JSON.stringify(times.map((at, n) => ({ s: n + 1, at: new Date(at) })))}::json) as r(s bigint, at timestamptz)`;
  await engine(sql`select ensure_webhook_partitions(day) from (select distinct r.at::date as day from ${told}) days`);
  await engine(sql`
    update webhook_events v set day = r.at::date from ${told}
    join webhook_deliveries d on d.endpoint_id = ${id} and d.sequence = r.s where v.id = d.event`);
  await engine(sql`
    update webhook_deliveries d set at = r.at, day = r.at::date from ${told} where d.endpoint_id = ${id} and d.sequence = r.s`);
  return id;
}

const midnight = TODAY_MS - 5 * DAY_MS;
const hour = 3_600_000;
const times = [
  midnight - DAY_MS,
  midnight - 1,
  midnight,
  midnight + 1,
  midnight + 23 * hour,
  midnight + DAY_MS - 1,
  midnight + DAY_MS,
  midnight + 2 * DAY_MS + 12 * hour,
];
/** An instant, said in a zone in which it may be another day. */
const inZone = (ms: number, hours: number) =>
  new Date(ms + hours * hour)
    .toISOString()
    .replace('Z', `${hours < 0 ? '-' : '+'}${String(Math.abs(hours)).padStart(2, '0')}:00`);

test('a period has what was told from its beginning on and before its end, whatever the day and the zone', async () => {
  const id = await makeTold(times);
  const edges = [midnight - 1, midnight, midnight + 1, midnight + DAY_MS - 1, midnight + DAY_MS, midnight + DAY_MS + 1];
  for (const from of [undefined, ...edges]) {
    for (const to of [undefined, ...edges]) {
      const wanted = times.flatMap((at, n) => (at >= (from ?? 0) && at < (to ?? Infinity) ? [n + 1] : []));
      const period = new URLSearchParams({
        ...(from === undefined ? {} : { from: inZone(from, 14) }),
        ...(to === undefined ? {} : { to: inZone(to, -11) }),
      });
      const of = String(period);
      const { body: proof } = await service.api('GET', `/webhooks/${id}/proof?${of}`);
      assert.deepEqual(
        [proof.matched, proof.held, proof.firstSequence, proof.lastSequence],
        [wanted.length, wanted.length, wanted[0] ?? null, wanted.at(-1) ?? null],
        of,
      );
      const { body: list } = await service.api('GET', `/webhooks/${id}/deliveries?sort=id&status=HELD&${of}`);
      assert.deepEqual(
        list.data.map(({ sequence }: { sequence: number }) => sequence),
        wanted,
        of,
      );
    }
  }
});

test('a replay sends what was told in its period, and nothing of the days around', async () => {
  const id = await makeTold(times);
  await engine(sql`update webhook_deliveries set status = 'FAILED', reason = 'too_old' where endpoint_id = ${id}`);
  const { body: replay, status } = await service.api('POST', `/webhooks/${id}/replay`, {
    from: inZone(midnight, 14),
    to: inZone(midnight + DAY_MS, -11),
  });
  assert.equal(status, 202, JSON.stringify(replay));
  assert.deepEqual(await replayPage(tenantEm(service.deps.orm, 'default'), replay.id), { done: true });
  const { body: done } = await service.api('GET', `/webhooks/replays/${replay.id}`);
  assert.deepEqual([done.examined, done.replayed], [4, 4]);
  const { body: held } = await service.api('GET', `/webhooks/${id}/deliveries?sort=id&status=HELD`);
  assert.deepEqual(
    held.data.map(({ sequence }: { sequence: number }) => sequence),
    [3, 4, 5, 6],
  );
});

/** What came of sending a delivery of today for the first time. */
const settlementOf = (endpointId: number, sequence: number, delaySeconds: number | null): Settlement => ({
  ...{ tenantId: 'default', endpointId, sequence, day: new Date(TODAY_MS).toISOString().slice(0, 10), attempts: 0 },
  attempt: { at: new Date(), status: 200, ms: 1, error: 'Ada is unknown', response: 'Ada is unknown' },
  ...{ delaySeconds, isWaitedFor: false },
});
const eraseAll = () =>
  engineEm(service.deps.orm).transactional((tx) => eraseStoredEvents(tx, 'default', () => sql`true`));
const listOf = async (id: number) =>
  (await service.api('GET', `/webhooks/${id}/deliveries?sort=id`)).body.data.map(
    ({ status, reason, attempts }: { status: string; reason: string; attempts: object[] }) => ({
      status,
      reason,
      attempts,
    }),
  );

test('what was on its way when its person was erased is settled, and what the receiver answers is not kept', async () => {
  const id = await makeTold([TODAY_MS, TODAY_MS + 1]);
  await eraseAll();
  await settleDeliveries(engineEm(service.deps.orm), [settlementOf(id, 1, null), settlementOf(id, 2, 5)], []);
  const [delivered, failed] = await listOf(id);
  assert.deepEqual(
    [delivered.status, delivered.attempts.length, delivered.attempts[0].response],
    ['DELIVERED', 1, null],
  );
  assert.deepEqual(failed, { status: 'FAILED', reason: 'erased', attempts: [] });
});

test('an erasure that waits for a delivery to be settled empties what the receiver answered', async () => {
  const id = await makeTold([TODAY_MS, TODAY_MS + 1]);
  const settled = Promise.withResolvers<number>();
  const waitedFor = Promise.withResolvers<void>();
  const settling = engineEm(service.deps.orm).transactional(async (tx) => {
    await settleDeliveries(tx, [settlementOf(id, 1, null), settlementOf(id, 2, 5)], []);
    settled.resolve((await rows<{ pid: number }>(tx, sql`select pg_backend_pid() as pid`))[0]!.pid);
    await waitedFor.promise;
  });
  const pid = await settled.promise;
  const erasing = eraseAll();
  await until('the erasure waits', async () => {
    const waiting = await engine(sql`select 1 from pg_stat_activity where ${pid}::int = any(pg_blocking_pids(pid))`);
    return waiting.length > 0;
  });
  waitedFor.resolve();
  await Promise.all([settling, erasing]);
  const [delivered, failed] = await listOf(id);
  assert.deepEqual([delivered.status, delivered.attempts[0].response], ['DELIVERED', null]);
  assert.deepEqual([failed.status, failed.reason], ['FAILED', 'erased']);
  assert.deepEqual([failed.attempts[0].response, failed.attempts[0].error], [null, null]);
});

test('an erasure looks for deliveries only in the days of its events', async () => {
  const id = await makeTold([TODAY_MS]);
  const others = await makeTold([midnight]);
  await engine(sql`update webhook_events set data = null where day < ${new Date(TODAY_MS)}::timestamptz::date`);
  const day = new Date(midnight).toISOString().slice(0, 10).replaceAll('-', '');
  await holding(service, `lock table webhook_deliveries_${day} in access exclusive mode`, eraseAll);
  assert.deepEqual([(await listOf(id))[0].reason, (await listOf(others))[0].reason], ['erased', null]);
});

test('a retry is in the audit log, with the delivery and who asked for it', async () => {
  const id = await makeTold([TODAY_MS, TODAY_MS + 1]);
  assert.equal((await service.api('POST', `/webhooks/${id}/deliveries/2/retry`)).status, 202);
  assert.equal((await service.api('POST', `/webhooks/${id}/deliveries/3/retry`)).status, 404);
  const { body } = await service.api('GET', `/auth/audit-log?resourceType=webhook&resourceId=${id}`);
  const retries = body.data.filter(({ action }: { action: string }) => action === 'webhook.delivery_retried');
  assert.deepEqual(
    retries.map(({ actorName, after }: { actorName: string; after: unknown }) => [actorName, after]),
    [['admin', { deliveryId: 2 }]],
  );
});

/** Stores many deliveries of today of an endpoint, all delivered, and lets Postgres know what is there. */
async function storeMany(endpointId: number, tenantId: string, count: number): Promise<void> {
  const owner = new pg.Client({ connectionString: service.slot.env['DATABASE_MIGRATION_URL'] });
  await owner.connect();
  try {
    await owner.query(`select ensure_webhook_partitions(current_date)`);
    await owner.query(
      `with told as (
         insert into webhook_events (day, tenant_id, event_id, type, time, contact_id, data)
         select current_date, $2, gen_random_uuid(), 'CONTACT_CREATED', now(), n, '{}' from generate_series(1, $3::int) n returning id)
       insert into webhook_deliveries (endpoint_id, sequence, day, tenant_id, event, type, subject, at, status, attempts, most_attempts)
       select $1, row_number() over (order by id), current_date, $2, id, 'CONTACT_CREATED', 'contact:x', now(), 'DELIVERED', 1, 10 from told`,
      [endpointId, tenantId, count],
    );
    await owner.query(`update webhook_lanes set last_sequence = $2, cursor = $2 where endpoint_id = $1`, [
      endpointId,
      count,
    ]);
    await owner.query('vacuum analyze webhook_events');
    await owner.query('vacuum analyze webhook_deliveries');
  } finally {
    await owner.end();
  }
}
/** The rows that work reads of tables with such names, in its transaction. */
async function readBy(tx: EntityManager, name: string, work: () => Promise<unknown>): Promise<number> {
  // They may have counts of earlier transactions of the session.
  const counted = async () =>
    (
      await rows<{ n: number }>(
        tx,
        sql`
        select coalesce(sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0)), 0)::int as n
        from pg_stat_xact_user_tables where relname like ${`${name}%`}`,
      )
    )[0]!.n;
  const before = await counted();
  await work();
  return (await counted()) - before;
}

test('what waits for a delivery is due when that has ended, although its contact was merged while it was on its way', async () => {
  const id = await makeTold([TODAY_MS, TODAY_MS + 1]);
  const change = (changes: ReturnType<typeof sql>) =>
    engine(sql`update webhook_deliveries set ${changes} where endpoint_id = ${id}`);
  await change(sql`subject = 'contact/1', next_attempt_at = now() + interval '5 hours'`);
  const tried = { ...settlementOf(id, 1, null), isWaitedFor: true };
  await change(sql`subject = 'contact/2'`);
  await settleDeliveries(engineEm(service.deps.orm), [tried], []);
  const due = await engine<{ s: number }>(
    sql`select sequence as s from webhook_deliveries where endpoint_id = ${id} and next_attempt_at <= now()`,
  );
  assert.deepEqual(due, [{ s: 2 }]);
});

test('an event that many endpoints want takes no more time for each of them than one that few want', async () => {
  await engine(sql`
    insert into webhook_lanes (tenant_id, endpoint_id, active) select 'many', 2000000 + n, false from generate_series(1, 10000) n`);
  const timeForEach = async (endpoints: number): Promise<number> => {
    const endpointIds = Array.from({ length: endpoints }, (_, n) => 2_000_001 + n);
    const event = eventOf('CONTACT_CREATED', { contactId: 1 }, new Date(), 'many');
    const begun = performance.now();
    const recorded = await engineEm(service.deps.orm).transactional((tx) =>
      recordDeliveries(tx, [{ event, endpointIds, contactId: null }]),
    );
    assert.equal(recorded, endpoints);
    return (performance.now() - begun) / endpoints;
  };
  const bestOf = async (endpoints: number): Promise<number> =>
    Math.min(await timeForEach(endpoints), await timeForEach(endpoints), await timeForEach(endpoints));
  const [few, many] = [await bestOf(500), await bestOf(10_000)];
  assert.ok(many < 5 * few, `${many} ms for each of many, ${few} ms of few`);
});

test('few deliveries with a status are found among many without reading those', async () => {
  const id = await makeTold([]);
  await storeMany(id, 'default', 5_000);
  const change = (sequence: number, changes: ReturnType<typeof sql>) =>
    engine(sql`update webhook_deliveries set ${changes} where endpoint_id = ${id} and sequence = ${sequence}`);
  await change(7, sql`status = 'FAILED', reason = 'too_old'`);
  await change(9, sql`status = 'PENDING', next_attempt_at = now() + interval '1 hour'`);
  await change(5_000, sql`status = 'PENDING', attempts = 0`);
  await engine(sql`update webhook_lanes set cursor = 4999 where endpoint_id = ${id}`);
  const expected = { FAILED: [7], HELD: [5_000, 9], PENDING: [], SENDING: [] };
  for (const [status, wanted] of Object.entries(expected)) {
    let found: number[] = [];
    const read = await tenantEm(service.deps.orm, 'default').transactional((tx) =>
      readBy(tx, 'webhook_deliveries', async () => {
        found = (await listDeliveries(tx, id, { status })).data.map(({ sequence }) => sequence);
      }),
    );
    assert.deepEqual(found, wanted, status);
    assert.ok(read < 100, `${status}: ${read} rows were read`);
  }
});

test('an erasure reads the events of its tenant, and not all deliveries of their days', async () => {
  const id = await makeTold([TODAY_MS]);
  await storeMany(id + 1_000_000, 'another', 50_000);
  const erase = (told: string) =>
    engineEm(service.deps.orm).transactional(async (tx) => {
      let deliveries = 0;
      const events = await readBy(tx, 'webhook_events', async () => {
        deliveries = await readBy(tx, 'webhook_deliveries', () =>
          eraseStoredEvents(tx, 'default', (event) => sql`strpos(${event.told}, ${told}) > 0`),
        );
      });
      return { events, deliveries };
    });
  const read = await erase('"contactId"');
  assert.ok(read.events < 12_000, `${read.events} events were read`);
  assert.ok(read.deliveries < 30_000, `${read.deliveries} deliveries were read`);
  assert.equal((await listOf(id))[0].reason, 'erased');
});
