import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { createSmtpPool } from '../../../worker/senders/smtp-pool.ts';
import type { SmtpPool, SmtpPoolOptions } from '../../../worker/senders/smtp-pool.ts';
import { startProvider } from './provider.ts';
import type { Provider } from './provider.ts';

const yes = { beforeDot: () => Promise.resolve(true) };
const mail = (n: number): [{ from: string; to: string }, Buffer] => [
  { from: 'news@example.com', to: `to${n}@example.org` },
  Buffer.from(`Subject: ${n}\r\n\r\n${n}\r\n`),
];

async function setUp(t: TestContext, options: Partial<SmtpPoolOptions> = {}): Promise<{ server: Provider; pool: SmtpPool }> {
  const server = await startProvider();
  const pool = createSmtpPool({ url: server.url, size: 3, ...options });
  t.after(async () => {
    await pool.close();
    await server.close();
  });
  return { server, pool };
}

/** Lets the server answer dots only when told to. */
function hold(server: Provider): { release: () => void; waiting: () => number } {
  const held: (() => void)[] = [];
  server.dot = () => new Promise((resolve) => held.push(() => resolve(null)));
  return { release: () => held.splice(0).forEach((go) => go()), waiting: () => held.length };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('connections are opened when needed, counted, and never more than the size', async (t) => {
  const { server, pool } = await setUp(t);
  const gate = hold(server);
  assert.deepEqual([pool.idle(), pool.busy(), server.connections], [3, 0, 0]);
  const sends = [1, 2, 3].map((n) => pool.send(...mail(n), yes));
  assert.deepEqual([pool.idle(), pool.busy()], [0, 3]);
  await assert.rejects(pool.send(...mail(4), yes), /no SMTP connection is idle/);
  while (gate.waiting() < 3) await turn();
  gate.release();
  assert.deepEqual((await Promise.all(sends)).map(({ kind }) => kind), ['sent', 'sent', 'sent']);
  assert.deepEqual([pool.idle(), pool.busy(), server.connections], [3, 0, 3]);
});

test('one connection is reused while it suffices', async (t) => {
  const { server, pool } = await setUp(t);
  for (let n = 0; n < 10; n++) assert.equal((await pool.send(...mail(n), yes)).kind, 'sent');
  assert.equal(server.connections, 1);
  assert.deepEqual(server.recipients, Array.from({ length: 10 }, (_, n) => `to${n}@example.org`));
});

test('a connection is replaced after its share of messages, and after one that was not released', async (t) => {
  const { server, pool } = await setUp(t, { maxMessages: 2 });
  for (let n = 0; n < 5; n++) await pool.send(...mail(n), yes);
  assert.equal(server.connections, 3);
  assert.equal((await pool.send(...mail(5), { beforeDot: () => Promise.resolve(false) })).kind, 'not_released');
  assert.equal((await pool.send(...mail(6), yes)).kind, 'sent');
  assert.equal(server.connections, 4);
  assert.equal(server.messages.length, 6);
});

test('a connection that the server closed while idle costs no message', async (t) => {
  const { server, pool } = await setUp(t);
  await pool.send(...mail(1), yes);
  for (const connection of server.server.connections) connection.close();
  while (server.server.connections.size > 0) await turn();
  assert.equal((await pool.send(...mail(2), yes)).kind, 'sent');
  assert.equal(server.connections, 2);
});

test('an idle connection is closed after a while', async (t) => {
  const { server, pool } = await setUp(t, { idleMs: 30 });
  await pool.send(...mail(1), yes);
  assert.equal(server.server.connections.size, 1);
  while (server.server.connections.size > 0) await turn();
  assert.equal((await pool.send(...mail(2), yes)).kind, 'sent');
});

test('a provider that is down is a retry, and the pool goes on when it is back', async (t) => {
  const server = await startProvider();
  const pool = createSmtpPool({ url: server.url, size: 2 });
  await server.close();
  const outcome = await pool.send(...mail(1), yes);
  assert.deepEqual([outcome.kind, 'providerFault' in outcome && outcome.providerFault], ['retry', true]);
  assert.equal(pool.idle(), 2);
  const back = await startProvider({}, server.port);
  t.after(async () => {
    await pool.close();
    await back.close();
  });
  assert.equal((await pool.send(...mail(2), yes)).kind, 'sent');
});

test('closing waits for what is being sent and takes no more', async (t) => {
  const { server, pool } = await setUp(t);
  const gate = hold(server);
  const sending = pool.send(...mail(1), yes);
  while (gate.waiting() < 1) await turn();
  let closed = false;
  const closing = pool.close().then(() => (closed = true));
  assert.equal(pool.idle(), 0);
  await assert.rejects(pool.send(...mail(2), yes), /closed/);
  await turn();
  assert.equal(closed, false);
  gate.release();
  assert.equal((await sending).kind, 'sent');
  await closing;
  while (server.server.connections.size > 0) await turn();
});

test('hundreds of messages at once: each arrives once', async (t) => {
  const { server, pool } = await setUp(t, { size: 10, maxMessages: 20 });
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < 500) assert.equal((await pool.send(...mail(next++), yes)).kind, 'sent');
  };
  await Promise.all(Array.from({ length: 10 }, worker));
  assert.equal(server.messages.length, 500);
  assert.equal(new Set(server.recipients).size, 500);
});
