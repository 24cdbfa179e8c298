/**
 * `npm run bench:analytics -- --events 10000000`: parts of analytics, to find out what costs how much. Counting of events
 * by the consumer's function, compared to COPY of the same rows; and the dashboard with many events compared to the
 * dashboard with 100,000, before and after sets of contacts are made.
 */
import { parseArgs } from 'node:util';
import { randomUUID } from 'node:crypto';
import { pipeline } from 'node:stream/promises';
import { Readable } from 'node:stream';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { readDashboard } from '../domain/analytics/dashboard.ts';
import { foldEvents } from '../domain/analytics/fold-events.ts';
import { readPeriod } from '../domain/common/period.ts';
import { rollContacts } from '../domain/analytics/roll-contacts.ts';
import { connect, engineEm, tenantEm, type Orm } from '../db/orm.ts';
import type { AnyEvent, EventType } from '../events/contracts.ts';
import { seededRandom } from '../dev/demo/random.ts';
import { claimSlot } from '../test/support/slot.ts';
import { keepPartitions } from '../worker/keep-partitions.ts';
import { fillFigures } from './support/fill-figures.ts';
import { at } from './support/load.ts';
import { onStack, printPairs } from './support/stack.ts';

const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '10000000' },
    contacts: { type: 'string', default: '100000' },
    reads: { type: 'string', default: '100' },
  },
});
const CONTACTS = Number(values.contacts);
const DAY_MS = 86_400_000;
const BATCH = 1_000;
const BATCHES = 50;

const random = seededRandom(1);
const upTo = (n: number): number => 1 + Math.floor(random() * n);

/** Events of a campaign to many: most are sent, some are opened, few are clicked. */
function someEvents(spreadMs: number): AnyEvent[] {
  const type: EventType = random() < 0.6 ? 'EMAIL_SENT' : random() < 0.75 ? 'EMAIL_OPENED' : 'EMAIL_CLICKED';
  const time = new Date(Date.now() - random() * spreadMs).toISOString();
  return Array.from({ length: BATCH }, () => {
    const contactId = upTo(CONTACTS);
    const common = { emailId: upTo(1e6), templateId: 1, campaignId: 1, contactId, recipientId: contactId };
    const data = {
      ...common,
      status: 'SENT',
      automated: false,
      first: random() < 0.5,
      url: `https://example.com/${upTo(5)}`,
    };
    const own = spreadMs > DAY_MS ? new Date(Date.now() - random() * spreadMs).toISOString() : time;
    return { id: randomUUID(), type, time: own, tenantid: 'default', data } as unknown as AnyEvent;
  });
}

async function measureFolding(orm: Orm, owner: pg.Client, what: string, spreadMs: number): Promise<void> {
  const pairs: [number, number][] = [];
  for (let round = 0; round < 5; round += 1) {
    const batches = Array.from({ length: BATCHES }, () => someEvents(spreadMs));
    let begin = performance.now();
    for (const batch of batches) await engineEm(orm).transactional((tx) => foldEvents(tx, batch));
    const ours = performance.now() - begin;
    await owner.query('truncate copied');
    begin = performance.now();
    for (const batch of batches) {
      const lines = batch.map(({ id, type, time, data }) => {
        const { contactId, emailId } = data as { contactId: number; emailId: number };
        return `${id}\tdefault\t${type}\t${time}\t${contactId}\t1\t1\t\\N\t\\N\t${emailId}\n`;
      });
      await pipeline(Readable.from([lines.join('')]), owner.query(copyFrom('copy copied from stdin')));
    }
    const copy = performance.now() - begin;
    const rate = (ms: number): number => (BATCH * BATCHES * 1000) / ms;
    pairs.push([rate(ours), rate(copy)]);
  }
  console.log(`counting events ${what}, by batches of ${BATCH}`);
  printPairs('events/s', 'counted', 'copied', pairs);
}

async function measureReads(orm: Orm, tenantId: string): Promise<number[]> {
  const times: number[] = [];
  for (let n = 0; n < Number(values.reads) + 10; n += 1) {
    const to = new Date(Date.now() - random() * DAY_MS);
    const period = readPeriod(
      { from: new Date(to.getTime() - upTo(29) * DAY_MS).toISOString(), to: to.toISOString() },
      to,
    );
    const begin = performance.now();
    await readDashboard(tenantEm(orm, tenantId), period);
    if (n >= 10) times.push(performance.now() - begin);
  }
  return times.sort((a, b) => a - b);
}

await onStack(1, async () => {
  const slot = await claimSlot();
  const orm = await connect(slot.env['DATABASE_URL']!);
  const owner = new pg.Client({ connectionString: slot.env['DATABASE_MIGRATION_URL'] });
  await owner.connect();
  try {
    await keepPartitions({ orm, env: { ANALYTICS_EVENTS_DAYS: 400 } as never });
    await owner.query(`select ensure_analytics_partition((current_date - interval '1 month')::date)`);
    await owner.query('create table copied (like analytics_events)');
    await measureFolding(orm, owner, 'of the last minute', 60_000);
    await measureFolding(orm, owner, 'of the last 30 days', 30 * DAY_MS);
    // Events in random order are not what a time range is read from.
    await owner.query('truncate analytics_events, analytics_windows, analytics_rollups');
    for (const [tenantId, events] of [
      ['few', 100_000],
      ['many', Number(values.events)],
    ] as const)
      await fillFigures(owner, tenantId, { events, contacts: CONTACTS });
    await owner.query('vacuum analyze analytics_events, analytics_windows, analytics_rollups');
    const begin = performance.now();
    await rollContacts(orm);
    console.log(`sets of contacts made in ${((performance.now() - begin) / 1000).toFixed(1)} s`);
    await owner.query('vacuum analyze analytics_contact_sets, analytics_rollups');
    for (const table of ['analytics_events', 'analytics_windows', 'analytics_contact_sets']) {
      const { rows } = await owner.query<{ tenant_id: string; n: number }>(
        `select tenant_id, count(*)::int as n from ${table} group by 1 order by 1`,
      );
      const size = await owner.query<{ mb: number }>(
        `select ((pg_total_relation_size('${table}') + (select coalesce(sum(pg_total_relation_size(inhrelid)), 0) from pg_inherits where inhparent = '${table}'::regclass)) / 1e6)::int as mb`,
      );
      console.log(
        `  ${table}: ${rows.map(({ tenant_id, n }) => `${tenant_id} ${n}`).join(', ')} rows, ${size.rows[0]!.mb} MB`,
      );
    }
    const [few, many] = [await measureReads(orm, 'few'), await measureReads(orm, 'many')];
    console.log(`the dashboard of up to 30 days with ${values.events} events beside 100,000, ms`);
    for (const p of [0.5, 0.95])
      console.log(
        `  p${p * 100} ${at(many, p).toFixed(1)} beside ${at(few, p).toFixed(1)} (${(at(many, p) / at(few, p)).toFixed(2)})`,
      );
  } finally {
    await owner.end();
    await orm.close();
    await slot.release();
  }
});
