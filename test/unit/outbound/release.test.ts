import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer as createTcpServer, type Socket } from 'node:net';
import { test } from '@jest/globals';
import type { Outbound, OutboundRequest } from '../../../domain/outbound/outbound.ts';
import { failure, listening, LOOPBACK, outbound, servingAt } from '../../support/outbound.ts';
import { until } from '../../support/until.ts';

const BODY = JSON.stringify({ to: '+15005550006', text: 'Grüße, 20 €' });
const SIZE = Buffer.byteLength(BODY);

/** What a server has seen of a request. */
interface Seen {
  request: IncomingMessage;
  response: ServerResponse;
  socket: Socket;
  bytes: Buffer;
  isAborted: boolean;
}

type React = (one: Seen) => unknown;
const atEnd = (answer: (response: ServerResponse) => unknown): React => {
  return ({ request, response }) => request.on('end', () => answer(response));
};
const thank = atEnd((response) => response.writeHead(201).end('thanks'));

/** A server that keeps what it sees of each request, and reacts to its headers in turn, the last way for ever. */
async function watching(scheme: 'http' | 'https', ...reactions: React[]): Promise<{ url: string; seen: Seen[] }> {
  const seen: Seen[] = [];
  const url = await servingAt(scheme, (request, response) => {
    const one: Seen = { request, response, socket: request.socket, bytes: Buffer.of(), isAborted: false };
    seen.push(one);
    request.on('data', (part: Buffer) => (one.bytes = Buffer.concat([one.bytes, part])));
    request.on('error', () => {});
    request.on('close', () => (one.isAborted = !request.complete));
    reactions[Math.min(seen.length, reactions.length) - 1]!(one);
  });
  return { url, seen };
}

type Release = NonNullable<OutboundRequest['release']>;

const post = (guard: Outbound, url: string, release: Release, more: Partial<OutboundRequest> = {}) =>
  guard.send({ owner: 'default', method: 'POST', url, body: BODY, release, ...more });

/** All but the last byte has come, and no more than that. */
const isHeldBack = ({ bytes, request }: Seen): boolean => bytes.length === SIZE - 1 && !request.complete;

for (const scheme of ['http', 'https'] as const) {
  test(`${scheme}: the last byte leaves after the release, over a kept connection too`, async () => {
    const { url, seen } = await watching(scheme, thank);
    const guard = outbound();
    let releases = 0;
    for (const body of [BODY, 'x', `${'y'.repeat(300_000)}€`]) {
      const {
        status,
        body: told,
        released,
      } = await guard.send({
        ...{ owner: 'default', method: 'POST', url, body, headers: { 'content-type': 'text/plain' } },
        release: async () => {
          releases += 1;
          const { bytes, request } = await until('it has come', () => seen[releases - 1]);
          await until('the rest has come', () => bytesOf(seen[releases - 1]!) === Buffer.byteLength(body) - 1);
          return !request.complete && bytes.length <= Buffer.byteLength(body);
        },
      });
      assert.deepEqual([status, told.toString(), released], [201, 'thanks', true]);
      const { bytes, request } = seen.at(-1)!;
      assert.equal(bytes.toString(), body);
      assert.equal(request.headers['content-length'], String(Buffer.byteLength(body)));
    }
    assert.equal(releases, 3);
    assert.equal(new Set(seen.map(({ socket }) => socket)).size, 1);
  });

  for (const [what, refuse] of Object.entries<Release>({
    'answers no': () => false,
    'answers no later': async () => false,
    throws: () => {
      throw new Error('the lease is lost');
    },
    rejects: () => Promise.reject(new Error('the lease is lost')),
  }))
    test(`${scheme}: a release that ${what} cuts the request off, on a kept connection too`, async () => {
      const { url, seen } = await watching(scheme, thank);
      const guard = outbound();
      const cutOff = async (): Promise<void> => {
        const before = seen.length;
        const error = await failure(
          post(guard, url, async () => {
            await until('all but the last byte has come', () => seen[before] && isHeldBack(seen[before]));
            return refuse();
          }),
        );
        assert.deepEqual([error.code, error.released], ['not_released', false]);
        assert.equal(
          (error.cause as Error | undefined)?.message,
          /thr|rej/.test(what) ? 'the lease is lost' : undefined,
        );
        const one = seen[before]!;
        await until('the server has noticed', () => one.isAborted);
        assert.equal(one.bytes.toString('hex'), Buffer.from(BODY).subarray(0, -1).toString('hex'));
      };
      await cutOff();
      assert.equal((await post(guard, url, () => true)).status, 201);
      await cutOff();
      assert.equal((await post(guard, url, () => true)).status, 201);
      const [first, second, third, fourth] = seen.map(({ socket }) => socket);
      assert.equal(second, third);
      assert.equal(new Set([first, second, fourth]).size, 3);
    });

  test(`${scheme}: a server that closes before the release got nothing, whatever the release says then`, async () => {
    const { url, seen } = await watching(
      scheme,
      () => {},
      thank,
      () => {},
      thank,
    );
    const guard = outbound();
    const closedBetween = async (): Promise<void> => {
      const before = seen.length;
      let releases = 0;
      let say!: () => void;
      const said = new Promise<void>((resolve) => (say = resolve));
      const failed = failure(
        post(guard, url, async () => {
          releases += 1;
          await until('all but the last byte has come', () => seen[before] && isHeldBack(seen[before]));
          seen[before]!.socket.destroy();
          await said;
          return true;
        }),
      );
      const { code, released } = await failed;
      say();
      assert.deepEqual([code, released, releases], ['no_answer', false, 1]);
    };
    await closedBetween();
    assert.deepEqual(await answerOf(post(guard, url, () => true)), [201, true]);
    // Over the connection that was kept. Nothing is repeated by itself.
    await closedBetween();
    assert.equal(seen.length, 3);
    assert.equal(seen[1]!.socket, seen[2]!.socket);
    assert.deepEqual(await answerOf(post(guard, url, () => true)), [201, true]);
    for (const index of [0, 2]) assert.ok(seen[index]!.isAborted && seen[index]!.bytes.length < SIZE);
  });

  test(`${scheme}: a kept connection that is closed before its next request ends it without a release`, async () => {
    const { url, seen } = await watching(scheme, thank);
    const guard = outbound();
    await post(guard, url, () => true);
    let releases = 0;
    // In this order within one turn of the event loop: the guard has not seen the end when it takes the connection.
    seen[0]!.socket.destroy();
    const error = await failure(post(guard, url, () => (releases += 1) > 0));
    assert.deepEqual([error.code, error.released, releases, seen.length], ['no_answer', false, 0, 1]);
    assert.deepEqual(await answerOf(post(guard, url, () => true)), [201, true]);
  });

  test(`${scheme}: an answer before the release is the answer, and the last byte stays here`, async () => {
    const { url, seen } = await watching(scheme, ({ response }) => response.writeHead(401).end('who?'), thank);
    const guard = outbound();
    let say!: () => void;
    const said = new Promise<void>((resolve) => (say = resolve));
    const { status, body, released } = await post(guard, url, () => said.then(() => true));
    assert.deepEqual([status, body.toString(), released], [401, 'who?', false]);
    say();
    await until('the connection is closed', () => seen[0]!.socket.destroyed);
    assert.ok(seen[0]!.bytes.length < SIZE);
    assert.deepEqual(await answerOf(post(guard, url, () => true)), [201, true]);
    assert.notEqual(seen[0]!.socket, seen[1]!.socket);
  });
}

