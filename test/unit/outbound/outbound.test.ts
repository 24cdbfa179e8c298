import assert from 'node:assert/strict';
import { promises as dns } from 'node:dns';
import { createServer as createTcpServer, type Socket } from 'node:net';
import { test } from '@jest/globals';
import { createResolver } from '../../../domain/outbound/guarded-lookup.ts';
import { createOutbound, type Outbound } from '../../../domain/outbound/outbound.ts';
import { startNameServer } from '../../support/name-server.ts';
import { onTestFinished } from '../../support/on-test-finished.ts';
import { bodyOf, failure, listening, LOOPBACK, outbound, serving, servingAt } from '../../support/outbound.ts';
import { until } from '../../support/until.ts';

const post = (guard: Outbound, url: string, owner = 'default') =>
  guard.send({ owner, method: 'POST', url, body: '{"a":1}', headers: { 'content-type': 'application/json' } });

test('a request comes as it was sent, over one kept connection', async () => {
  const seen: unknown[] = [];
  const ports = new Set<number>();
  const port = await serving((request, response) => {
    ports.add(request.socket.remotePort!);
    void bodyOf(request).then((body) => {
      seen.push([request.method, request.url, request.headers['content-length'], body]);
      response.writeHead(201, { 'x-say': 'yes' }).end('thanks');
    });
  });
  const guard = outbound();
  for (let n = 0; n < 2; n += 1) {
    const { status, headers, body } = await post(guard, `http://127.0.0.1:${port}/hook?x=1#part`);
    assert.deepEqual([status, headers['x-say'], body.toString()], [201, 'yes', 'thanks']);
  }
  assert.deepEqual(seen, Array(2).fill(['POST', '/hook?x=1', '7', '{"a":1}']));
  assert.equal(ports.size, 1);
});

test('of idle connections only so many are kept, over all hosts: those that were used last', async () => {
  const made = new Set<Socket>();
  const closed = new Set<Socket>();
  const seen = (socket: Socket): void => {
    if (made.has(socket)) return;
    made.add(socket);
    socket.on('close', () => closed.add(socket));
  };
  const urls: string[] = [];
  for (const scheme of ['http', 'https', 'http'] as const)
    urls.push(await servingAt(scheme, (request, response) => (seen(request.socket), response.end())));
  const [a, b, c] = urls as [string, string, string];
  const guard = outbound(LOOPBACK, { idle: 2 });
  // The first is used between, so that the second has been idle longest when the third comes.
  for (const url of [...Array<string>(15).fill(a), b, a, c]) await post(guard, url);
  await until('the second is closed', () => closed.size === 1);
  assert.deepEqual([...closed], [[...made][1]]);
  for (const url of [a, c, b]) await post(guard, url);
  await until('the first is closed', () => closed.size === 2);
  assert.deepEqual([made.size, [...closed][1]], [4, [...made][0]]);
});

test('a name that leads to loopback is refused at the connection, and nothing is connected to', async () => {
  let connections = 0;
  const server = createTcpServer(() => (connections += 1));
  const port = await listening(server);
  const error = await failure(post(outbound(''), `https://localhost:${port}/`));
  assert.deepEqual(
    [error.code, error.message],
    ['outbound_refused', 'localhost leads to no address that may be called'],
  );
  assert.equal((await failure(post(outbound('10.0.0.0/8'), `http://localhost:${port}/`))).code, 'outbound_refused');
  assert.equal((await failure(post(outbound(''), `https://127.0.0.1:${port}/`))).code, 'outbound_refused');
  assert.equal(connections, 0);
});

test('a name that leads to an allowed address is reached', async () => {
  const port = await serving((_request, response) => response.end());
  assert.equal((await post(outbound(), `http://localhost:${port}/`)).status, 200);
});

test('a redirect is an answer and is not followed', async () => {
  const paths: string[] = [];
  const port = await serving((request, response) => {
    paths.push(request.url!);
    response.writeHead(302, { location: '/elsewhere' }).end();
  });
  assert.equal((await post(outbound(), `http://127.0.0.1:${port}/here`)).status, 302);
  assert.deepEqual(paths, ['/here']);
});

