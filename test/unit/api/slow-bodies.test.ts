import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { test } from '@jest/globals';
import { until } from '../../support/until.ts';
import { limitConnections } from '../../../api/connections/connections.ts';
import { trackConnections } from '../../../api/connections/track-connections.ts';
import { createBodyTimeout } from '../../../api/connections/slow-bodies.ts';
import { onTestFinished } from '../../support/on-test-finished.ts';

/** A server that bounds bodies and connections, with what answers it; its connections come from the addresses `from`, one after the other. */
async function listen(
  { bodyMs = 60_000, most = 100, from = [] }: { bodyMs?: number; most?: number; from?: string[] },
  handle: RequestListener,
) {
  const bound = createBodyTimeout(bodyMs);
  const server = createServer((request, response) => {
    drain.track(response);
    bound(request, response);
    handle(request, response);
  });
  const drain = trackConnections(server);
  // This machine has no network of addresses to come from.
  server.on('connection', (socket) => {
    if (from.length > 0) Object.defineProperty(socket, 'remoteAddress', { value: from.shift() });
  });
  limitConnections(server, most, drain);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const open = async (text: string): Promise<Client> => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    const client: Client = { socket, text: '', closed: once(socket, 'close') };
    socket.on('error', () => undefined);
    socket.on('data', (part: Buffer) => {
      client.text += part.toString();
    });
    await once(socket, 'connect');
    if (text) socket.write(text);
    return client;
  };
  return { server, open };
}

interface Client {
  socket: Socket;
  text: string;
  closed: Promise<unknown>;
}

const post = (length: number, type = 'application/json') =>
  `POST / HTTP/1.1\r\nHost: x\r\nContent-Type: ${type}\r\nContent-Length: ${length}\r\n\r\n`;
const echo: RequestListener = (request, response) => {
  let bytes = 0;
  request.on('data', (part: Buffer) => {
    bytes += part.length;
  });
  request.on('error', () => undefined);
  request.on('end', () => response.end(`took ${bytes}`));
};

test('a body that stops coming is a 408, and its connection ends', async () => {
  const { open } = await listen({ bodyMs: 100 }, echo);
  const client = await open(`${post(50)}{`);
  await client.closed;
  assert.match(client.text, /^HTTP\/1\.1 408 .*"code":"request_timeout"/s);
});

test('whoever reads a body that stops coming learns that it ends', async () => {
  const ends: string[] = [];
  const { open } = await listen({ bodyMs: 100 }, (request) => {
    request.on('data', () => undefined);
    for (const end of ['aborted', 'close']) request.on(end, () => ends.push(end));
  });
  const client = await open(`${post(50, 'multipart/form-data; boundary=x')}{`);
  await client.closed;
  await until('it is told', () => ends.includes('aborted') && ends.includes('close'));
});

test('one that was answered before it came is cut off', async () => {
  const { open } = await listen({ bodyMs: 100 }, (_request, response) => response.end('no'));
  const client = await open(`${post(50)}{`);
  await client.closed;
  assert.match(client.text, /^HTTP\/1\.1 200 .*no/s);
});

test('a body that trickles is over in the same time, whatever it brings', async () => {
  const { open } = await listen({ bodyMs: 100 }, echo);
  const client = await open(post(100_000));
  const drip = setInterval(() => client.socket.write('x'), 10);
  await client.closed;
  clearInterval(drip);
  assert.match(client.text, /^HTTP\/1\.1 408 /);
});

test('an upload that goes on may take its time, and one that trickles may not', async () => {
  const { open } = await listen({ bodyMs: 400 }, echo);
  const parts = 20;
  const part = Buffer.alloc(64 * 1024);
  const steady = await open(post(parts * part.length, 'multipart/form-data; boundary=x'));
  const trickle = await open(post(parts * part.length, 'multipart/form-data; boundary=x'));
  const drip = setInterval(() => trickle.socket.write('x'), 10);
  const begun = performance.now();
  for (let n = 0; n < parts; n += 1) {
    steady.socket.write(part);
    await new Promise((resolve) => setTimeout(resolve, 60));
  }
  assert.ok(performance.now() - begun > 400, 'it took longer than a body may');
  await until('it is answered', () => steady.text.includes(`took ${parts * part.length}`));
  await trickle.closed;
  clearInterval(drip);
  assert.match(trickle.text, /^HTTP\/1\.1 408 /);
});

test('what comes in time is answered as ever, and the connection stays', async () => {
  const { open } = await listen({ bodyMs: 100 }, echo);
  const client = await open(`${post(2)}ab`);
  await until('it is answered', () => client.text.includes('took 2'));
  await new Promise((resolve) => setTimeout(resolve, 250));
  client.socket.write(`${post(3)}abc`);
  await until('it is answered again', () => client.text.includes('took 3'));
});

test('over the limit the oldest connection that waits gives way: first those that never asked, then the idle, never one at work', async () => {
  const held: (() => void)[] = [];
  const { open } = await listen({ most: 4 }, (_request, response) => {
    held.push(() => response.end('done'));
  });
  const get = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';
  const answered = async (client: Client): Promise<void> => {
    while (held.length === 0) await new Promise(setImmediate);
    held.pop()!();
    await until('it is answered', () => client.text.includes('done'));
  };
  const idle = await open(get);
  await answered(idle);
  const atWork = await open(get);
  while (held.length === 0) await new Promise(setImmediate);
  const [first, second] = [await open(post(10)), await open('')];
  const fifth = await open('');
  await first.closed;
  const sixth = await open('');
  await second.closed;
  assert.deepEqual(
    [idle, atWork, fifth, sixth].map(({ socket }) => socket.destroyed),
    [false, false, false, false],
  );
  // All that never asked have gone: now the idle one.
  const [seventh, eighth] = [await open(get), await open(get)];
  await Promise.all([fifth.closed, sixth.closed]);
  while (held.length < 3) await new Promise(setImmediate);
  const ninth = await open(get);
  await idle.closed;
  while (held.length < 4) await new Promise(setImmediate);
  // Four are at work: one more is refused.
  const refused = await open(get);
  await refused.closed;
  for (const end of held) end();
  for (const client of [atWork, seventh, eighth, ninth])
    await until('what was at work is answered', () => client.text.includes('done'));
});

test('addresses of one /64 have the connections of one client, those of another have their own', async () => {
  const { open } = await listen(
    { most: 2, from: ['2001:db8::1', '2001:db8::2', '2001:db8:0:1::1', '2001:db8::ffff:3'] },
    echo,
  );
  const [first, second, other, third] = [await open(''), await open(''), await open(''), await open('')];
  await first.closed;
  assert.deepEqual(
    [second, other, third].map(({ socket }) => socket.destroyed),
    [false, false, false],
  );
});
