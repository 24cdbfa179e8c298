import assert from 'node:assert/strict';
import { test } from '@jest/globals';
import { ConnectionTurns } from '../../../db/connection-turns.ts';

interface Begun {
  name: string;
  end: () => void;
}

/** Transactions of names like `a1`, of the tenant `a` (`engine1`: of the engine), that end when they are told to. */
function transactionsIn(turns: ConnectionTurns) {
  const begun: Begun[] = [];
  const begin = (name: string): Promise<void> => {
    const holder = name.replace(/\d+$/, '');
    return turns.run(holder === 'engine' ? null : holder, () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      begun.push({ name, end: resolve });
      return promise;
    });
  };
  const namesBegun = (): string[] => begun.map(({ name }) => name);
  /** Ends the one that has been at work for longest, and waits until the next one has begun. */
  const endOldest = async (): Promise<void> => {
    begun.shift()!.end();
    await new Promise(setImmediate);
  };
  return { begin, begun, namesBegun, endOldest };
}

test("tenants take turns, and so do transactions of one tenant; every second turn is the engine's", async () => {
  const { begin, namesBegun, endOldest } = transactionsIn(new ConnectionTurns(1, 0));
  const all = ['a1', 'a2', 'a3', 'b1', 'engine1', 'engine2', 'engine3', 'b2', 'engine4', 'engine5'].map(begin);
  const order: string[] = [];
  for (let n = 0; n < all.length; n += 1) {
    await new Promise(setImmediate);
    order.push(...namesBegun());
    await endOldest();
  }
  await Promise.all(all);
  assert.deepEqual(order, ['a1', 'engine1', 'a2', 'engine2', 'b1', 'engine3', 'a3', 'engine4', 'b2', 'engine5']);
});

test('a tenant holds three quarters of the connections at most, the engine all', async () => {
  const turns = new ConnectionTurns(8, 0);
  const { begin, begun, namesBegun } = transactionsIn(turns);
  const all = ['a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'a7', 'b1', 'b2', 'b3'].map(begin);
  await new Promise(setImmediate);
  assert.deepEqual(namesBegun(), ['a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'b1', 'b2']);
  assert.equal(turns.waiting, 2);
  // b has fewer than it may, and a has all that it may.
  begun.find(({ name }) => name === 'b1')!.end();
  await new Promise(setImmediate);
  assert.equal(namesBegun().at(-1), 'b3');
  for (let ended = 0; ended < all.length; ended += 1) {
    begun[ended]!.end();
    await new Promise(setImmediate);
  }
  await Promise.all(all);
  const engine = transactionsIn(turns);
  const its = Array.from({ length: 9 }, (_, n) => engine.begin(`engine${n}`));
  await new Promise(setImmediate);
  assert.equal(engine.begun.length, 8);
  while (engine.begun.length > 0) await engine.endOldest();
  await Promise.all(its);
});

test('one that fails gives its connection back; one that waits for too long fails, and needs none', async () => {
  const turns = new ConnectionTurns(1, 50);
  const waits: number[] = [];
  turns.onTurn = (seconds) => waits.push(seconds);
  await assert.rejects(
    turns.run('a', () => Promise.reject(new Error('of the work'))),
    /of the work/,
  );
  const { begin, begun, namesBegun, endOldest } = transactionsIn(turns);
  const held = begin('a1');
  await assert.rejects(begin('b1'), /^Error: timeout exceeded when trying to connect$/);
  assert.deepEqual([turns.waiting, namesBegun()], [0, ['a1']]);
  assert.ok(waits.length === 3 && waits.at(-1)! >= 0.049, String(waits));
  await endOldest();
  await held;
  const next = begin('b2');
  await new Promise(setImmediate);
  begun[0]!.end();
  await next;
});
