import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { createClient, type Client } from '../demo/client.ts';
import { seededRandom } from '../demo/random.ts';
import { withClient } from '../stack/postgres.ts';
import { pause } from '../process.ts';
import { lineCounter } from './line-counter.ts';
import { ADMIN, startParts, type Part, type Parts } from './parts.ts';

const VICTIMS = ['worker', 'relay', 'Postgres', 'NATS', 'Temporal', 'sink'];
/** Killing one of these leaves emails of which nobody knows whether they were accepted: up to SEND_IN_DOUBT. */
const DOUBTFUL = ['worker', 'sink'];
const FROZEN_MS = 75_000;
const STALLED_MS = 10 * 60_000;

interface Recipient {
  emailId: number;
  email: string | null;
  status: string;
}

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

/**
 * Sends a campaign while every part of the service is killed with kill -9 in turn, at random moments, and then checks
 * only the sink's log and the API: every recipient must have exactly one final state, every SENT one must have received
 * the email exactly once, all others must not have received it, no kill may leave more UNKNOWN emails than
 * SEND_IN_DOUBT, and no process may end except by a kill. With `--freeze`, a second worker is stopped for longer than its
 * leases last instead, and resumed. Returns true if all of this holds.
 */
export async function emailFaults(args: string[]): Promise<boolean> {
  const { values } = parseArgs({
    args,
    options: {
      recipients: { type: 'string', default: '50000' },
      kills: { type: 'string', default: '30' },
      seed: { type: 'string', default: '1' },
      connections: { type: 'string', default: '20' },
      'in-doubt': { type: 'string', default: '100' },
      freeze: { type: 'boolean', default: false },
    },
  });
  const [recipients, kills, seed] = [values.recipients, values.kills, values.seed].map(Number) as [
    number,
    number,
    number,
  ];
  const parts = await startParts({
    senders: values.freeze ? 2 : 1,
    connections: Number(values.connections),
    inDoubt: Number(values['in-doubt']),
    log: say,
  });
  try {
    const client = await logIn(parts);
    const campaignId = await beginCampaign(parts, client, recipients);
    const begun = Date.now();
    const unknownAllowed = values.freeze
      ? await freezeOnce(parts, recipients)
      : await killAll(parts, recipients, kills, seededRandom(seed));
    await untilSent(client, campaignId);
    say(`sent after ${((Date.now() - begun) / 1000).toFixed(0)} s`);
    return await check(parts, client, campaignId, recipients, unknownAllowed);
  } finally {
    await parts.stop();
  }
}

async function logIn(parts: Parts): Promise<Client> {
  const { accessToken } = (await createClient(parts.url).call('POST', '/auth/login', ADMIN)) as { accessToken: string };
  return createClient(parts.url, accessToken);
}

async function beginCampaign(parts: Parts, client: Client, recipients: number): Promise<number> {
  await withClient(parts.ownerUrl, (owner) =>
    owner.query(`
    insert into contacts (tenant_id, first_name, last_name, email, email_key)
    select 'default', 'First' || n, 'Last', 'r' || n || '@faults.example', 'r' || n || '@faults.example' from generate_series(1, ${recipients}) n`),
  );
  const { id: templateId } = await client.call('POST', '/emails/templates', {
    name: 'Faults',
    subject: 'Hello {{firstName}}',
    content:
      '<p>Hello {{firstName}} {{lastName}}, <a href="https://example.com/one">one</a> <a href="https://example.com/two">two</a></p>',
  });
  const { id: segmentId } = await client.call('POST', '/contacts/segments', {
    name: 'All',
    type: 'dynamic',
    filter: { field: 'email', operator: 'endsWith', value: '@faults.example' },
  });
  const { id } = await client.call('POST', '/emails/campaigns', {
    name: 'Faults',
    templateId,
    segmentId,
    scheduleType: 'immediate',
  });
  say(`a campaign to ${recipients} recipients has begun`);
  return id as number;
}

/** Kills each part equally often, in a seeded order and at seeded moments, while emails are being sent. */
async function killAll(parts: Parts, recipients: number, kills: number, random: () => number): Promise<number> {
  const order = Array.from({ length: kills }, (_, n) => VICTIMS[n % VICTIMS.length]!)
    .map((name) => ({ name, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ name }) => name);
  const accepted = lineCounter(parts.sinkLog);
  let unknown = 0;
  for (const [n, name] of order.entries()) {
    // Spread over the whole mailing, including its beginning: the first kills hit while the audience is being frozen.
    await untilAccepted(accepted, Math.floor((recipients * 0.95 * n) / kills));
    await pause(random() * 500);
    await parts.part(name).kill();
    if (DOUBTFUL.includes(name)) unknown += parts.inDoubt;
    say(`kill ${n + 1}, of ${name}: ${await accepted()} were accepted`);
  }
  return unknown;
}

