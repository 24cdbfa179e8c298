import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, test } from '@jest/globals';
import { findBinary } from '../../dev/binaries.mjs';
import { freePorts } from '../../dev/stack/ports.ts';
import { startService as startProcess, untilReady } from '../../dev/service.ts';
import { ensureCopies, insideOf } from '../../transport/copies.ts';
import { connectNats, encode, type Nats } from '../../transport/nats.ts';
import { ensureStreams, EVENTS, LISTENER_REQUESTS } from '../../transport/streams.ts';
import { attack, connectTo, makeVictims, notRefused, settle, stateOf } from '../support/listener.ts';
import { claimSlot, type Slot } from '../support/slot.ts';
import { until } from '../support/until.ts';
import { tempDir } from '../unit/dev/temp-dir.ts';
import { onTestFinished } from '../support/on-test-finished.ts';

const SUBJECTS = [
  'events.default.CONTACT_CREATED',
  'events.default.EMAIL_SENT',
  'email.send.requests',
  'email.send.requests.L1',
  'tracking.hits',
  'files.key.0',
  'kept-files.key.0',
  'dead.scoring',
];

/** nats-server with a configuration of its own; returns the address with a login. */
async function startServer(
  config: (port: number, storeDir: string) => string,
): Promise<(user: string, password: string) => string> {
  const dir = tempDir();
  const [port = 0] = await freePorts(1);
  await mkdir(join(dir, 'store'));
  await writeFile(join(dir, 'nats.conf'), config(port, join(dir, 'store')));
  const server = await startProcess({
    name: 'NATS',
    command: await findBinary('nats-server', { log() {} }),
    args: ['--config', join(dir, 'nats.conf')],
    logFile: join(dir, 'nats.log'),
  });
  onTestFinished(() => server.stop());
  await untilReady(
    server,
    async () =>
      (await fetch(`http://127.0.0.1:${port}`).catch((error: Error) => {
        if (/ECONNREFUSED/.test(String(error.cause))) throw error;
      })) && undefined,
  );
  return (user, password) => `nats://${user}:${password}@127.0.0.1:${port}`;
}

async function connectService(url: string): Promise<Nats> {
  const nats = await connectNats(url, 'test');
  onTestFinished(() => nats.connection.close());
  await ensureStreams(nats.jsm, { EVENTS_MAX_AGE: '7d', FORM_FILES_MAX_BYTES: 1024 ** 2 });
  return nats;
}

async function connectListener(url: string) {
  const connection = await connectTo(url);
  onTestFinished(() => connection.close());
  return connection;
}

const copied = async (nats: Nats, account: string): Promise<number> =>
  (await (await insideOf(nats, { account, tenantId: null })).jsm.streams.info(EVENTS)).state.messages;

let slot: Slot;
beforeAll(async () => {
  slot = await claimSlot();
});
afterAll(() => slot.release());

test('a listener can ask, hear and say nothing but what it needs to read the events', async () => {
  const nats = await connectService(slot.env['NATS_URL']!);
  await ensureCopies(nats, [{ account: slot.listeners.account, tenantId: null }], '7d');
  await makeVictims(nats, SUBJECTS);
  const before = await stateOf(nats);
  assert.deepEqual(await notRefused(await connectListener(slot.listeners.url)), []);
  assert.deepEqual(await settle(nats), before);
});

test('with the rights that it has, a listener changes nothing of the service, whatever subjects it names', async () => {
  const nats = await connectService(slot.env['NATS_URL']!);
  const copy = { account: slot.listeners.account, tenantId: null };
  await until('the events are in the copy', async () => (await copied(nats, copy.account)) === 2);
  const before = await settle(nats);
  const listener = await connectListener(slot.listeners.url);
  await attack(listener);
  // What asks for mail may name another address for the answer as well.
  listener.publish('email.send.requests', '{}', { reply: '$JS.API.STREAM.PURGE.EVENTS' });
  await listener.flush();
  await until(
    'the request is there',
    async () => (await nats.jsm.streams.info(LISTENER_REQUESTS)).state.messages === 2,
  );
  await nats.jsm.streams.deleteMessage(LISTENER_REQUESTS, 2);
  const [after, ids] = [
    await settle(nats),
    (state: unknown) =>
      (state as [{ name: string }, unknown, unknown][]).filter(([{ name }]) => name !== LISTENER_REQUESTS),
  ];
  assert.deepEqual(ids(after), ids(before));
  // All that it could harm is the copy in its own account, and that is made again.
  await ensureCopies(nats, [copy], '7d');
  await nats.js.publish('events.default.EMAIL_OPENED', '{}');
  await until('the copy goes on', async () => (await copied(nats, copy.account)) >= 1);
});

