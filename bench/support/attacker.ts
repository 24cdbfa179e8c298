/**
 * The thread of the attack of `bench:attack`: reports when it has started, ends when told to, and reports what it did.
 */
import { connect } from 'node:net';
import { once } from 'node:events';
import { parentPort, workerData } from 'node:worker_threads';
import type { Attack, Attacked } from '../attack.ts';

const { port, formId, halfOpen } = workerData as Attack;

/** Each is refused, or takes no longer than another request. */
const bodies: [string, string, string][] = [
  [
    `/forms/${formId}/submit`,
    'application/x-www-form-urlencoded',
    Array.from({ length: 20_000 }, (_, n) => `name${n}=1`).join('&'),
  ],
  [`/forms/${formId}/submit`, 'application/json', `{"email":[${'{},'.repeat(20_000)}{}]}`],
  ['/auth/login', 'application/json', `{"username":[${'{},'.repeat(1_500_000)}{}]}`],
  ['/auth/login', 'application/json', `{"username":${'['.repeat(2_000_000)}${']'.repeat(2_000_000)}}`],
  ['/auth/register', 'application/json', `{${Array.from({ length: 300_000 }, (_, n) => `"f${n}":1`).join()}}`],
];

let stopped = false;
let sent = 0;
const sockets = await Promise.all(
  Array.from({ length: halfOpen }, async (_, n) => {
    const socket = connect({ port, host: '127.0.0.1', localAddress: `127.0.0.${2 + (n % 3)}` });
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    socket.write(
      `POST /api/v1/forms/${formId}/submit HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{`,
    );
    return socket;
  }),
);
const send = async (): Promise<void> => {
  for (let n = 0; !stopped; n += 1) {
    const [path, type, body] = bodies[n % bodies.length]!;
    await fetch(`http://127.0.0.1:${port}/api/v1${path}`, { method: 'POST', body, headers: { 'content-type': type } })
      .then((answer) => answer.text())
      .catch(() => undefined);
    sent += 1;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
};
const sending = [send(), send()];
parentPort!.postMessage('at work');
await once(parentPort!, 'message');
stopped = true;
await Promise.all(sending);
const open = sockets.filter((socket) => !socket.destroyed && !socket.readableEnded).length;
for (const socket of sockets) socket.destroy();
parentPort!.postMessage({ open, sent } satisfies Attacked);
parentPort!.close();
