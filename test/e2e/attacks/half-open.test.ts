import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, test } from '@jest/globals';
import { startApiProcess, type ApiProcess } from '../../support/api-process.ts';
import { startService, type Answer, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { onTestFinished } from '../../support/on-test-finished.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

/** A process that ends with its test: at once, not when the last connection has ended. */
async function ownProcess(): Promise<ApiProcess> {
  const api = await startApiProcess(service);
  onTestFinished(() => api.end('SIGKILL'));
  return api;
}

/** Fewer than the kernel keeps until a server accepts them: it drops others, and asks for them again seconds later. */
const AT_ONCE = 400;
/** Makes so many connections, some at a time. */
async function many(count: number, open: (n: number) => Promise<Socket>): Promise<Socket[]> {
  const sockets: Socket[] = [];
  while (sockets.length < count) {
    const begun = Array.from({ length: Math.min(AT_ONCE, count - sockets.length) }, (_, n) => open(sockets.length + n));
    sockets.push(...(await Promise.all(begun)));
  }
  return sockets;
}

/** Connections over which `text` was sent, and nothing more. */
async function halfOpen(api: ApiProcess, count: number, text: string): Promise<Socket[]> {
  return many(count, async () => {
    const socket = connect(Number(new URL(api.url).port), '127.0.0.1');
    socket.on('error', () => undefined);
    // Who reads nothing does not see that a connection has ended.
    socket.resume();
    await once(socket, 'connect');
    socket.write(text);
    return socket;
  });
}

const head = (path: string): string =>
  `POST /api/v1${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 50\r\n`;
const shed = async (api: ApiProcess): Promise<number> =>
  Number(/^perennial_http_requests_shed_total (\d+)/m.exec(await (await fetch(`${api.url}/metrics`)).text())?.[1]);

for (const [what, text] of [
  ['whose body does not come', `${head('/forms/1/submit')}\r\n{`],
  ['whose headers do not come', head('/forms/1/submit')],
  ['that ask nothing', ''],
] as const) {
  test(`2,100 requests ${what}: everybody else is answered`, async () => {
    const api = await ownProcess();
    const sockets = await halfOpen(api, 2_100, text);
    for (let round = 0; round < 5; round += 1) {
      const answers = await Promise.all(Array.from({ length: 20 }, () => api.api('GET', '/contacts?limit=1')));
      assert.deepEqual(
        answers.map(({ status }) => status),
        answers.map(() => 200),
      );
    }
    assert.equal(await shed(api), 0);
    const limit = service.deps.env.CONNECTIONS_PER_ADDRESS;
    await until('the oldest have given way', () => sockets.filter((socket) => !socket.destroyed).length <= limit);
    for (const socket of sockets) socket.destroy();
  });
}

test('requests whose bodies come late are worked at when they are there', async () => {
  const api = await ownProcess();
  const body = JSON.stringify({ username: 'nobody', password: 'Nothing-7-much' });
  const sockets = await halfOpen(
    api,
    100,
    `POST /api/v1/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 5)}`,
  );
  const answers = sockets.map((socket) => once(socket, 'data') as Promise<[Buffer]>);
  for (const socket of sockets) socket.write(body.slice(5));
  const statuses = (await Promise.all(answers)).map(([answer]) => answer.toString().slice(9, 12));
  // Each is refused for what it says, or as one guess too many.
  assert.ok(
    statuses.every((status) => ['401', '429'].includes(status)),
    [...new Set(statuses)].join(),
  );
  for (const socket of sockets) socket.destroy();
  await until('nothing is open', async () => (await shed(api)) === 0);
});

/** A GET of something large, over connections that read nothing of the answer. */
async function unread(api: ApiProcess, count: number, requests: string): Promise<Socket[]> {
  return many(count, async (n) => {
    // Of several addresses, none of which has more connections than it may have.
    const socket = connect({
      port: Number(new URL(api.url).port),
      host: '127.0.0.1',
      localAddress: `127.0.0.${2 + (n % 3)}`,
    });
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    socket.pause();
    onTestFinished(() => socket.destroy());
    socket.write(requests);
    return socket;
  });
}

/** Calls again if no connection was made in the ten seconds that `fetch` waits: a busy machine may take longer. */
async function patiently(call: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      const { code } = ((error as Error).cause ?? {}) as { code?: string };
      if (code !== 'UND_ERR_CONNECT_TIMEOUT') throw error;
    }
  }
}

test('2,500 answers that nobody reads: everybody else is answered', async () => {
  const api = await ownProcess();
  await unread(api, 2_500, 'GET /docs/reference.js HTTP/1.1\r\nHost: x\r\n\r\n');
  for (let round = 0; round < 5; round += 1) {
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => patiently(() => api.api('GET', '/contacts?limit=1'))),
    );
    assert.deepEqual(
      answers.map(({ status }) => status),
      answers.map(() => 200),
    );
  }
  assert.equal(await shed(api), 0);
});

test('requests that are sent together over a connection are worked at one after the other, between those of others', async () => {
  const api = await ownProcess();
  for (const path of ['/api/v1/openapi.json', '/api/v1/asyncapi.json', '/docs', '/docs/events', '/docs/reference.js']) {
    const [socket] = (await unread(api, 1, `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(30))) as [Socket];
    let text = '';
    socket
      .setEncoding('latin1')
      .on('data', (piece: string) => {
        text += piece;
      })
      .resume();
    const { status } = await api.api('GET', '/contacts?limit=1');
    assert.equal(status, 200);
    await until(`${path} is answered 30 times`, () => text.split('HTTP/1.1 200 OK\r\n').length - 1 === 30, 30_000);
    socket.destroy();
  }
  assert.equal(await shed(api), 0);
});

test('a connection over which more requests wait than any client sends is ended', async () => {
  const api = await ownProcess();
  const [socket] = (await unread(api, 1, 'GET /api/v1/health HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(2_000))) as [Socket];
  socket.resume();
  await new Promise((closed) => {
    socket.once('close', closed);
  });
  assert.equal((await api.api('GET', '/contacts?limit=1')).status, 200);
  assert.equal(await shed(api), 0);
});
