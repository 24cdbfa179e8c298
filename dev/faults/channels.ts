import { parseArgs } from 'node:util';
import { createClient, type Client } from '../demo/client.ts';
import { seededRandom } from '../demo/random.ts';
import { pause } from '../process.ts';
import { checkReported, checkSent } from './channels-outcome.ts';
import { queueAll, type Queued } from './channels-queue.ts';
import { reportAll } from './channels-reports.ts';
import { makeRecipients } from './channels-recipients.ts';
import { FAKES } from './fake-places.ts';
import { lineCounter } from './line-counter.ts';
import { ADMIN, startParts, type Parts } from './parts.ts';

/** As often as each is in it. */
const VICTIMS = ['worker', 'gateway', 'Postgres', 'push', 'worker', 'NATS', 'fcm', 'worker'];
const WORKERS = ['worker', 'worker-2'];
/** Longer than the lease of a send that is on its way. */
const FROZEN_MS = 75_000;
const STALLED_MS = 5 * 60_000;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

/**
 * Sends text messages and pushes (by Web Push and by FCM) while worker, Postgres, NATS and those who take them are
 * killed with kill -9, in a seeded order, and a second worker is stopped for longer than its leases last. Then checks
 * only the logs of those who took them, and the API: each has one final state, nothing was accepted twice, and no more is
 * UNKNOWN than was on its way at a kill. Then all reports come, some twice, some backwards: nothing that was accepted
 * may be UNKNOWN any more. Returns true if all of this holds.
 */
export async function channelFaults(args: string[]): Promise<boolean> {
  const { values } = parseArgs({
    args,
    options: {
      texts: { type: 'string', default: '20000' },
      pushes: { type: 'string', default: '20000' },
      kills: { type: 'string', default: '30' },
      seed: { type: 'string', default: '1' },
      connections: { type: 'string', default: '40' },
      slow: { type: 'string', default: '40' },
    },
  });
  const [texts, pushes, kills, connections] = [values.texts, values.pushes, values.kills, values.connections].map(
    Number,
  ) as [number, number, number, number];
  const random = seededRandom(Number(values.seed));
  const fakes = { slowMs: Number(values.slow) };
  const parts = await startParts({ senders: WORKERS.length, connections, inDoubt: 100, fakes, log: say });
  try {
    const { accessToken } = (await createClient(parts.url).call('POST', '/auth/login', ADMIN)) as {
      accessToken: string;
    };
    const client = createClient(parts.url, accessToken);
    const recipients = await makeRecipients(parts, client, pushes);
    const counters = FAKES.map((name) => lineCounter(parts.fakes[name].log));
    const accepted = async () => (await Promise.all(counters.map((count) => count()))).reduce((a, b) => a + b, 0);
    // Most are there before the first kill, so that each one hits full connections.
    for (const name of WORKERS) parts.part(name).freeze();
    const queueing = queueAll(parts.url, accessToken, texts, recipients);
    // Reported when it is waited for.
    queueing.all.catch(() => {});
    await queueing.most;
    for (const name of WORKERS) parts.part(name).thaw();
    const begun = performance.now();
    const freezing = freezeOnce(parts, accepted, (texts + pushes) * 0.1);
    freezing.catch(() => {});
    const killed = await killAll(parts, accepted, texts + pushes, kills, random);
    const queued = await queueing.all;
    await freezing;
    await untilEnded(client, queued, accepted);
    say(`${Math.round((performance.now() - begun) / 1000)} s until everything had ended`);
    // A kill or a stop of a worker leaves its own in doubt; that of a taker those of both.
    const inDoubt =
      connections *
      (1 + killed.reduce((sum, name) => sum + (name === 'worker' ? 1 : isFake(name) ? WORKERS.length : 0), 0));
    const { gateway, fcm, push } = parts.fakes;
    const logs = { gateway: gateway.log, fcm: fcm.log, push: push.log };
    const given = { client, queued, recipients, logs, say };
    const isRight = await checkSent(given, inDoubt, parts.crashes());
    const expected = await reportAll({ url: parts.url, logs, recipients, random, say });
    const isSettled = await checkReported(given, expected);
    say(isRight && isSettled ? 'every message has one final state' : 'NOT AS PROMISED');
    return isRight && isSettled;
  } finally {
    await parts.stop();
  }
}

const isFake = (name: string): boolean => (FAKES as readonly string[]).includes(name);

type Counter = () => Promise<number>;

/** Kills the parts in a seeded order at random moments, spread over the sending. Returns whom. */
async function killAll(
  parts: Parts,
  accepted: Counter,
  count: number,
  kills: number,
  random: () => number,
): Promise<string[]> {
  const order = Array.from({ length: kills }, (_, n) => VICTIMS[n % VICTIMS.length]!)
    .map((name) => ({ name, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ name }) => name);
  for (const [n, name] of order.entries()) {
    await untilAccepted(accepted, Math.floor((count * 0.95 * n) / kills));
    await pause(random() * 500);
    await parts.part(name).kill();
    say(`kill ${n + 1}, of ${name}: ${await accepted()} were accepted`);
  }
  return order;
}

/** Stops the second worker in the middle of its work, and resumes it when its leases have expired. */
async function freezeOnce(parts: Parts, accepted: Counter, from: number): Promise<void> {
  await untilAccepted(accepted, from);
  const frozen = parts.part('worker-2');
  frozen.freeze();
  const before = await accepted();
  await pause(FROZEN_MS);
  say(`a worker was frozen for ${FROZEN_MS / 1000} s, while ${(await accepted()) - before} were accepted`);
  frozen.thaw();
}

async function untilAccepted(accepted: Counter, count: number): Promise<void> {
  for (let last = -1, since = Date.now(); ;) {
    const now = await accepted();
    if (now >= count) return;
    if (now !== last) [last, since] = [now, Date.now()];
    if (Date.now() - since > STALLED_MS) throw new Error(`Nothing was accepted for a long time; ${now} so far`);
    await pause(20);
  }
}

async function untilEnded(client: Client, queued: Queued, accepted: Counter): Promise<void> {
  for (let last = -1, since = Date.now(); ;) {
    const open = await Promise.all(
      ['QUEUED', 'SENDING'].map(async (status) => {
        const { data } = (await client.call('GET', `/channels/messages?status=${status}&limit=5`)) as {
          data: { id: number }[];
        };
        return data.length;
      }),
    );
    if (open.every((n) => n === 0)) return;
    const now = await accepted();
    if (now !== last) [last, since] = [now, Date.now()];
    if (Date.now() - since > STALLED_MS)
      throw new Error(`Stuck: ${now} of ${queued.texts.size + queued.pushes.size} were accepted, some are open`);
    await pause(1000);
  }
}
