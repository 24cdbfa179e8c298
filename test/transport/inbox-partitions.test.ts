import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import pg from 'pg';
import { createDeps, type Deps } from '../../runtime/deps.ts';
import { readEnv } from '../../config/env.ts';
import { keepPartitions } from '../../worker/keep-partitions.ts';
import { claimSlot, type Slot } from '../support/slot.ts';
import { until } from '../support/until.ts';

let slot: Slot;
let deps: Deps & { close: () => Promise<void> };
let owner: pg.Client;
/** What consumers do: two at work at once. */
let slow: pg.Client;
let other: pg.Client;
async function connected(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client;
}
beforeAll(async () => {
  slot = await claimSlot();
  deps = await createDeps(readEnv({ LOG_LEVEL: 'silent', SMTP_URL: 'smtp://127.0.0.1:1', ...slot.env }), 'test');
  owner = await connected(slot.env['DATABASE_MIGRATION_URL']!);
  slow = await connected(slot.env['DATABASE_URL']!);
  other = await connected(slot.env['DATABASE_URL']!);
  for (const client of [slow, other]) await client.query('set role perennial_engine');
});
afterAll(async () => {
  for (const client of [slow, other, owner]) await client.end();
  await deps.close();
  await slot.release();
});

const partitions = async () =>
  (
    await owner.query<{ name: string }>(
      `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'inbox'::regclass order by 1`,
    )
  ).rows.map((row) => row.name);
/** Late events of a day that has no partition of its own. */
const takeIn = (client: pg.Client) =>
  client.query(
    `insert into inbox (tenant_id, consumer, event_id, day) values ('default', 'test', gen_random_uuid(), '2019-01-01')`,
  );
const makeOld = () =>
  owner.query(`create table inbox_20200101 partition of inbox for values from ('2020-01-01') to ('2020-01-02')`);
/** What it comes to, or that it has not within ten seconds. */
const soon = <T>(work: Promise<T>) =>
  Promise.race([
    work,
    new Promise((resolve) => {
      setTimeout(resolve, 10_000, 'held up').unref();
    }),
  ]);

test('partitions are made for the next days, and dropped after a month', async () => {
  await makeOld();
  await keepPartitions(deps);
  const names = await partitions();
  assert.equal(names.length, 4, names.join());
  assert.ok(!names.includes('inbox_20200101'));
  await keepPartitions(deps);
  assert.deepEqual(await partitions(), names);
});

const work = { dropping: makeOld, making: async () => owner.query(`drop table ${(await partitions()).at(-2)}`) };
for (const [what, prepare] of Object.entries(work)) {
  test(`${what} one holds no consumer up behind another that takes long: it gives up, and is done the next time`, async () => {
    await keepPartitions(deps);
    const names = await partitions();
    await prepare();
    await slow.query('begin');
    await takeIn(slow);
    let over = false;
    const kept = keepPartitions(deps)
      .then(
        () => 'kept',
        (error: Error) => error.message,
      )
      .finally(() => {
        over = true;
      });
    try {
      await until(
        'it waits',
        async () =>
          over ||
          (
            await owner.query(`
        select 1 from pg_locks where not granted and database = (select oid from pg_database where datname = current_database())`)
          ).rows.length > 0,
      );
      assert.notEqual(await soon(takeIn(other)), 'held up');
      assert.match(String(await soon(kept)), /lock timeout/);
    } finally {
      await slow.query('rollback');
      await kept;
    }
    await keepPartitions(deps);
    assert.deepEqual(await partitions(), names);
  });
}
