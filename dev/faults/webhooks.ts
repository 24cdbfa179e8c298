import { parseArgs } from 'node:util';
import { readEnv } from '../../config/env.ts';
import { rows, sql, tenantEm } from '../../db/orm.ts';
import { appendEvents } from '../../events/outbox.ts';
import { createDeps, type Deps } from '../../runtime/deps.ts';
import { createClient, type Client } from '../demo/client.ts';
import { seededRandom } from '../demo/random.ts';
import { pause } from '../process.ts';
import { withClient } from '../stack/postgres.ts';
import { ADMIN, startParts, type Parts } from './parts.ts';
import { checkWebhooks, type Kill, type Webhook } from './webhooks-outcome.ts';
import { startReceiver, type Receiver } from '../fakes/webhook-receiver.ts';

const TENANT = 'default';
const CONTACTS = 500;
const MOST_TOGETHER = 400;
/** As often as each is in it. */
const VICTIMS = ['webhooks', 'worker', 'relay', 'Postgres', 'NATS', 'Temporal', 'webhooks', 'webhooks'];
const STALLED_MS = 5 * 60_000;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

/**
 * Writes events that three webhooks want: a plain one, one with `ordering: contact`, and one whose receiver refuses the
 * first call of every third event; while every part of the service is killed with kill -9, in a seeded order. Then checks
 * the receivers' logs against what was written, and against the proof of the API. Returns true if they agree.
 */
export async function webhookFaults(args: string[]): Promise<boolean> {
  const { values } = parseArgs({
    args,
    options: {
      events: { type: 'string', default: '50000' },
      kills: { type: 'string', default: '30' },
      seed: { type: 'string', default: '1' },
    },
  });
  const [count, most, random] = [Number(values.events), Number(values.kills), seededRandom(Number(values.seed))];
  const parts = await startParts({ senders: 1, connections: 5, inDoubt: 100, webhooks: true, log: say });
  const deps = await createDeps(readEnv(parts.env), 'faults');
  const receivers = [await startReceiver(false), await startReceiver(false), await startReceiver(true)];
  try {
    const client = await logIn(parts);
    const webhooks: Webhook[] = [];
    for (const [n, receiver] of receivers.entries()) webhooks.push(await makeWebhook(client, receiver, n === 1));
    const contactIds = await makeContacts(parts);
    const begun = performance.now();
    const writing = writeEvents(deps, contactIds, count, random);
    const kills = await killAll(parts, receivers, count, most, random);
    const written = await writing;
    await untilDelivered(client, webhooks, written);
    say(`${Math.round((performance.now() - begun) / 1000)} s until everything was delivered`);
    return await checkWebhooks({ client, webhooks, written, kills, crashes: parts.crashes(), say });
  } finally {
    await deps.close();
    await parts.stop();
    for (const receiver of receivers) receiver.close();
  }
}

async function logIn(parts: Parts): Promise<Client> {
  const { accessToken } = (await createClient(parts.url).call('POST', '/auth/login', ADMIN)) as { accessToken: string };
  return createClient(parts.url, accessToken);
}

async function makeWebhook(client: Client, receiver: Receiver, isOrdered: boolean): Promise<Webhook> {
  const ordering = isOrdered ? 'contact' : 'none';
  const name = isOrdered ? 'ordered' : receiver.refuses ? 'refusing' : 'plain';
  const { id } = await client.call('POST', '/webhooks', {
    ...{ name, url: receiver.url, types: ['WEBSITE_VISITED'], ordering },
  });
  return { id: id as number, name, isOrdered, receiver };
}

const makeContacts = (parts: Parts): Promise<number[]> =>
  withClient(parts.ownerUrl, async (owner) => {
    // Which transactions were committed, whatever the writer was told.
    await owner.query('create table written (n int primary key)');
    await owner.query('grant select, insert on written to perennial_app');
    const { rows: made } = await owner.query<{ id: string }>(`
      insert into contacts (tenant_id, first_name, last_name, email, email_key)
      select '${TENANT}', 'F', 'L', 'w' || n || '@faults.example', 'w' || n || '@faults.example' from generate_series(1, ${CONTACTS}) n
      returning id`);
    return made.map(({ id }) => Number(id));
  });

/** Writes events in transactions of random size; one whose outcome is unknown is looked up. Returns their numbers. */
async function writeEvents(
  { orm }: Deps,
  contactIds: readonly number[],
  count: number,
  random: () => number,
): Promise<number> {
  let written = 0;
  while (written < count) {
    const size = Math.min(Math.ceil(random() * MOST_TOGETHER), count - written);
    const events = Array.from({ length: size }, (_, n) => ({
      type: 'WEBSITE_VISITED' as const,
      data: {
        contactId: contactIds[Math.floor(random() * contactIds.length)]!,
        url: `https://example.com/${written + n + 1}`,
      },
    }));
    const isThere = () =>
      tenantEm(orm, TENANT).transactional((tx) => rows(tx, sql`select 1 from written where n = ${written}`));
    for (;;) {
      try {
        if ((await isThere()).length > 0) break;
        await tenantEm(orm, TENANT).transactional(async (tx) => {
          await rows(tx, sql`insert into written (n) values (${written})`);
          await appendEvents(tx, { tenantId: TENANT, requestId: null }, events);
        });
        break;
      } catch {
        await pause(200);
      }
    }
    written += size;
    await pause(20);
  }
  return written;
}

/** Kills the parts at random moments, spread over the deliveries. Returns when it did. */
async function killAll(
  parts: Parts,
  receivers: readonly Receiver[],
  count: number,
  most: number,
  random: () => number,
): Promise<Kill[]> {
  const order = Array.from({ length: most }, (_, n) => VICTIMS[n % VICTIMS.length]!)
    .map((name) => ({ name, at: random() }))
    .sort((a, b) => a.at - b.at);
  const kills: Kill[] = [];
  for (const [n, { name }] of order.entries()) {
    await untilReceived(receivers, Math.floor((count * receivers.length * 0.95 * n) / most));
    await pause(random() * 1000);
    const at = Date.now();
    await parts.part(name).kill();
    kills.push({ name, at, until: Date.now() });
    say(`kill ${n + 1}, of ${name}: ${receivers.map(({ calls }) => calls.length).join(', ')} calls`);
  }
  return kills;
}

async function untilReceived(receivers: readonly Receiver[], count: number): Promise<void> {
  for (let last = -1, since = Date.now(); ;) {
    const now = receivers.reduce((sum, { accepted }) => sum + accepted.size, 0);
    if (now >= count) return;
    if (now !== last) [last, since] = [now, Date.now()];
    if (Date.now() - since > STALLED_MS) throw new Error(`Nothing came for a long time; ${now} so far`);
    await pause(50);
  }
}

async function untilDelivered(client: Client, webhooks: readonly Webhook[], written: number): Promise<void> {
  for (const { id, name, receiver } of webhooks) {
    for (let last = -1, since = Date.now(); ;) {
      const { delivered } = (await client.call('GET', `/webhooks/${id}/proof`)) as { delivered: number };
      if (delivered >= written) break;
      if (delivered !== last) [last, since] = [delivered, Date.now()];
      if (Date.now() - since > STALLED_MS)
        throw new Error(`${name} is stuck: ${delivered} of ${written} are DELIVERED, ${receiver.accepted.size} came`);
      await pause(1000);
    }
  }
}
