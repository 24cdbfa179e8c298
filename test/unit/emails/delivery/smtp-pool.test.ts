import assert from 'node:assert/strict';
import { test } from '@jest/globals';
import { SmtpOpenError } from '../../../../worker/senders/smtp-connection.ts';
import type { Outcome } from '../../../../worker/senders/smtp-outcome.ts';
import { createSmtpPool } from '../../../../worker/senders/smtp-pool.ts';
import type { SmtpPool, SmtpPoolOptions, SmtpSlot } from '../../../../worker/senders/smtp-pool.ts';
import { startProvider } from './provider.ts';
import type { Provider } from './provider.ts';
import { onTestFinished } from '../../../support/on-test-finished.ts';

const yes = { beforeDot: () => Promise.resolve(true) };
const mail = (n: number): [{ from: string; to: string }, Buffer] => [
  { from: 'news@example.com', to: `to${n}@example.org` },
  Buffer.from(`Subject: ${n}\r\n\r\n${n}\r\n`),
];

async function setUp(options: Partial<SmtpPoolOptions> = {}): Promise<{ server: Provider; pool: SmtpPool }> {
  const server = await startProvider();
  const pool = createSmtpPool({ url: server.url, size: 3, ...options });
  onTestFinished(async () => {
    await pool.close();
    await server.close();
  });
  return { server, pool };
}

/** Sends one message over a connection of its own. */
async function sendBy(pool: SmtpPool, ...mail: Parameters<SmtpSlot['send']>): Promise<Outcome> {
  const [slot] = await pool.acquire(1);
  if (!slot) throw new Error('no SMTP connection is idle');
  try {
    return await slot.send(...mail);
  } finally {
    slot.release();
  }
}

/** Lets the server answer dots only when told to. */
function hold(server: Provider): { release: () => void; waiting: () => number } {
  const held: (() => void)[] = [];
  server.dot = () => new Promise((resolve) => held.push(() => resolve(null)));
  return { release: () => held.splice(0).forEach((go) => go()), waiting: () => held.length };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('connections are opened when needed, counted, and never more than the size', async () => {
  const { server, pool } = await setUp();
  const gate = hold(server);
  assert.deepEqual([pool.idle(), pool.busy(), server.connections], [3, 0, 0]);
  const sends = [1, 2, 3].map((n) => sendBy(pool, ...mail(n), yes));
  assert.deepEqual([pool.idle(), pool.busy()], [0, 3]);
  await assert.rejects(sendBy(pool, ...mail(4), yes), /no SMTP connection is idle/);
  while (gate.waiting() < 3) await turn();
  gate.release();
  assert.deepEqual(
    (await Promise.all(sends)).map(({ kind }) => kind),
    ['sent', 'sent', 'sent'],
  );
  assert.deepEqual([pool.idle(), pool.busy(), server.connections], [3, 0, 3]);
});

test('one connection is reused while it suffices', async () => {
  const { server, pool } = await setUp();
  for (let n = 0; n < 10; n++) assert.equal((await sendBy(pool, ...mail(n), yes)).kind, 'sent');
  assert.equal(server.connections, 1);
  assert.deepEqual(
    server.recipients,
    Array.from({ length: 10 }, (_, n) => `to${n}@example.org`),
  );
});

test('a connection is replaced after its share of messages, and after one that was not released', async () => {
  const { server, pool } = await setUp({ maxMessages: 2 });
  for (let n = 0; n < 5; n++) await sendBy(pool, ...mail(n), yes);
  assert.equal(server.connections, 3);
  assert.equal((await sendBy(pool, ...mail(5), { beforeDot: () => Promise.resolve(false) })).kind, 'not_released');
  assert.equal((await sendBy(pool, ...mail(6), yes)).kind, 'sent');
  assert.equal(server.connections, 4);
  assert.equal(server.messages.length, 6);
});

test('a connection that the server closed while idle costs no message', async () => {
  const { server, pool } = await setUp();
  await sendBy(pool, ...mail(1), yes);
  for (const connection of server.server.connections) connection.close();
  while (server.server.connections.size > 0) await turn();
  assert.equal((await sendBy(pool, ...mail(2), yes)).kind, 'sent');
  assert.equal(server.connections, 2);
});

test('an idle connection is closed after a while', async () => {
  const { server, pool } = await setUp({ idleMs: 30 });
  await sendBy(pool, ...mail(1), yes);
  assert.equal(server.server.connections.size, 1);
  while (server.server.connections.size > 0) await turn();
  assert.equal((await sendBy(pool, ...mail(2), yes)).kind, 'sent');
});

test('a provider that is down is a retry, and the pool goes on when it is back', async () => {
  const server = await startProvider();
  const pool = createSmtpPool({ url: server.url, size: 2 });
  await server.close();
  await assert.rejects(
    sendBy(pool, ...mail(1), yes),
    (error: SmtpOpenError) => error.outcome.kind === 'retry' && error.outcome.blames === 'provider',
  );
  assert.equal(pool.idle(), 2);
  const back = await startProvider({}, server.port);
  onTestFinished(async () => {
    await pool.close();
    await back.close();
  });
  assert.equal((await sendBy(pool, ...mail(2), yes)).kind, 'sent');
});

test('closing waits for what is being sent and takes no more', async () => {
  const { server, pool } = await setUp();
  const gate = hold(server);
  const sending = sendBy(pool, ...mail(1), yes);
  while (gate.waiting() < 1) await turn();
  let closed = false;
  const closing = pool.close().then(() => (closed = true));
  assert.equal(pool.idle(), 0);
  await assert.rejects(sendBy(pool, ...mail(2), yes), /no SMTP connection is idle/);
  await turn();
  assert.equal(closed, false);
  gate.release();
  assert.equal((await sending).kind, 'sent');
  await closing;
  while (server.server.connections.size > 0) await turn();
});

test('hundreds of messages at once: each arrives once', async () => {
  const { server, pool } = await setUp({ size: 10, maxMessages: 20 });
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < 500) assert.equal((await sendBy(pool, ...mail(next++), yes)).kind, 'sent');
  };
  await Promise.all(Array.from({ length: 10 }, worker));
  assert.equal(server.messages.length, 500);
  assert.equal(new Set(server.recipients).size, 500);
});

