import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { connect, rows, sql, tenantEm, type Orm } from '../../../db/orm.ts';
import { cutLine, type CutLine } from '../../support/database/cut-line.ts';
import { claimSlot, type Slot } from '../../support/slot.ts';

const POOL = 2;
let slot: Slot;
let line: CutLine;
let orm: Orm;

beforeAll(async () => {
  slot = await claimSlot();
  const url = new URL(slot.env['DATABASE_URL']!);
  line = await cutLine(url.hostname, Number(url.port));
  url.port = String(line.port);
  orm = await connect(url.href, { poolMax: POOL });
});
afterAll(async () => {
  await line.cut();
  await slot.release();
});

/** One after another, more than the pool has places. */
async function lose(cutAt: string, work: () => Promise<unknown>): Promise<void> {
  for (let time = 0; time <= POOL; time += 1) {
    line.cutAt = null;
    assert.equal(await ask(), 1, 'the pool still has a place');
    line.cutAt = cutAt;
    await assert.rejects(work());
  }
  line.cutAt = null;
}

const transaction = (work: string) => tenantEm(orm, 'default').transactional((tx) => rows(tx, sql`${sql.raw(work)}`));
const ask = async (): Promise<unknown> =>
  tenantEm(orm, 'default').transactional(async (tx) => (await rows<{ n: number }>(tx, sql`select 1 as n`))[0]!.n);

for (const [when, cutAt, work] of [
  ['at the begin of a transaction', 'begin', 'select 2'],
  ['before its first statement', 'set_config', 'select 2'],
  ['in the middle of it', 'select 2', 'select 2'],
  ['at its commit', 'commit', 'select 2'],
  ['at its rollback', 'rollback', 'select 2 / 0'],
] as const) {
  test(`a connection that breaks ${when} holds no place in the pool`, () => lose(cutAt, () => transaction(work)));
}

test('nor does one that breaks while its transaction is at something else', async () => {
  await lose('nothing', () =>
    tenantEm(orm, 'default').transactional(async (tx) => {
      await rows(tx, sql`select 2`);
      await line.cut();
      await line.mend();
      await rows(tx, sql`select 3`);
    }),
  );
});

test('nor does one outside a transaction', () => lose('select 4', () => orm.em.fork().execute('select 4')));

test('the pool ends, though a transaction never gave its connection back', async () => {
  line.cutAt = 'select 2';
  await assert.rejects(transaction('select 2'));
  await orm.close();
});