test('who never answers, answers without end, or not with HTTP, has given no answer', async () => {
  const silent = await listening(createTcpServer(() => {}));
  const limits = { totalMs: 300 };
  const told = await failure(post(outbound(LOOPBACK, limits), `http://127.0.0.1:${silent}/`));
  assert.deepEqual([told.code, told.message], ['no_answer', 'no answer within 0.3 s']);
  const dripping = await serving((_request, response) => {
    response.writeHead(200);
    const timer = setInterval(() => response.write('.'), 20);
    response.on('close', () => clearInterval(timer));
  });
  assert.equal(
    (await failure(post(outbound(LOOPBACK, limits), `http://127.0.0.1:${dripping}/`))).message,
    'no answer within 0.3 s',
  );
  const closing = await listening(createTcpServer((socket) => socket.end()));
  assert.equal((await failure(post(outbound(), `http://127.0.0.1:${closing}/`))).code, 'no_answer');
  const babbling = await listening(createTcpServer((socket) => socket.end('hello\r\n\r\n')));
  assert.match((await failure(post(outbound(), `http://127.0.0.1:${babbling}/`))).message, /^HPE_/);
  const breaking = await serving((_request, response) => {
    response.writeHead(200, { 'content-length': '100' });
    response.write('part', () => response.destroy());
  });
  assert.equal((await failure(post(outbound(), `http://127.0.0.1:${breaking}/`))).code, 'no_answer');
});

test('the time to connect, with the TLS handshake, is limited by itself', async () => {
  const silent = await listening(createTcpServer(() => {}));
  const error = await failure(post(outbound(LOOPBACK, { connectMs: 200 }), `https://127.0.0.1:${silent}/`));
  assert.equal(error.message, 'no connection within 0.2 s');
});

test('a closed port is no answer, and the message has no address in it', async () => {
  const server = createTcpServer(() => {});
  const port = await listening(server);
  await new Promise((resolve) => server.close(resolve));
  const closed = await failure(post(outbound(), `http://127.0.0.1:${port}/`));
  assert.deepEqual([closed.code, closed.message], ['no_answer', 'ECONNREFUSED']);
});

test('a name that there is not is refused with the words of one that leads to a private address', async () => {
  const refused = await failure(post(outbound(''), 'https://localhost/'));
  const resolver = createResolver();
  const failing = (code: string) => () => Promise.reject(Object.assign(new Error('lookup'), { code }));
  Object.assign(resolver, { resolve4: failing('ENOTFOUND'), resolve6: failing('ENOTFOUND') });
  const { lookup } = dns;
  onTestFinished(() => void Object.assign(dns, { lookup }));
  const guard = createOutbound([], {}, resolver);
  const told = () => failure(post(guard, 'https://no-such-name.internal/'));
  Object.assign(dns, { lookup: failing('ENOTFOUND') });
  const unknown = await told();
  const words = refused.message.replace('localhost', 'no-such-name.internal');
  assert.deepEqual([unknown.code, unknown.message, unknown.isAboutName], [refused.code, words, refused.isAboutName]);
  assert.deepEqual([refused.code, refused.isAboutName], ['outbound_refused', true]);
  assert.equal((await failure(post(guard, 'https://10.0.0.1/'))).isAboutName, false);
  // That nobody knows is something else, and may pass.
  Object.assign(dns, { lookup: failing('EAI_AGAIN') });
  assert.equal((await told()).code, 'no_answer');
});

test('no more of an answer is read than the limit', async () => {
  let written = 0;
  const port = await serving((_request, response) => {
    const more = (): void => {
      while (!response.destroyed && response.write(Buffer.alloc(65_536, 'x'))) written += 65_536;
    };
    response.on('drain', more);
    more();
  });
  const { status, body } = await post(outbound(LOOPBACK, { answerBytes: 1000 }), `http://127.0.0.1:${port}/`);
  assert.deepEqual([status, body.length], [200, 1000]);
  assert.ok(written < 50_000_000);
});