test('a server that answers, and reads no more of the request, holds up nobody', async () => {
  const server = createTcpServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => {
      socket.pause();
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
    });
  });
  const url = `http://localhost:${await listening(server)}/`;
  // More than the buffers of both sides take.
  const large = Buffer.alloc(64 * 1024 * 1024, 'x');
  const { status, body } = await outbound().send({ owner: 'default', method: 'POST', url, body: large });
  assert.deepEqual([status, body.toString()], [200, 'ok']);
});

const bytesOf = ({ bytes }: Seen): number => bytes.length;
const answerOf = async (sent: ReturnType<Outbound['send']>): Promise<unknown[]> => {
  const { status, released } = await sent;
  return [status, released];
};

test('a server that hangs has the time from the release on; what the release takes is not its time', async () => {
  const { url } = await watching('http', thank, () => {});
  const limits = { totalMs: 300 };
  const guard = outbound();
  const slowly = () => new Promise<boolean>((resolve) => setTimeout(resolve, 600, true));
  assert.deepEqual(await answerOf(post(guard, url, slowly, { limits })), [201, true]);
  const hung = await failure(post(guard, url, slowly, { limits }));
  assert.deepEqual([hung.code, hung.message, hung.released], ['no_answer', 'no answer within 0.3 s', true]);
});

test('an early answer that does not end is none, and was not released', async () => {
  const { url, seen } = await watching('http', ({ response }) => response.writeHead(413).write('too'));
  const never = () => new Promise<boolean>(() => {});
  const error = await failure(post(outbound(), url, never, { limits: { totalMs: 200 } }));
  assert.deepEqual([error.code, error.released], ['no_answer', false]);
  await until('the connection is closed', () => seen[0]!.isAborted);
});

test('who never accepts, finishes no handshake or reads nothing is never asked for a release', async () => {
  let releases = 0;
  const release = () => (releases += 1) > 0;
  const silent = await listening(createTcpServer());
  const limits = { connectMs: 200 };
  const error = await failure(post(outbound(), `https://localhost:${silent}/`, release, { limits }));
  assert.deepEqual([error.code, error.released], ['no_answer', false]);
  const deaf = await listening(createTcpServer({ pauseOnConnect: true }));
  const big = { body: 'x'.repeat(50_000_000), limits: { totalMs: 300 } };
  const unread = await failure(post(outbound(), `http://localhost:${deaf}/`, release, big));
  assert.deepEqual([unread.code, unread.released, releases], ['no_answer', false, 0]);
});

test('a server that breaks off after the release may have acted', async () => {
  const { url } = await watching(
    'http',
    atEnd((response) => response.destroy()),
  );
  const error = await failure(post(outbound(), url, () => true));
  assert.deepEqual([error.code, error.released], ['no_answer', true]);
});

test('without a body there is nothing to release', async () => {
  for (const body of ['', Buffer.of(), undefined]) {
    const request = { owner: 'default', method: 'POST', url: 'https://example.com/', release: () => true } as const;
    await assert.rejects(outbound().send({ ...request, ...(body === undefined ? {} : { body }) }), TypeError);
  }
});

test('requests without a release tell whether they have left too', async () => {
  const { url } = await watching(
    'http',
    thank,
    atEnd((response) => response.destroy()),
  );
  const guard = outbound();
  const send = (to: string) => guard.send({ owner: 'default', method: 'POST', url: to, body: BODY });
  assert.deepEqual(await answerOf(send(url)), [201, true]);
  assert.equal((await failure(send(url))).released, true);
  const server = createTcpServer();
  const port = await listening(server);
  await new Promise((resolve) => server.close(resolve));
  assert.equal((await failure(send(`http://localhost:${port}/`))).released, false);
  assert.equal((await failure(send('https://10.0.0.1/'))).released, false);
  const full = outbound(LOOPBACK, { perHost: 0 });
  const busy = await failure(full.send({ owner: 'default', method: 'POST', url, body: BODY }));
  assert.deepEqual([busy.code, busy.released], ['busy', false]);
});