/** Stops one of two workers in the middle, for longer than its leases last, and resumes it. */
async function freezeOnce(parts: Parts, recipients: number): Promise<number> {
  const accepted = lineCounter(parts.sinkLog);
  await untilAccepted(accepted, recipients * 0.2);
  const frozen: Part = parts.part('worker-2');
  frozen.freeze();
  const before = await accepted();
  await pause(FROZEN_MS);
  const during = (await accepted()) - before;
  frozen.thaw();
  say(`a worker was frozen for ${FROZEN_MS / 1000} s, while the other sent ${during}`);
  return parts.inDoubt;
}

async function untilAccepted(accepted: () => Promise<number>, count: number): Promise<void> {
  for (let last = -1, since = Date.now(); ;) {
    const now = await accepted();
    if (now >= count) return;
    if (now !== last) [last, since] = [now, Date.now()];
    if (Date.now() - since > STALLED_MS) throw new Error(`Nothing was accepted for a long time; ${now} so far`);
    await pause(50);
  }
}

async function untilSent(client: Client, campaignId: number): Promise<void> {
  for (let last = -1, since = Date.now(); ;) {
    const stats = (await client.call('GET', `/emails/campaigns/${campaignId}/stats`)) as {
      status: string;
      queued: number;
    };
    if (stats.status === 'SENT') return;
    if (stats.queued !== last) [last, since] = [stats.queued, Date.now()];
    if (Date.now() - since > STALLED_MS) throw new Error(`The campaign is stuck: ${JSON.stringify(stats)}`);
    await pause(500);
  }
}

/** Checks the results, using only the sink's log and the API. */
async function check(
  parts: Parts,
  client: Client,
  campaignId: number,
  recipients: number,
  unknownAllowed: number,
): Promise<boolean> {
  const listed: Recipient[] = [];
  for (let cursor: string | null = null; ;) {
    const { data, page } = (await client.call(
      'GET',
      `/emails/campaigns/${campaignId}/recipients?limit=200${cursor ? `&cursor=${cursor}` : ''}`,
    )) as { data: Recipient[]; page: { nextCursor: string | null } };
    listed.push(...data);
    cursor = page.nextCursor;
    if (!cursor) break;
  }
  const lines = (await readFile(parts.sinkLog, 'utf8')).split('\n').filter((line) => line !== '');
  const times = new Map<string, number>();
  for (const line of lines) times.set(line.split(' ')[0]!, (times.get(line.split(' ')[0]!) ?? 0) + 1);
  const of = (status: string) => listed.filter((row) => row.status === status);
  const had = (row: Recipient): number => times.get(row.email ?? '') ?? 0;
  const verdicts: [string, number, boolean][] = [
    ['processes that ended without being killed', parts.crashes(), parts.crashes() === 0],
    ['recipients in the ledger', listed.length, listed.length === recipients],
    [
      'different addresses',
      new Set(listed.map((row) => row.email)).size,
      new Set(listed.map((row) => row.email)).size === recipients,
    ],
    ['SENT', of('SENT').length, of('SENT').length + of('UNKNOWN').length === recipients],
    ['UNKNOWN', of('UNKNOWN').length, of('UNKNOWN').length <= unknownAllowed],
    ['of these accepted', of('UNKNOWN').filter((row) => had(row) > 0).length, true],
    [
      'SENT but not accepted once',
      of('SENT').filter((row) => had(row) !== 1).length,
      of('SENT').every((row) => had(row) === 1),
    ],
    [
      'accepted more than once',
      [...times.values()].filter((n) => n > 1).length,
      [...times.values()].every((n) => n === 1),
    ],
    [
      'accepted Message-IDs that are not different',
      lines.length - new Set(lines.map((line) => line.split(' ')[1])).size,
      new Set(lines.map((line) => line.split(' ')[1])).size === lines.length,
    ],
  ];
  for (const [what, n, holds] of verdicts) say(`${holds ? '  ' : '! '}${what}: ${n}`);
  const good = verdicts.every(([, , holds]) => holds);
  say(good ? `every recipient has one final state; at most ${unknownAllowed} could be UNKNOWN` : 'NOT AS PROMISED');
  return good;
}
