import assert from 'node:assert/strict';
import { afterAll, beforeAll, beforeEach, test } from '@jest/globals';
import pg from 'pg';
import { createDeps, type Deps } from '../../runtime/deps.ts';
import { readEnv } from '../../config/env.ts';
import { createMetrics, type Metrics } from '../../config/metrics.ts';
import { engineEm, rows, sql, tenantEm } from '../../db/orm.ts';
import type { CloudEvent } from '../../events/contracts.ts';
import { appendEvents, appendWorkflow, outboxRows } from '../../events/outbox.ts';
import { startRelay, type RelayDeps } from '../../events/relay.ts';
import { ensureStreams, EVENTS } from '../../events/streams.ts';
import { claimSlot, type Slot } from '../support/slot.ts';
import { until } from '../support/until.ts';

let slot: Slot;
let deps: Deps & { close: () => Promise<void> };
const origin = { tenantId: 'default', requestId: 'request-1' };

beforeAll(async () => {
  slot = await claimSlot();
  deps = await createDeps(readEnv({ LOG_LEVEL: 'silent', SMTP_URL: 'smtp://127.0.0.1:1', ...slot.env }), 'test');
  await ensureStreams(deps.nats.jsm, deps.env);
});
afterAll(async () => {
  await deps.close();
  await slot.release();
});
beforeEach(async () => {
  await deps.nats.jsm.streams.purge(EVENTS);
  await engineEm(deps.orm).transactional((tx) => rows(tx, sql`delete from outbox_events`));
});

const relay = (overrides: Partial<Pick<RelayDeps, 'databaseUrl' | 'metrics' | 'startWorkflow'>> = {}) =>
  startRelay({
    databaseUrl: deps.env.DATABASE_URL,
    nats: deps.nats,
    log: deps.log,
    metrics: deps.metrics,
    startWorkflow: async () => {},
    ...overrides,
  });

/** Which of the three tables a process relays, as its metrics tell. */
const relaying = async ({ relaying: gauge }: Metrics): Promise<number[]> =>
  (await gauge.get()).values.map(({ value }) => value);

const visit = (contactId: number, url: string) => ({
  type: 'WEBSITE_VISITED' as const,
  data: { contactId, url },
});
const append = (events: ReturnType<typeof visit>[]) =>
  tenantEm(deps.orm, 'default').transactional((tx) => appendEvents(tx, origin, events));

async function published(): Promise<CloudEvent<'WEBSITE_VISITED'>[]> {
  const { state } = await deps.nats.jsm.streams.info(EVENTS);
  const events = [];
  for (let seq = state.first_seq; seq <= state.last_seq && state.messages > 0; seq += 1) {
    const message = await deps.nats.jsm.streams.getMessage(EVENTS, { seq });
    assert.equal(message.header.get('Nats-Msg-Id'), message.json<CloudEvent>().id);
    assert.equal(message.subject, 'events.default.WEBSITE_VISITED');
    events.push(message.json<CloudEvent<'WEBSITE_VISITED'>>());
  }
  return events;
}

const outboxSize = async () =>
  (
    await engineEm(deps.orm).transactional((tx) =>
      rows<{ n: number }>(tx, sql`select count(*) as n from outbox_events`),
    )
  )[0]!.n;

test('events become CloudEvents on the stream, in order, and leave the outbox', async () => {
  const ids = await append([visit(1, 'a'), visit(1, 'b')]);
  await append([visit(1, 'c')]);
  const running = relay();
  await until('the outbox is empty', async () => (await outboxSize()) === 0);
  await running.stop();
  const events = await published();
  assert.deepEqual(
    events.map((event) => event.data.url),
    ['a', 'b', 'c'],
  );
  assert.deepEqual(
    events.slice(0, 2).map((event) => event.id),
    ids,
  );
  const { id, time, ...rest } = events[0]!;
  assert.match(id, /^[0-9a-f-]{36}$/);
  assert.deepEqual(rest, {
    specversion: '1.0',
    source: 'perennial',
    type: 'WEBSITE_VISITED',
    datacontenttype: 'application/json',
    tenantid: 'default',
    requestid: 'request-1',
    data: { contactId: 1, url: 'a', tenantId: 'default', timestamp: time },
  });
});

