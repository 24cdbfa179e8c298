import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { test } from '@jest/globals';
import { endSilentReaders } from '../../../api/connections/connections.ts';
import { trackConnections } from '../../../api/connections/track-connections.ts';
import { refuseWith } from '../../../api/connections/refuse.ts';
import { AppError } from '../../../lib/checks/errors.ts';
import { onTestFinished } from '../../support/on-test-finished.ts';

const UNREAD_MS = 300;
const LARGE = Buffer.alloc(32 * 1024 * 1024, 'x');

/** A connection to a server that answers as told, whose connections end after a time without a read. */
async function connected(answer: RequestListener, unreadMs = UNREAD_MS): Promise<{ near: Socket; far: Socket }> {
  const server = createServer((request, response) => {
    drain.track(response);
    answer(request, response);
  });
  const drain = trackConnections(server);
  endSilentReaders(server, drain, unreadMs);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const accepted = once(server, 'connection') as Promise<[Socket]>;
  const near = connect((server.address() as AddressInfo).port, '127.0.0.1');
  near.on('error', () => undefined);
  const [far] = await accepted;
  onTestFinished(() => {
    near.destroy();
    server.close();
  });
  return { near, far };
}
const GET = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';

test('a client that reads nothing of its answer loses its connection', async () => {
  const { near, far } = await connected((_request, response) => response.end(LARGE));
  near.pause();
  near.write(GET);
  await once(far, 'close');
});

test('one that reads slowly gets all of it', async () => {
  // Longer than a busy machine lets a process wait, and shorter than it reads: 512 pieces of 64 KiB.
  const unreadMs = 5_000;
  const { near } = await connected((_request, response) => response.end(LARGE), unreadMs);
  near.write(GET);
  const begun = performance.now();
  let read = 0;
  for await (const piece of near as AsyncIterable<Buffer>) {
    read += piece.length;
    if (read >= LARGE.length) break;
    await new Promise((resolve) => {
      setTimeout(resolve, 15);
    });
  }
  assert.ok(performance.now() - begun > unreadMs);
  assert.ok(read >= LARGE.length, `${read} bytes`);
});

test('an answer may take long, and so may a body', async () => {
  const { near, far } = await connected((request, response) => {
    request.resume().once('end', () => setTimeout(() => response.end('late'), 4 * UNREAD_MS));
  });
  near.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\na');
  await new Promise((resolve) => {
    setTimeout(resolve, 4 * UNREAD_MS);
  });
  assert.ok(!far.destroyed);
  near.write('b');
  const [answer] = (await once(near, 'data')) as [Buffer];
  assert.match(answer.toString(), /late$/);
});

test('a connection over which nothing is asked is ended', async () => {
  const { far } = await connected((_request, response) => response.end());
  await once(far, 'close');
});

test('who is turned away keeps the connection, for the next attempt', async () => {
  const { near } = await connected(refuseWith(new AppError('unavailable')));
  near.setEncoding('latin1');
  for (let n = 0; n < 3; n += 1) {
    near.write(GET);
    const [answer] = (await once(near, 'data')) as [string];
    assert.match(answer, /^HTTP\/1\.1 503 /);
    assert.doesNotMatch(answer, /Connection: close/i);
  }
});