test('one host has only so many requests at once; who waits too long was not sent', async () => {
  let now = 0;
  let most = 0;
  const held: (() => void)[] = [];
  const port = await serving((_request, response) => {
    now += 1;
    most = Math.max(most, now);
    held.push(() => {
      now -= 1;
      response.end();
    });
  });
  const guard = outbound(LOOPBACK, { perHost: 2, waitMs: 10_000 });
  const sent = Array.from({ length: 6 }, () => post(guard, `http://127.0.0.1:${port}/`));
  await until('two have come', () => held.length === 2);
  // Four wait, as many as may.
  const busy = await failure(post(guard, `http://127.0.0.1:${port}/`));
  assert.equal(busy.code, 'busy');
  for (let n = 0; n < 6; n += 1) (await until('another has come', () => held.shift()))();
  for (const { status } of await Promise.all(sent)) assert.equal(status, 200);
  assert.equal(most, 2);
  const shared = outbound(LOOPBACK, { perOwnerAndHost: 2, waitMs: 10_000 });
  const hanging = Array.from({ length: 6 }, () => post(shared, `http://127.0.0.1:${port}/`));
  await until('two of one owner have come', () => held.length === 2);
  assert.equal((await failure(post(shared, `http://127.0.0.1:${port}/`))).code, 'busy');
  const other = post(shared, `http://127.0.0.1:${port}/`, 'other');
  await until('that of another owner does not wait for them', () => held.length === 3);
  held.pop()!();
  assert.equal((await other).status, 200);
  for (let n = 0; n < 6; n += 1) (await until('another has come', () => held.shift()))();
  await Promise.all(hanging);
  const impatient = outbound(LOOPBACK, { perHost: 1, waitMs: 50 });
  const first = post(impatient, `http://127.0.0.1:${port}/`);
  await until('it has come', () => held.length === 1);
  assert.equal((await failure(post(impatient, `http://127.0.0.1:${port}/`))).code, 'busy');
  held.shift()!();
  assert.equal((await first).status, 200);
  const again = post(impatient, `http://127.0.0.1:${port}/`);
  (await until('it has come', () => held.shift()))();
  assert.equal((await again).status, 200);
});

test('one owner has only so many requests at once, over all hosts', async () => {
  const held: (() => void)[] = [];
  const port = await serving((_request, response) => void held.push(() => response.end()));
  const guard = outbound(LOOPBACK, { perOwner: 1, waitMs: 50 });
  const first = post(guard, `http://127.0.0.1:${port}/`, 'a');
  await until('it has come', () => held.length === 1);
  assert.equal((await failure(post(guard, `http://localhost:${port}/`, 'a'))).code, 'busy');
  const other = post(guard, `http://localhost:${port}/`, 'b');
  await until('the other has come', () => held.length === 2);
  for (const answer of held) answer();
  assert.deepEqual([(await first).status, (await other).status], [200, 200]);
});

test('a name server that keeps silent delays only those whose names it has, and not the time to connect', async () => {
  // It has no names, but those of example.com: there it says nothing.
  const { resolver, close } = await startNameServer((name) => (name.endsWith('.example.com') ? null : undefined), {
    timeout: 300,
    tries: 1,
  });
  onTestFinished(close);
  const guard = outbound(LOOPBACK, { connectMs: 100 }, resolver);
  const port = await serving((_request, response) => response.end());

  const order: string[] = [];
  const silent = Array.from({ length: 10 }, (_, n) =>
    failure(post(guard, `http://hook${n}.example.com:${port}/`, 'silent')).finally(() => order.push('silent')),
  );
  assert.equal((await post(guard, `http://localhost:${port}/`, 'other')).status, 200);
  assert.deepEqual(order, [], 'the other is answered first');
  for (const error of await Promise.all(silent))
    assert.match(`${error.code}: ${error.message}`, /^no_answer: no name server answers for hook\d\.example\.com$/);
});
