import assert from 'node:assert/strict';
import { afterAll, beforeAll, beforeEach, test } from '@jest/globals';
import pg from 'pg';
import { createDeps, type Deps } from '../../runtime/deps.ts';
import { readEnv } from '../../config/env.ts';
import { createMetrics, type Metrics } from '../../config/metrics.ts';
import { ENGINE_ROLE } from '../../db/entities/base.ts';
import { engineEm, rows, sql, tenantEm } from '../../db/orm.ts';
import type { CloudEvent } from '../../events/contracts.ts';
import { decodeText, readMessages } from '../../transport/nats.ts';
import { OutboxTurns, type OutboxRow } from '../../transport/outbox-turns.ts';
import { appendEvents, appendWorkflow, outboxRows } from '../../events/outbox.ts';
import { startRelay, type RelayDeps } from '../../transport/relay.ts';
import { ensureStreams, EVENTS } from '../../transport/streams.ts';
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
    runJob: async () => {},
    ...overrides,
  });

/** Which of the four loops of the relay a process runs, as its metrics tell. */
const relaying = async ({ relaying: gauge }: Metrics): Promise<number[]> =>
  (await gauge.get()).values.map(({ value }) => value);

const visit = (contactId: number, url: string) => ({
  type: 'WEBSITE_VISITED' as const,
  data: { contactId, url },
});
const append = (events: ReturnType<typeof visit>[], tenantId = 'default') =>
  tenantEm(deps.orm, tenantId).transactional((tx) => appendEvents(tx, { ...origin, tenantId }, events));
/** Writes rows of 500 visits each. */
const appendBulk = (tenantId: string, bulkRows: number) =>
  append(
    Array.from({ length: bulkRows * 500 }, (_, n) => visit(6, String(n))),
    tenantId,
  );

/** Takes rows until there are no more; `between` is called after each time. */
async function takeAll(between: (times: number) => Promise<void> = async () => {}): Promise<OutboxRow[][]> {
  const client = new pg.Client({ connectionString: deps.env.DATABASE_URL });
  await client.connect();
  try {
    await client.query(`set role ${ENGINE_ROLE}`);
    const turns = new OutboxTurns();
    const taken: OutboxRow[][] = [];
    const oldest: Date[] = [];
    for (let more = true; more;) {
      const turn = await turns.take(client);
      taken.push(turn.rows);
      oldest.push(turn.oldest ?? new Date());
      more = turn.more;
      await between(taken.length);
    }
    // Nothing comes that is older than what a turn says.
    for (const [n, time] of oldest.entries())
      for (const { occurred_at } of taken.slice(n).flat()) assert.ok(occurred_at >= time);
    return taken;
  } finally {
    await client.end();
  }
}
const countOf = (taken: readonly OutboxRow[], tenantId: string): number =>
  taken.filter(({ tenant_id }) => tenant_id === tenantId).length;

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
  assert.deepEqual(await relaying(metricsOfSecond), [0, 0, 0, 0]);
  await until('the first relays all', async () => (await relaying(metricsOfFirst)).every((one) => one === 1));
  await first.stop();
  assert.deepEqual(await relaying(metricsOfFirst), [0, 0, 0, 0]);
  await append([visit(4, '2')]);
  await until('the second has relayed', async () => (await published()).length === 2);
  await until('the second relays all', async () => (await relaying(metricsOfSecond)).every((one) => one === 1));
  await second.stop();
});