test('events of one type share a row; each keeps its own time and request id', async () => {
  const times = [3_000, 1_000, 2_000].map((ms) => new Date(1_760_000_000_000 + ms));
  await tenantEm(deps.orm, 'default').transactional((tx) =>
    appendEvents(tx, origin, [
      { ...visit(5, 'a'), at: times[0]! },
      { ...visit(5, 'b'), at: times[1]!, requestId: 'request-2' },
      { ...visit(5, 'c'), at: times[2]!, requestId: null },
    ]),
  );
  assert.equal(await outboxSize(), 1);
  const running = relay();
  await until('the outbox is empty', async () => (await outboxSize()) === 0);
  await running.stop();
  const events = await published();
  assert.deepEqual(
    events.map(({ time, requestid, data }) => [data.url, time, data.timestamp, requestid]),
    [
      ['a', times[0]!.toISOString(), times[0]!.toISOString(), 'request-1'],
      ['b', times[1]!.toISOString(), times[1]!.toISOString(), 'request-2'],
      ['c', times[2]!.toISOString(), times[2]!.toISOString(), 'request-1'],
    ],
  );
});

test('a rolled back transaction publishes nothing', async () => {
  await assert.rejects(
    tenantEm(deps.orm, 'default').transactional(async (tx) => {
      await appendEvents(tx, origin, [visit(2, 'never')]);
      throw new Error('no');
    }),
    /no/,
  );
  assert.equal(await outboxSize(), 0);
});

test('outside a transaction nothing is written', async () => {
  await assert.rejects(appendEvents(tenantEm(deps.orm, 'default'), origin, [visit(2, 'never')]), /em.transactional/);
});

test('a relay that dies after publishing and before its commit publishes again, as the same messages', async () => {
  await append([visit(3, 'once')]);
  // Its commit waits for a lock that the test holds, and its connection is killed while it waits.
  const admin = new pg.Client({ connectionString: deps.env.DATABASE_MIGRATION_URL });
  await admin.connect();
  await admin.query('select pg_advisory_lock(42)');
  await admin.query(
    'create function hold() returns trigger language plpgsql as $$ begin perform pg_advisory_xact_lock(42); return null; end $$',
  );
  await admin.query(
    'create constraint trigger hold_commit after delete on outbox_events deferrable initially deferred for each row execute function hold()',
  );
  const running = relay();
  await until('the message is on the stream', async () => (await published()).length === 1);
  const victim = await until(
    'its commit waits',
    async () =>
      (
        await admin.query(
          `select pid from pg_stat_activity where application_name = 'perennial-relay-outbox_events' and wait_event = 'advisory'`,
        )
      ).rows[0] as { pid: number } | undefined,
  );
  await admin.query('select pg_terminate_backend($1)', [victim.pid]);
  await admin.query('select pg_advisory_unlock(42)');
  await until('the outbox is empty', async () => (await outboxSize()) === 0);
  await running.stop();
  await admin.query('drop function hold() cascade');
  await admin.end();
  assert.equal((await published()).length, 1);
});

test('one of two relays publishes, and the second takes over', async () => {
  const [metricsOfFirst, metricsOfSecond] = [createMetrics(), createMetrics()];
  const first = relay({ metrics: metricsOfFirst });
  await append([visit(4, '1')]);
  await until('the first has relayed', async () => (await published()).length === 1);
  const second = relay({ metrics: metricsOfSecond });
  assert.deepEqual(await relaying(metricsOfSecond), [0, 0, 0]);
  await until('the first relays all', async () => (await relaying(metricsOfFirst)).every((one) => one === 1));
  await first.stop();
  assert.deepEqual(await relaying(metricsOfFirst), [0, 0, 0]);
  await append([visit(4, '2')]);
  await until('the second has relayed', async () => (await published()).length === 2);
  await until('the second relays all', async () => (await relaying(metricsOfSecond)).every((one) => one === 1));
  await second.stop();
});

test('a workflow that can not be started stays in the outbox until it can', async () => {
  const started: string[] = [];
  let failures = 2;
  await tenantEm(deps.orm, 'default').transactional((tx) =>
    appendWorkflow(tx, 'importUndo', { tenantId: 'default', importId: 1 }),
  );
  const running = relay({
    startWorkflow: async ({ type, id, input }) => {
      if (failures-- > 0) throw new Error('Temporal is away');
      started.push(`${type} ${id} ${JSON.stringify(input)}`);
    },
  });
  await until('it is started', () => started.length > 0);
  await running.stop();
  assert.deepEqual(started, ['importUndo import-undo/default/1 {"importId":1,"tenantId":"default"}']);
});

test('a bulk of events becomes rows of at most 500 of one type', () => {
  const made = outboxRows(
    origin,
    Array.from({ length: 12_000 }, (_, n) => visit(n % 3000, String(n))),
  );
  assert.equal(new Set(made.ids).size, 12_000);
  assert.equal(
    made.rows.reduce((sum, row) => sum + row.events.length, 0),
    12_000,
  );
  assert.deepEqual(
    made.rows.map((row) => row.events.length),
    Array.from({ length: 24 }, () => 500),
  );
});
