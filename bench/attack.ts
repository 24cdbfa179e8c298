/**
 * `npm run bench:attack -- --pairs 3 --seconds 10`: answer times (ms) of one client while another sends what is made to stop the
 * service, beside its answer times when it is alone: 2,100 half-open requests from three addresses (so that the limit of one
 * address closes none of them), and bodies of every shape that is slow to read.
 */
import { parseArgs } from 'node:util';
import { connect } from 'node:net';
import { once } from 'node:events';
import { freePorts } from '../dev/ports.ts';
import { startService } from '../test/support/service.ts';
import { at, sendLoad } from './load.ts';
import { startServer, stopServer } from './server.ts';
import { onStack, printPairs } from './stack.ts';

const { values } = parseArgs({ options: { pairs: { type: 'string', default: '3' }, seconds: { type: 'string', default: '10' } } });
const HALF_OPEN = 2_100;
/** Requests a second: a client, not a load. */
const RATE = 50;

/** Each is refused, or takes no longer than another request. */
const bodies: [string, string, string][] = [
  ['/forms/1/submit', 'application/x-www-form-urlencoded', Array.from({ length: 20_000 }, (_, n) => `name${n}=1`).join('&')],
  ['/forms/1/submit', 'application/json', `{"email":[${'{},'.repeat(20_000)}{}]}`],
  ['/auth/login', 'application/json', `{"username":[${'{},'.repeat(1_500_000)}{}]}`],
  ['/auth/login', 'application/json', `{"username":${'['.repeat(2_000_000)}${']'.repeat(2_000_000)}}`],
  ['/auth/register', 'application/json', `{${Array.from({ length: 300_000 }, (_, n) => `"f${n}":1`).join()}}`],
];

/** Begins the attack; what it gives ends it and tells how many of the half-open requests were still open, and how many bodies were sent. */
async function attack(port: number, formId: number): Promise<() => Promise<{ open: number; sent: number }>> {
  let stopped = false;
  let sent = 0;
  const sockets = await Promise.all(Array.from({ length: HALF_OPEN }, async (_, n) => {
    const socket = connect({ port, host: '127.0.0.1', localAddress: `127.0.0.${2 + (n % 3)}` });
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    socket.write('POST /api/v1/forms/1/submit HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{');
    return socket;
  }));
  const send = async (): Promise<void> => {
    for (let n = 0; !stopped; n += 1) {
      const [path, type, body] = bodies[n % bodies.length]!;
      const url = `http://127.0.0.1:${port}/api/v1${path.replace('/1/', `/${formId}/`)}`;
      await fetch(url, { method: 'POST', body, headers: { 'content-type': type } }).then((answer) => answer.text()).catch(() => undefined);
      sent += 1;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  };
  const sending = [send(), send()];
  return async () => {
    stopped = true;
    await Promise.all(sending);
    const open = sockets.filter((socket) => !socket.destroyed && !socket.readableEnded).length;
    for (const socket of sockets) socket.destroy();
    return { open, sent };
  };
}

await onStack(1, async () => {
  const service = await startService({ env: { ENABLE_RATE_LIMITING: 'false' } });
  const { body: form } = await service.api('POST', '/forms', { name: 'Attacked', fields: [{ name: 'email', label: 'Email', type: 'email', required: true }] });
  const [port] = await freePorts(1);
  const api = await startServer('../api/server.ts', port!, { ...service.slot.env, SMTP_URL: service.sink.url, LOG_LEVEL: 'info', ENABLE_RATE_LIMITING: 'false' });
  const seconds = Number(values.seconds);
  const ask = async (): Promise<number> => {
    const { times } = await sendLoad({ port: port!, token: service.admin.token, paths: ['/api/v1/contacts?limit=10'], seconds, connections: 10, rate: RATE });
    const others = [...times.keys()].filter((status) => status !== 200);
    if (others.length > 0) console.log(`the client got ${others.map((status) => `${times.get(status)!.length} × ${status}`).join(', ')}`);
    return at(times.get(200)!, 0.99);
  };
  await ask();
  const pairs: [number, number][] = [];
  for (let pair = 0; pair < Number(values.pairs); pair += 1) {
    const alone = await ask();
    const stop = await attack(port!, form.id as number);
    pairs.push([await ask(), alone]);
    const { open, sent } = await stop();
    console.log(`${open} of ${HALF_OPEN} half-open requests were still open, ${sent} bodies were sent`);
  }
  console.log(`p99 of a client (${RATE} requests a second) during the attack, beside its p99 alone`);
  printPairs('ms', 'attack', 'alone', pairs);
  await stopServer(api);
  await service.stop();
});
