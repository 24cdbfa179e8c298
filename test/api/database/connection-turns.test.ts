import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { Contact } from '../../../db/entities/contacts.ts';
import {
  connect,
  connectionTurnsOf,
  engineEm,
  rows,
  sql,
  tenantEm,
  type EntityManager,
  type Orm,
} from '../../../db/orm.ts';
import { connectLogins, type Logins } from '../../support/database/logins.ts';
import { until } from '../../support/until.ts';

let logins: Logins;
let orm: Orm;
beforeAll(async () => {
  logins = await connectLogins();
  orm = await connect(logins.slot.env['DATABASE_URL']!, { poolMax: 4 });
});
afterAll(async () => {
  await orm.close();
  await logins.end();
});

/** Begins a transaction that ends when it is told to. */
async function hold(em: EntityManager): Promise<{ tx: EntityManager; end: () => Promise<void> }> {
  const [begun, over] = [Promise.withResolvers<EntityManager>(), Promise.withResolvers<void>()];
  const done = em.transactional(async (tx) => {
    begun.resolve(tx);
    await over.promise;
  });
  return {
    tx: await begun.promise,
    end: async () => {
      over.resolve();
      await done;
    },
  };
}

test('transactions count as those of their tenant, or of the engine; so do reads outside of one', async () => {
  const turns = connectionTurnsOf(orm);
  const held = await Promise.all([1, 2, 3].map(() => hold(tenantEm(orm, 'a'))));
  // The fourth connection is not for them.
  const waiting = [
    tenantEm(orm, 'a').transactional((tx) => rows(tx, sql`select 1`)),
    tenantEm(orm, 'a').findOne(Contact, { id: 1 }),
  ];
  await until('both wait', () => turns.waiting === 2);
  // A savepoint is within its transaction.
  await held[0]!.tx.transactional((tx) => rows(tx, sql`select 1`));
  await tenantEm(orm, 'b').transactional((tx) => rows(tx, sql`select 1`));
  await tenantEm(orm, 'b').findOne(Contact, { id: 1 });
  assert.equal(turns.waiting, 2);
  await held[0]!.end();
  await Promise.all(waiting);
  await Promise.all([held[1]!.end(), held[2]!.end()]);
  const ofEngine = await Promise.all([1, 2, 3, 4].map(() => hold(engineEm(orm))));
  await Promise.all(ofEngine.map(({ end }) => end()));
  assert.equal(turns.waiting, 0);
});
