/**
 * `npm run bench:attack -- --pairs 3 --seconds 10`: response times (ms) of one client while another attacks the
 * service, compared to its response times without the attack. The attack: 2,100 half-open requests from three addresses
 * (so that the limit per address closes none of them), and bodies of every shape that is slow to read.
 */
import { parseArgs } from 'node:util';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { freePorts } from '../dev/stack/ports.ts';
import { startService } from '../test/support/service.ts';
import { at, sendLoad } from './support/load.ts';
import { startServer, stopServer } from './support/server.ts';
import { onStack, printPairs } from './support/stack.ts';

const { values } = parseArgs({
  options: { pairs: { type: 'string', default: '3' }, seconds: { type: 'string', default: '10' } },
});
const HALF_OPEN = 2_100;
/** Requests per second: a client, not a load. */
const RATE = 50;

/** The target of the attack. The attack runs in its own thread, so that the client does not wait for it. */
export interface Attack {
  port: number;
  formId: number;
  halfOpen: number;
}

/** The result of the attack. */
export interface Attacked {
  /** The number of half-open requests that were still open at the end. */
  open: number;
  /** The number of bodies sent. */
  sent: number;
}

/** Starts the attack; returns a function that ends it. */
async function attack(aim: Attack): Promise<() => Promise<Attacked>> {
  const thread = new Worker(new URL('./support/attacker.ts', import.meta.url), { workerData: aim });
  await once(thread, 'message');
  return async () => {
    const done = once(thread, 'message') as Promise<[Attacked]>;
    const exited = once(thread, 'exit');
    thread.postMessage('stop');
    const [attacked] = await done;
    await exited;
    return attacked;
  };
}

await onStack(1, async () => {
  const service = await startService({ env: { ENABLE_RATE_LIMITING: 'false' } });
  const { body: form } = await service.api('POST', '/forms', {
    name: 'Attacked',
    fields: [{ name: 'email', label: 'Email', type: 'email', required: true }],
  });
  const [port] = await freePorts(1);
  const api = await startServer('api/server.ts', port!, {
    ...service.slot.env,
    SMTP_URL: service.sink.url,
    LOG_LEVEL: 'info',
    ENABLE_RATE_LIMITING: 'false',
  });
  const seconds = Number(values.seconds);
  const ask = async (): Promise<number> => {
    const { times } = await sendLoad({
      port: port!,
      token: service.admin.token,
      paths: ['/api/v1/contacts?limit=10'],
      seconds,
      connections: 10,
      rate: RATE,
    });
    const others = [...times.keys()].filter((status) => status !== 200);
    if (others.length > 0)
      console.log(`the client got ${others.map((status) => `${times.get(status)!.length} × ${status}`).join(', ')}`);
    return at(times.get(200)!, 0.99);
  };
  await ask();
  const pairs: [number, number][] = [];
  for (let pair = 0; pair < Number(values.pairs); pair += 1) {
    const alone = await ask();
    const stop = await attack({ port: port!, formId: form.id as number, halfOpen: HALF_OPEN });
    pairs.push([await ask(), alone]);
    const { open, sent } = await stop();
    console.log(`${open} of ${HALF_OPEN} half-open requests were still open, ${sent} bodies were sent`);
  }
  console.log(`p99 of a client (${RATE} requests a second) during the attack, beside its p99 alone`);
  printPairs('ms', 'attack', 'alone', pairs);
  await stopServer(api);
  await service.stop();
});