test('connections are kept for messages before these are chosen, and given back unused', async () => {
  const { server, pool } = await setUp();
  const slots = await pool.acquire(5);
  assert.deepEqual([slots.length, pool.idle(), pool.busy(), server.connections], [3, 0, 3, 3]);
  assert.deepEqual(await pool.acquire(1), []);
  const sent = slots[0]!.send(...mail(1), yes);
  slots[1]!.release();
  assert.equal(pool.idle(), 1);
  assert.equal((await sent).kind, 'sent');
  slots[2]!.release();
  assert.equal(pool.idle(), 2, 'what was sent over stays with its holder');
  slots[0]!.release();
  assert.equal((await sendBy(pool, ...mail(2), yes)).kind, 'sent');
  assert.deepEqual([pool.idle(), server.connections], [3, 3]);
});

test('a provider that is not there refuses to be acquired, and takes up no place', async () => {
  const { server, pool } = await setUp();
  await server.close();
  await assert.rejects(pool.acquire(2), SmtpOpenError);
  assert.deepEqual([pool.idle(), pool.busy()], [3, 0]);
});

test('who keeps a connection sends one message after the other over it, as many as a connection takes', async () => {
  const { server, pool } = await setUp({ size: 1, maxMessages: 3 });
  const [slot] = await pool.acquire(1);
  for (const left of [true, true, false]) {
    assert.equal((await slot!.send(...mail(1), yes)).kind, 'sent');
    assert.deepEqual([slot!.usable, pool.idle(), server.connections], [left, 0, 1]);
  }
  slot!.release();
  assert.equal((await sendBy(pool, ...mail(2), yes)).kind, 'sent');
  assert.deepEqual([pool.idle(), server.connections], [1, 2]);
});

test("a kept connection that the server closed meanwhile is replaced; while it can not be, that is the provider's fault", async () => {
  const { server, pool } = await setUp();
  const [slot] = await pool.acquire(1);
  const closeAll = (): void => {
    for (const connection of server.server.connections) connection.close();
  };
  await slot!.send(...mail(1), yes);
  closeAll();
  assert.equal((await slot!.send(...mail(2), yes)).kind, 'sent');
  assert.equal(server.connections, 2);
  closeAll();
  await server.close();
  const outcome = await slot!.send(...mail(3), yes);
  assert.deepEqual([outcome.kind, 'blames' in outcome && outcome.blames, slot!.usable], ['retry', 'provider', false]);
  slot!.release();
  assert.deepEqual([pool.idle(), pool.busy()], [3, 0]);
});