test('a workflow that can not be started stays in the outbox until it can', async () => {
  const started: string[] = [];
  let failures = 2;
  await tenantEm(deps.orm, 'default').transactional((tx) =>
    appendWorkflow(tx, 'campaignResume', { tenantId: 'default', campaignId: 1, version: 2 }),
  );
  const running = relay({
    startWorkflow: async ({ type, id, input }) => {
      if (failures-- > 0) throw new Error('Temporal is away');
      started.push(`${type} ${id} ${JSON.stringify(input)}`);
    },
  });
  await until('it is started', () => started.length > 0);
  await running.stop();
  assert.deepEqual(started, [
    'campaignResume campaign-resume/default/1/2 {"version":2,"tenantId":"default","campaignId":1}',
  ]);
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

test("an event does not wait for what another tenant has written in bulk, and each tenant's keep their order", async () => {
  await appendBulk('large', 10);
  await append([visit(7, 'a')], 'small');
  await append([visit(7, 'b')], 'small');
  const running = relay();
  await until('the outbox is empty', async () => (await outboxSize()) === 0);
  await running.stop();
  const published: { tenantid: string; url: string | undefined }[] = [];
  for (let seq = 1, more = true; more;) {
    const page = await readMessages(deps.nats, EVENTS, seq, 'events.>', 1000);
    for (const { data } of page.messages) {
      const event = JSON.parse(decodeText(data)) as CloudEvent<'WEBSITE_VISITED'>;
      published.push({ tenantid: event.tenantid, url: event.data.url });
    }
    more = page.more;
    seq = (page.messages.at(-1)?.seq ?? seq) + 1;
  }
  const urlsOf = (tenantId: string) => published.flatMap(({ tenantid, url }) => (tenantid === tenantId ? [url] : []));
  assert.deepEqual(urlsOf('small'), ['a', 'b']);
  assert.deepEqual(
    urlsOf('large'),
    Array.from({ length: 5000 }, (_, n) => String(n)),
  );
  const behind = published.slice(published.findLastIndex(({ tenantid }) => tenantid === 'small') + 1);
  assert.ok(behind.length >= 2500, `only ${behind.length} are published after them`);
});

test('tenants take turns, also one that comes later', async () => {
  const tenants = Array.from({ length: 10 }, (_, n) => `bulk${n}`);
  for (const tenantId of tenants) await appendBulk(tenantId, 4);
  const taken = await takeAll(async (times) => {
    if (times === 2) await append([visit(8, 'late')], 'late');
  });
  const all = taken.flat();
  assert.equal(all.length, 41);
  assert.equal(await outboxSize(), 0);
  for (let times = 1; times <= taken.length; times += 1) {
    const soFar = tenants.map((tenantId) => countOf(taken.slice(0, times).flat(), tenantId));
    assert.ok(Math.max(...soFar) - Math.min(...soFar) <= 1, `after ${times} times: ${soFar.join(' ')}`);
  }
  for (const tenantId of tenants) {
    const ids = all.flatMap(({ tenant_id, id }) => (tenant_id === tenantId ? [id] : []));
    assert.deepEqual(
      ids,
      [...ids].sort((a, b) => a - b),
    );
  }
  const behind = taken.slice(taken.findIndex((one) => countOf(one, 'late') > 0) + 1).flat();
  assert.ok(behind.length >= 20, `only ${behind.length} rows come after the late one`);
});

test('a tenant with large rows gets no more than one with many small ones', async () => {
  await appendBulk('large', 8);
  for (let n = 0; n < 100; n += 1) await append([visit(9, String(n))], 'many');
  const taken = await takeAll();
  assert.equal(countOf(taken[0]!, 'many'), 100);
  assert.equal(countOf(taken.flat(), 'large'), 8);
  assert.ok(countOf(taken[0]!, 'large') < 8);
});

test('more tenants than are taken at once, and more rows than are taken of one', async () => {
  await engineEm(deps.orm).transactional((tx) =>
    rows(
      tx,
      sql`
      insert into outbox_events (tenant_id, type, occurred_at, events)
      select case when n <= 1200 then 't' || n else 'one' end, 'WEBSITE_VISITED', now(), '[]' from generate_series(1, 2400) n`,
    ),
  );
  const taken = await takeAll();
  assert.equal(new Set(taken.flat().map(({ id }) => id)).size, 2400);
  assert.equal(await outboxSize(), 0);
});
