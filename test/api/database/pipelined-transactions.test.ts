import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import pg from 'pg';
import {
  createPipelinedTransactions,
  type Asked,
  type PipelinedTransactions,
} from '../../../db/pipelined-transactions.ts';
import { createPostgresSockets } from '../../../db/postgres-sockets.ts';
import { claimSlot, type Slot } from '../../support/slot.ts';

let slot: Slot;
let pipelined: PipelinedTransactions;
let owner: pg.Client;

beforeAll(async () => {
  slot = await claimSlot();
  owner = new pg.Client({ connectionString: slot.env['DATABASE_MIGRATION_URL'] });
  await owner.connect();
  pipelined = createPipelinedTransactions(slot.env['DATABASE_URL']!, createPostgresSockets());
});
afterAll(async () => {
  await pipelined.close();
  await owner.end();
  await slot.release();
});

const seen = (value: number): Asked => [
  {
    name: 'seen',
    text: `select current_setting('app.tenant_id', true) as tenant, current_user::text as role, pg_current_xact_id()::text as transaction, $1::int as value`,
  },
  [value],
];
const quotient = (by: number): Asked => [{ name: 'quotient', text: 'select 12 / $1::int as quotient' }, [by]];

test('what is asked in one turn shares a transaction within its tenant, and none across', async () => {
  const asked = [1, 2, 3, 4, 5, 6].map((value) => ({ value, tenantId: value % 2 === 0 ? 'even' : 'odd' }));
  const [runs, [engine]] = await Promise.all([
    Promise.all(asked.map(({ value, tenantId }) => pipelined.run({ tenantId }, [seen(value), quotient(value)]))),
    pipelined.run('engine', [seen(7)]),
  ]);
  const answers = runs.map(([own, divided]) => ({ ...own![0], ...divided![0] }));
  assert.deepEqual(
    answers.map(({ value, tenant, quotient: result }) => ({ value, tenant, result })),
    asked.map(({ value, tenantId }) => ({ value, tenant: tenantId, result: Math.floor(12 / value) })),
  );
  assert.equal(new Set(answers.map(({ transaction }) => transaction)).size, 2, 'one transaction for each tenant');
  assert.equal(new Set(answers.map(({ tenant, transaction }) => JSON.stringify([tenant, transaction]))).size, 2);
  assert.equal(engine![0]!['role'], 'perennial_engine');
  assert.ok(answers.every(({ role }) => role !== 'perennial_engine'));
});

test('a statement that fails takes nobody else with it', async () => {
  const scope = { tenantId: 'even' };
  const outcomes = await Promise.allSettled([
    pipelined.run(scope, [quotient(3)]),
    pipelined.run(scope, [quotient(0)]),
    pipelined.run(scope, [quotient(4)]),
  ]);
  const [first, second, third] = outcomes;
  assert.deepEqual(first, { status: 'fulfilled', value: [[{ quotient: 4 }]] });
  assert.deepEqual(third, { status: 'fulfilled', value: [[{ quotient: 3 }]] });
  assert.ok(second.status === 'rejected' && (second.reason as pg.DatabaseError).code === '22012');
});

test('a connection that was broken is made anew', async () => {
  const { rowCount } = await owner.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'perennial' and datname = current_database()`,
  );
  assert.ok(rowCount! > 0);
  const runs = await Promise.all([1, 2, 3].map((value) => pipelined.run({ tenantId: 'odd' }, [quotient(value)])));
  assert.deepEqual(
    runs.map(([found]) => found![0]!['quotient']),
    [12, 6, 4],
  );
});
