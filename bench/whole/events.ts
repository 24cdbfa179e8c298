import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { EventBatch, EventType } from '../../events/contracts.ts';
import { encode } from '../../transport/nats.ts';
import { batchSubject, EVENT_BATCHES } from '../../transport/streams.ts';
import { hasHandledAll } from '../../test/support/events.ts';
import { until } from '../../test/support/until.ts';
import { measureWork, printRates, type Rates } from './measure.ts';
import { importRecipients } from './send.ts';
import { onStarted, type Started } from './started.ts';

const CONTACTS = 20_000;
/** Clicks and submissions that come at once share a row of the outbox, and so a message. */
const PER_BATCH = 100;
const IN_FLIGHT = 200;
const HOUR_MS = 3_600_000;

/** The columns of a raw event, as the analytics consumer stores it. */
const COLUMNS = 'event_id, tenant_id, metric, at, contact_id, campaign_id, template_id, form_id, link_id, email_id';

const TYPES = ['EMAIL_OPENED', 'EMAIL_CLICKED', 'WEBSITE_VISITED', 'FORM_SUBMITTED'] as const satisfies EventType[];
const METRICS = {
  EMAIL_OPENED: 'opens',
  EMAIL_CLICKED: 'clicks',
  WEBSITE_VISITED: 'visits',
  FORM_SUBMITTED: 'submissions',
};

/** Events of now, one in twenty batches up to an hour late, in batches of one type, as the relay publishes them. */
function makeBatches(contactIds: readonly number[], count: number): EventBatch[] {
  return Array.from({ length: Math.ceil(count / PER_BATCH) }, (_, n) => {
    const type = TYPES[n % TYPES.length]!;
    const events = Array.from({ length: PER_BATCH }, (__, k) => {
      const contactId = contactIds[(n * 7919 + k * 104_729) % contactIds.length]!;
      const email = { emailId: n * PER_BATCH + k + 1, templateId: 1 + (n % 20), campaignId: 1 + (n % 50), contactId };
      const url = `https://example.com/${k % 10}`;
      const data = {
        EMAIL_OPENED: { ...email, automated: false, first: true },
        EMAIL_CLICKED: { ...email, automated: false, first: true, url },
        WEBSITE_VISITED: { contactId, url },
        FORM_SUBMITTED: { formId: 1 + (n % 5), contactId, submissionId: n * PER_BATCH + k + 1 },
      }[type];
      return { id: randomUUID(), data };
    });
    // Most come as they happen, some late.
    const late = n % 20 === 0 ? Math.floor(Math.random() * HOUR_MS) : 0;
    const time = new Date(Date.now() - late).toISOString();
    return { id: randomUUID(), tenantid: 'default', type, time, events };
  });
}

/** The same events as rows of CSV, as the analytics consumer stores them. */
function* csvOfColumns(batches: readonly EventBatch[]): Generator<string> {
  for (const { tenantid, type, time, events } of batches) {
    let text = '';
    for (const { id, data } of events) {
      const { contactId, campaignId, templateId, formId, emailId } = data as Record<string, number | undefined>;
      const metric = METRICS[type as (typeof TYPES)[number]];
      text += `${id},${tenantid},${metric},${time},${contactId},${campaignId ?? ''},${templateId ?? ''},${formId ?? ''},,${emailId ?? ''}\n`;
    }
    yield text;
  }
}

/** The same events as rows of CSV: id, tenant, type, time, JSON. */
function* csvOfJson(batches: readonly EventBatch[]): Generator<string> {
  for (const { tenantid, type, time, events } of batches) {
    let text = '';
    for (const { id, data } of events)
      text += `${id},${tenantid},${type},${time},"${JSON.stringify(data).replaceAll('"', '""')}"\n`;
    yield text;
  }
}

/** Rows per second of COPY into a new table. */
async function copyRate(
  { env }: Started,
  { create, columns, lines, count }: { create: string; columns: string; lines: Generator<string>; count: number },
): Promise<number> {
  const client = new pg.Client({ connectionString: env.DATABASE_MIGRATION_URL });
  await client.connect();
  try {
    await client.query(`create schema bench; ${create}`);
    const texts = [...lines];
    const begun = performance.now();
    await pipeline(
      Readable.from(texts),
      client.query(copyFrom(`copy bench.raw_events (${columns}) from stdin (format csv)`)),
    );
    return (count * 1000) / (performance.now() - begun);
  } finally {
    await client.query('drop schema if exists bench cascade');
    await client.end();
  }
}

/** COPY into a table like our raw events, of one partition: narrow, with a BRIN index only. */
const copyColumns = (started: Started, batches: readonly EventBatch[], count: number): Promise<number> =>
  copyRate(started, {
    create: `
      create table bench.raw_events (like analytics_events including defaults);
      create index on bench.raw_events using brin (at timestamptz_minmax_multi_ops) with (pages_per_range = 32)`,
    columns: COLUMNS,
    lines: csvOfColumns(batches),
    count,
  });

/** COPY of what comes, the JSON of the events, each once: by a unique id. */
const copyJson = (started: Started, batches: readonly EventBatch[], count: number): Promise<number> =>
  copyRate(started, {
    create: `create table bench.raw_events
      (event_id uuid primary key, tenant_id text not null, type text not null, at timestamptz not null, data jsonb not null)`,
    columns: 'event_id, tenant_id, type, at, data',
    lines: csvOfJson(batches),
    count,
  });

/** Publishes the batches, and waits until scores and figures have them. */
async function consume({ nats }: Started, batches: readonly EventBatch[]): Promise<void> {
  for (let at = 0; at < batches.length; at += IN_FLIGHT)
    await Promise.all(
      batches
        .slice(at, at + IN_FLIGHT)
        .map((batch) => nats.js.publish(batchSubject(batch.type), encode(batch), { msgID: batch.id })),
    );
  for (const consumer of ['analytics', 'scoring'])
    await until(`${consumer} has handled all`, () => hasHandledAll(nats, EVENT_BATCHES, consumer), 3_600_000);
}

/**
 * Events into figures and scores, with everything that follows from them (timelines, segments, changes of scores),
 * beside COPY of the same raw rows.
 */
export async function benchEvents(count: number, pairs: number): Promise<void> {
  await onStarted({}, async (started) => {
    await importRecipients(started, CONTACTS);
    const { rows } = await started.database.query<{ id: string }>('select id from contacts order by id');
    const contactIds = rows.map(({ id }) => Number(id));
    const pairsOf: Record<'columns' | 'json', { ours: Rates; reference: number }[]> = { columns: [], json: [] };
    for (let pair = 0; pair < pairs; pair += 1) {
      const batches = makeBatches(contactIds, count);
      const columns = await copyColumns(started, batches, count);
      const json = await copyJson(started, batches, count);
      const ours = await measureWork(started, 'event', count, () => consume(started, batches));
      pairsOf.columns.push({ ours, reference: columns });
      pairsOf.json.push({ ours, reference: json });
    }
    console.log(`${count} events of ${CONTACTS} contacts into scores and figures`);
    console.log('beside COPY of the same rows into a table like our raw events, with a BRIN index only:');
    printRates('events', 'COPY', pairsOf.columns);
    console.log('beside COPY of the events as JSON into a table with a unique id:');
    printRates('events', 'COPY', pairsOf.json);
  });
}
