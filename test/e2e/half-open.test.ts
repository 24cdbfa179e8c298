import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { startApiProcess, type ApiProcess } from '../support/api-process.ts';
import { startService, type Service } from '../support/service.ts';
import { until } from '../support/until.ts';

let service: Service;
before(async () => { service = await startService(); });
after(() => service.stop());

/** Connections over which `text` was sent, and nothing more. */
async function halfOpen(api: ApiProcess, count: number, text: string): Promise<Socket[]> {
  return Promise.all(Array.from({ length: count }, async () => {
    const socket = connect(Number(new URL(api.url).port), '127.0.0.1');
    socket.on('error', () => undefined);
    // Who reads nothing does not see that a connection has ended.
    socket.resume();
    await once(socket, 'connect');
    socket.write(text);
    return socket;
  }));
}

const head = (path: string): string => `POST /api/v1${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 50\r\n`;
const shed = async (api: ApiProcess): Promise<number> =>
  Number(/^perennial_http_requests_shed_total (\d+)/m.exec(await (await fetch(`${api.url}/metrics`)).text())?.[1]);

for (const [what, text] of [
  ['whose body does not come', `${head('/forms/1/submit')}\r\n{`], ['whose headers do not come', head('/forms/1/submit')], ['that ask nothing', ''],
] as const) {
  test(`2,100 requests ${what}: everybody else is answered`, async () => {
    const api = await startApiProcess(service);
    const sockets = await halfOpen(api, 2_100, text);
    for (let round = 0; round < 5; round += 1) {
      const answers = await Promise.all(Array.from({ length: 20 }, () => api.api('GET', '/contacts?limit=1')));
      assert.deepEqual(answers.map(({ status }) => status), answers.map(() => 200));
    }
    assert.equal(await shed(api), 0);
    const limit = service.deps.env.CONNECTIONS_PER_ADDRESS;
    await until('the oldest have given way', () => sockets.filter((socket) => !socket.destroyed).length <= limit);
    for (const socket of sockets) socket.destroy();
    await api.end();
  });
}

test('requests whose bodies come late are worked at when they are there', async () => {
  const api = await startApiProcess(service);
  const body = JSON.stringify({ username: 'nobody', password: 'Nothing-7-much' });
  const sockets = await halfOpen(api, 100, `POST /api/v1/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 5)}`);
  const answers = sockets.map((socket) => once(socket, 'data') as Promise<[Buffer]>);
  for (const socket of sockets) socket.write(body.slice(5));
  const statuses = (await Promise.all(answers)).map(([answer]) => answer.toString().slice(9, 12));
  // Each is refused for what it says, or as one guess too many.
  assert.ok(statuses.every((status) => ['401', '429'].includes(status)), [...new Set(statuses)].join());
  for (const socket of sockets) socket.destroy();
  await until('nothing is open', async () => (await shed(api)) === 0);
  await api.end();
});
