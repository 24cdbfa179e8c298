import assert from 'node:assert/strict';
import { createServer, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, test } from '@jest/globals';
import { engineEm, rows, sql } from '../../../db/orm.ts';
import { sentTexts } from '../../support/channels/sent-texts.ts';
import { startEndpoint } from '../../support/endpoint.ts';
import { startService, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';

let service: Service;
let texts: ReturnType<typeof sentTexts>;
beforeAll(async () => {
  service = await startService({ worker: ['senders'], env: { OUTBOUND_ALLOW: '127.0.0.1/32' } });
  texts = sentTexts(service);
});
afterAll(() => service.stop());

const resetProviders = () => texts.query(sql`update channel_providers set active = false, version = version + 1`);
const addProvider = (url: string, more: object = {}, priority = 1, credentials = {}): Promise<{ id: number }> =>
  texts.call('POST', '/channels/providers', 201, {
    credentials,
    name: `Gateway ${priority}`,
    channel: 'sms',
    type: 'http',
    priority,
    config: { url, body: { to: '{{to}}', text: '{{text}}' }, idPath: 'id', ...more },
  });

/** A connection of a gateway that reads requests byte by byte. */
interface Connection {
  socket: Socket;
  /** Whether it has the whole body. */
  isWhole: boolean;
  isClosed: boolean;
  /** All of the request but its last byte has come. */
  waits: boolean;
}

/** A gateway that answers whole requests with 200, and shows those of which the last byte is missing. */
async function startGateway() {
  const connections: Connection[] = [];
  const server = createServer((socket) => {
    const one: Connection = { socket, isWhole: false, isClosed: false, waits: false };
    connections.push(one);
    let text = '';
    socket.on('data', (part) => {
      text += part.toString('latin1');
      const [head = '', ...rest] = text.split('\r\n\r\n');
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1]);
      const missing = length - rest.join('\r\n\r\n').length;
      one.waits = missing === 1;
      if (missing > 0) return;
      one.isWhole = true;
      socket.end(
        'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 10\r\nConnection: close\r\n\r\n{"id":"a"}',
      );
    });
    socket.on('error', () => undefined);
    socket.on('close', () => (one.isClosed = true));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    connections,
    close: () => {
      for (const { socket } of connections) socket.destroy();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Runs `work` while no send can be started: every start writes into this table. */
const whileStartsWait = (work: () => Promise<unknown>) =>
  engineEm(service.deps.orm).transactional(async (tx) => {
    await rows(tx, sql`lock table message_links in exclusive mode`);
    await work();
  });
/** Whether the sender waits for Postgres to start a send. */
const isStarting = async (): Promise<boolean> =>
  (await texts.query(sql`select 1 from pg_locks where relation = 'message_links'::regclass and not granted`)).length >
  0;

test('a connection that ends while the send is started: it was surely not sent, and is sent later, once', async () => {
  const gateway = await startGateway();
  await resetProviders();
  await addProvider(gateway.url);
  let id = 0;
  await whileStartsWait(async () => {
    id = await texts.send();
    await until('the start waits', async () => gateway.connections[0]?.waits && (await isStarting()));
    gateway.connections[0]!.socket.end();
    await until('the sender has noticed', () => gateway.connections[0]!.isClosed);
  });
  await texts.ends(id, 'SENT');
  assert.equal(gateway.connections[0]!.isWhole, false);
  assert.equal(gateway.connections.filter(({ isWhole }) => isWhole).length, 1);
  assert.deepEqual(await texts.attemptsOf(id), ['queued', 'sent']);
  await gateway.close();
});

test('a provider that refuses what it has not seen whole has not refused the message', async () => {
  const gateway = await startGateway();
  const other = await startEndpoint([{ status: 200, body: '{"id":"other"}' }]);
  await resetProviders();
  await addProvider(gateway.url);
  await addProvider(other.url, {}, 2);
  let id = 0;
  await whileStartsWait(async () => {
    id = await texts.send();
    await until('the start waits', async () => gateway.connections[0]?.waits && (await isStarting()));
    gateway.connections[0]!.socket.end('HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
    await until('the sender has the answer', () => gateway.connections[0]!.isClosed);
  });
  await texts.ends(id, 'SENT');
  assert.deepEqual(await texts.attemptsOf(id), ['queued', 'sent']);
  await gateway.close();
  await other.close();
});

test('a redirect after the last byte: it may have been accepted, so it is not sent again, and no other message is', async () => {
  const moved = await startEndpoint([{ status: 303, headers: { location: '/sent/1' } }]);
  const other = await startEndpoint([{ status: 200, body: '{"id":"other"}' }]);
  await resetProviders();
  await addProvider(moved.url);
  const id = await texts.send();
  await texts.ends(id, 'UNKNOWN');
  await addProvider(other.url, {}, 2);
  const next = await texts.send();
  await texts.ends(next, 'SENT');
  assert.deepEqual([(await texts.message(id)).reason, await texts.attemptsOf(id)], ['no_reply', ['unknown']]);
  assert.deepEqual([moved.received.length, other.received.length], [1, 1]);
  await moved.close();
  await other.close();
});

test('a request has the headers of the configuration, and instead of them those of the credentials', async () => {
  const endpoint = await startEndpoint([{ status: 200, body: '{"id":"a"}' }]);
  await resetProviders();
  const shown = { 'X-Account': '1', 'X-Key': 'none' };
  await addProvider(endpoint.url, { headers: shown, idempotencyHeader: 'X-Once' }, 1, {
    headers: { 'x-key': 'secret' },
  });
  const id = await texts.send();
  await texts.ends(id, 'SENT');
  const { headers } = endpoint.received[0]!;
  assert.deepEqual(
    ['x-account', 'x-key', 'x-once', 'content-type'].map((name) => headers[name]),
    ['1', 'secret', `perennial-${id}`, 'application/json'],
  );
  await endpoint.close();
});

test('a sender that stood still until its lease had ended sends nothing', async () => {
  const gateway = await startGateway();
  await resetProviders();
  await addProvider(gateway.url);
  const now = performance.now.bind(performance);
  let id = 0;
  await whileStartsWait(async () => {
    id = await texts.send();
    await until('the start waits', async () => gateway.connections[0]?.waits && (await isStarting()));
    performance.now = () => now() + 50_000;
  });
  await until('the request is cut off', () => gateway.connections[0]!.isClosed);
  await texts.ends(id, 'SENT');
  assert.equal(gateway.connections[0]!.isWhole, false);
  assert.equal(gateway.connections.filter(({ isWhole }) => isWhole).length, 1);
  await gateway.close();
});

test('a provider that knows the message by its key is asked the same again, and no other', async () => {
  const first = await startEndpoint([{ status: 500 }, { status: 200, body: '{"id":"again"}' }]);
  const second = await startEndpoint([{ status: 200, body: '{"id":"b"}' }]);
  await resetProviders();
  const { id: firstId } = await addProvider(first.url, { idempotencyHeader: 'Idempotency-Key' });
  await addProvider(second.url, {}, 2);
  const id = await texts.send('See https://example.com/a, https://example.com/b');
  await texts.triedOnce(id);
  assert.equal((await texts.message(id)).status, 'QUEUED');
  // The first provider rests; another message goes to the second one.
  const another = await texts.send();
  await texts.ends(another, 'SENT');
  await texts.query(sql`update channel_providers set version = version + 1 where id = ${firstId}`);
  await texts.ends(id, 'SENT');
  const keys = first.received.map(({ headers }) => headers['idempotency-key']);
  assert.equal(keys.length, 2);
  assert.ok(keys[0] !== undefined && keys[0] === keys[1]);
  // It may refuse the same key with another body.
  assert.equal(first.received[1]!.body, first.received[0]!.body);
  const links = await texts.query<{ url: string; position: number }>(
    sql`select url, position from message_links where message_id = ${id} order by position`,
  );
  assert.deepEqual(links, [
    { url: 'https://example.com/a', position: 1 },
    { url: 'https://example.com/b', position: 2 },
  ]);
  assert.equal(second.received.length, 1);
  assert.equal((await texts.message(id)).providerId, firstId);
  await first.close();
  await second.close();
});

const KEYED = { idempotencyHeader: 'Idempotency-Key' };

test('a provider that is asked another way might not know the key: what it may have accepted is UNKNOWN', async () => {
  const first = await startEndpoint([{ status: 500 }]);
  const other = await startEndpoint([{ status: 200, body: '{"id":"other"}' }]);
  await resetProviders();
  const request = { url: first.url, body: { to: '{{to}}', text: '{{text}}' }, headers: { 'X-Account': '1' } };
  const changed = [
    request,
    { ...request, idempotencyHeader: 'X-Once' },
    { ...request, ...KEYED, url: other.url },
    { ...request, ...KEYED, headers: { 'X-Account': '2' } },
  ];
  const providers = await Promise.all(changed.map(() => addProvider(first.url, { ...request, ...KEYED })));
  const ids = await Promise.all(
    providers.map(async ({ id: providerId }, at) => {
      const text = { to: `+44207946300${at}`, category: 'transactional', body: 'x', providerId };
      return (await texts.call('POST', '/channels/sms/send', 202, text)).messageId as number;
    }),
  );
  await Promise.all(
    ids.map(async (id, at) => {
      await texts.triedOnce(id);
      await texts.call('PUT', `/channels/providers/${providers[at]!.id}`, 200, { config: changed[at] });
      assert.equal((await texts.ends(id, 'UNKNOWN')).reason, 'no_reply');
    }),
  );
  assert.deepEqual([first.received.length, other.received.length], [4, 0]);
  await first.close();
  await other.close();
});

test('a provider with another name, priority or key to the account is asked again', async () => {
  const endpoint = await startEndpoint([{ status: 500 }, { status: 200, body: '{"id":"again"}' }]);
  await resetProviders();
  const { id: providerId } = await addProvider(endpoint.url, KEYED, 1, { headers: { 'X-Key': 'old-secret' } });
  const id = await texts.send();
  await texts.triedOnce(id);
  await texts.call('PUT', `/channels/providers/${providerId}`, 200, {
    ...{ name: 'Renamed', priority: 3, ratePerSecond: 50, credentials: { headers: { 'X-Key': 'new-secret' } } },
    config: { idempotencyHeader: 'Idempotency-Key', body: { text: '{{text}}', to: '{{to}}' }, url: endpoint.url },
  });
  await texts.ends(id, 'SENT');
  assert.deepEqual(
    endpoint.received.map(({ headers }) => [headers['idempotency-key'], headers['x-key']]),
    ['old-secret', 'new-secret'].map((secret) => [`perennial-${id}`, secret]),
  );
  await endpoint.close();
});

test('what may have been accepted is UNKNOWN, not suppressed, when it may not be sent any more', async () => {
  const endpoint = await startEndpoint([{ status: 500 }]);
  await resetProviders();
  await addProvider(endpoint.url, { idempotencyHeader: 'Idempotency-Key' });
  const contact = await texts.call('POST', '/contacts', 201, {
    ...{ email: 'doubt@example.com', firstName: 'N', lastName: 'O', phone: '+442079461099' },
  });
  const { messageId } = await texts.call('POST', '/channels/sms/send', 202, {
    ...{ recipientId: contact.id, category: 'transactional', body: 'x' },
  });
  await texts.triedOnce(messageId);
  await texts.call('DELETE', `/contacts/${contact.id}`, 204);
  await texts.ends(messageId, 'UNKNOWN');
  await endpoint.close();
});