test('an answer to the service is not heard by a listener', async () => {
  const nats = await connectService(slot.env['NATS_URL']!);
  const listener = await connectListener(slot.listeners.url);
  const heard: string[] = [];
  listener.subscribe('_INBOX.>', { callback: (_error, message) => heard.push(message.subject) });
  await listener.flush();
  await nats.js.publish('events.default.EMAIL_CLICKED', '{}');
  await nats.jsm.streams.info(EVENTS);
  // It hears what it asked for itself, and that comes later.
  await listener.request('$JS.API.INFO');
  await until('it hears itself', () => heard.length > 0);
  assert.equal(heard.length, 1);
});

test('the same permissions within one account would let it purge and delete what it may not even see', async () => {
  const url = await startServer(
    (port, storeDir) => `
    host: 127.0.0.1, port: ${port}, jetstream { store_dir: ${JSON.stringify(storeDir)} }
    authorization { users: [
      { user: perennial, password: p }
      { user: listener, password: l, permissions: {
        publish: ["$JS.API.CONSUMER.CREATE.EVENTS.>", "$JS.API.CONSUMER.INFO.EVENTS.*", "$JS.API.CONSUMER.MSG.NEXT.EVENTS.*", "$JS.ACK.EVENTS.>", "email.send.requests"]
        subscribe: ["_INBOX.>"] } }
    ] }`,
  );
  const nats = await connectService(url('perennial', 'p'));
  await makeVictims(nats, SUBJECTS);
  const names = async () => (await nats.jsm.streams.names().next()).sort();
  const before = await names();
  await attack(await connectListener(url('listener', 'l')));
  await until('streams are gone', async () => (await names()).length < before.length);
});

test("the configuration in docs/operating.md: a listener of all events, and one of a tenant's alone", async () => {
  const text = await readFile('docs/operating.md', 'utf8');
  const fragment = /```conf\n([^]*?)```/.exec(text)?.[1] ?? '';
  const url = await startServer(
    (port, storeDir) =>
      `host: 127.0.0.1\nport: ${port}\njetstream { store_dir: ${JSON.stringify(storeDir)} }\n${fragment}`,
  );
  const copies = [
    { account: 'LISTENERS', tenantId: null },
    { account: 'ACME', tenantId: 'acme' },
  ];
  const nats = await connectService(url('perennial', 'service-secret'));
  await ensureCopies(nats, copies, '7d');
  await makeVictims(nats, [...SUBJECTS, 'events.acme.CONTACT_CREATED', 'events.other.CONTACT_CREATED']);
  await until(
    'the copies are full',
    async () => (await copied(nats, 'LISTENERS')) === 4 && (await copied(nats, 'ACME')) === 1,
  );
  const before = await stateOf(nats);
  for (const [user, password, expected] of [
    ['listener', 'listener-secret', 4],
    ['acme', 'acme-secret', 1],
  ] as const) {
    const listener = await connectListener(url(user, password));
    await (
      await listener.jetstreamManager()
    ).consumers.add(EVENTS, { durable_name: 'mine', ack_policy: 'explicit' as never });
    const messages = await (
      await listener.jetstream().consumers.get(EVENTS, 'mine')
    ).fetch({ max_messages: 10, expires: 2_000 });
    const subjects: string[] = [];
    for await (const message of messages) {
      subjects.push(message.subject);
      assert.ok(await message.ackAck());
    }
    assert.equal(subjects.length, expected, user);
    if (user === 'acme') assert.deepEqual(subjects, ['events.acme.CONTACT_CREATED']);
    assert.deepEqual(await notRefused(listener), [], user);
    await attack(listener);
  }
  assert.deepEqual(await settle(nats), before);
  const tenant = await connectListener(url('acme', 'acme-secret'));
  await assert.rejects(tenant.request('email.send.requests', encode({}), { timeout: 2_000 }), /permissions violation/i);
});
