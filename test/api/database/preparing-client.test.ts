import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import type pg from 'pg';
import { PREPARED, PreparingClient } from '../../../db/preparing-client.ts';
import { claimSlot, type Slot } from '../../support/slot.ts';

let slot: Slot;
let client: PreparingClient;

beforeAll(async () => {
  slot = await claimSlot();
  client = new PreparingClient({ connectionString: slot.env['DATABASE_URL'] });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await slot.release();
});

/** Of these, a connection keeps only a few. */
const LONG = `/* ${'long '.repeat(4_000)}*/`;
const times = (factor: number, comment = LONG): string => `${PREPARED}select $1::int * ${factor} as product ${comment}`;
const run = async (factor: number, value: number): Promise<number> =>
  ((await client.query(times(factor), [value])) as pg.QueryResult<{ product: number }>).rows[0]!.product;
const kept = async (): Promise<string[]> =>
  (
    (await client.query(`select statement from pg_prepared_statements order by statement`)) as pg.QueryResult<{
      statement: string;
    }>
  ).rows.map((row) => row.statement);

test('what is marked is prepared once, the last eight long ones that ran stay', async () => {
  assert.deepEqual([await run(1, 7), await run(1, 8), await run(2, 7)], [7, 8, 14]);
  assert.deepEqual(await kept(), [times(1), times(2)]);
  for (const factor of [3, 4, 5, 6, 7, 8, 1, 9]) assert.equal(await run(factor, 10), 10 * factor);
  assert.deepEqual(
    await kept(),
    [1, 3, 4, 5, 6, 7, 8, 9].map((factor) => times(factor)),
    '2 was not run for the longest time',
  );
  assert.equal(await run(2, 3), 6, 'and is prepared anew');
});

test('of short ones more than eight stay', async () => {
  const other = new PreparingClient({ connectionString: slot.env['DATABASE_URL'] });
  const factors = Array.from({ length: 30 }, (_, n) => n);
  await other.connect();
  try {
    for (const factor of factors) await other.query(times(factor, ''), [1]);
    const { rows } = (await other.query('select from pg_prepared_statements')) as pg.QueryResult;
    assert.equal(rows.length, factors.length);
  } finally {
    await other.end();
  }
});

test('a plan is not kept for ever: the tables that it was made for grow', async () => {
  const preparedAt = async (): Promise<string> =>
    (
      (await client.query(
        `select prepare_time::text as at from pg_prepared_statements where statement = '${times(2)}'`,
      )) as pg.QueryResult<{ at: string }>
    ).rows[0]!.at;
  const before = await preparedAt();
  assert.equal(await run(2, 4), 8);
  assert.equal(await preparedAt(), before, 'within its time it stays');
  client.keptMs = -1;
  assert.equal(await run(2, 5), 10);
  client.keptMs = 5_000;
  assert.ok((await preparedAt()) > before, 'it was prepared anew');
});

test('one that falls out of a transaction that has failed takes nothing with it', async () => {
  await client.query('begin');
  await assert.rejects(client.query('select 1 / 0'), /division by zero/);
  for (const factor of [11, 12, 13, 14, 15, 16, 17, 18, 19, 20]) await assert.rejects(run(factor, 1), /aborted/);
  await client.query('rollback');
  for (const factor of [11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 11]) assert.equal(await run(factor, 2), 2 * factor);
});

test('what is not marked is left alone', async () => {
  const before = await kept();
  assert.equal(((await client.query('select $1::int as n', [5])) as pg.QueryResult<{ n: number }>).rows[0]!.n, 5);
  assert.deepEqual(await kept(), before);
});
