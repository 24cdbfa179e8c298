import { parseArgs } from 'node:util';
import { readEnv } from '../../config/env.ts';
import { rows, sql, tenantEm } from '../../db/orm.ts';
import type { EventType } from '../../events/contracts.ts';
import type { JsMsg, Nats } from '../../transport/nats.ts';
import { appendEvents, type NewEvent } from '../../events/outbox.ts';
import { consumerConfig, ensureConsumer, EVENT_BATCHES, EVENTS } from '../../transport/streams.ts';
import { createDeps, type Deps } from '../../runtime/deps.ts';
import { seededRandom } from '../demo/random.ts';
import { checkEvents } from './events-outcome.ts';
import { makeSubjects, type Subjects } from './events-subjects.ts';
import { pause } from '../process.ts';
import { withClient } from '../stack/postgres.ts';
import { startParts, type Parts } from './parts.ts';

/** Killed in turn: the worker, which has the consumers, and Postgres most often. */
const VICTIMS = ['worker', 'Postgres', 'relay', 'worker', 'Postgres', 'NATS'];
/** The most events of one transaction. */
const MOST_TOGETHER = 1_000;
const TYPES = [
  'EMAIL_SENT',
  'EMAIL_OPENED',
  'EMAIL_CLICKED',
  'WEBSITE_VISITED',
  'FORM_SUBMITTED',
  'GOAL_MET',
] as const satisfies readonly EventType[];
/** The events are of this time, up to now. */
const PERIOD_MS = 3 * 86_400_000;
/** The share of events that are older than those before them, and by how much at most. */
const LATE = 0.05;
const LATE_MS = 3_600_000;
/** The share of batches that is published again, and the most that wait for it. */
const REPEATED = 0.1;
const KEPT = 20;
const STALLED_MS = 5 * 60_000;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

/**
 * Writes events of many contacts of two tenants, a twentieth of them late by up to an hour, while workers, relay,
 * Postgres and NATS are killed with kill -9, and publishes a tenth of the batches again. Then compares timelines,
 * figures, scores, thresholds and leaderboards with what SQL makes of the written events, and the stream for other
 * programs with the written events. Returns true if all agree.
 */
export async function eventFaults(args: string[]): Promise<boolean> {
  const { values } = parseArgs({
    args,
    options: {
      events: { type: 'string', default: '1000000' },
      kills: { type: 'string', default: '18' },
      seed: { type: 'string', default: '1' },
    },
  });
  const [count, kills] = [Number(values.events), Number(values.kills)];
  const random = seededRandom(Number(values.seed));
  const parts = await startParts({ senders: 1, connections: 5, inDoubt: 100, log: say });
  const deps = await createDeps(readEnv(parts.env), 'faults');
  try {
    const subjects = await makeSubjects(parts.ownerUrl);
    const repeater = await startRepeater(deps.nats, seededRandom(Number(values.seed) + 1));
    const progress = { written: 0 };
    const begun = performance.now();
    const writing = writeEvents(deps, subjects, count, random, progress);
    for (let kill = 1; kill <= kills; kill += 1) {
      while (progress.written < (count * kill) / (kills + 1)) await Promise.race([pause(100), writing]);
      const victim = VICTIMS[(kill - 1) % VICTIMS.length]!;
      await parts.part(victim).kill();
      say(`kill ${kill}, of ${victim}: ${progress.written} events were written`);
    }
    await writing;
    await untilHandled(parts, deps.nats);
    const { repeated, batches } = await repeater.stop();
    await untilHandled(parts, deps.nats);
    say(`${repeated} of ${batches} batches were published again`);
    say(`${Math.round((performance.now() - begun) / 1_000)} s until everything was handled`);
    return await checkEvents({ parts, deps, subjects, count, readPublished: () => publishedIds(deps.nats), say });
  } finally {
    await deps.close();
    await parts.stop();
  }
}

/** Writes events in transactions of random size, as the service does; one that fails is written again. */
async function writeEvents(
  { orm }: Deps,
  subjects: Subjects,
  count: number,
  random: () => number,
  progress: { written: number },
): Promise<void> {
  const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)]!;
  const begin = Date.now() - PERIOD_MS;
  while (progress.written < count) {
    const size = Math.ceil(random() ** 3 * MOST_TOGETHER);
    const type = pick(TYPES);
    const tenantId = pick(subjects.tenantIds);
    const contactIds = subjects.contactIds.get(tenantId)!;
    // Some contacts have many events; sometimes all are of one contact.
    const some = random() < 0.05 ? [pick(contactIds)] : contactIds;
    const events = Array.from({ length: size }, (_, n) => {
      const due = begin + (PERIOD_MS * Math.min(count, progress.written + n)) / count;
      const at = new Date(Math.floor(due - (random() < LATE ? random() * LATE_MS : 0)));
      return eventOf(type, at, some[Math.floor(random() ** 2 * some.length)]!, random);
    });
    await tenantEm(orm, tenantId)
      .transactional(async (tx) => {
        const ids = await appendEvents(tx, { tenantId, requestId: null }, events);
        const payload = JSON.stringify(events.map(({ at, data }, n) => ({ ...data, id: ids[n], at })));
        await rows(
          tx,
          sql`
          insert into published
          select id, ${tenantId}, ${type}, at, coalesce("recipientId", "contactId"), "campaignId", "templateId", "formId",
            url, status, coalesce(automated, false), coalesce(first, false)
          from jsonb_to_recordset(${payload}::jsonb) as r(id uuid, at timestamptz, "recipientId" bigint, "contactId" bigint,
            "campaignId" bigint, "templateId" bigint, "formId" bigint, url text, status text, automated boolean, first boolean)`,
        );
      })
      .then(
        () => (progress.written += size),
        // Whether it was committed or not, the table says so.
        () => pause(200),
      );
  }
}

function eventOf(type: (typeof TYPES)[number], at: Date, contactId: number, random: () => number): NewEvent {
  const upTo = (n: number): number => 1 + Math.floor(random() * n);
  const email = { emailId: 1, templateId: upTo(20), campaignId: upTo(10) };
  const url = `https://example.com/page/${upTo(30)}`;
  const [automated, first] = [random() < 0.3, random() < 0.5];
  switch (type) {
    case 'EMAIL_SENT':
      return { type, at, data: { ...email, recipientId: contactId, status: random() < 0.9 ? 'SENT' : 'FAILED' } };
    case 'EMAIL_OPENED':
      return { type, at, data: { ...email, contactId, automated, first } };
    case 'EMAIL_CLICKED':
      return { type, at, data: { ...email, contactId, automated, first, url } };
    case 'WEBSITE_VISITED':
      return { type, at, data: { contactId, url } };
    case 'FORM_SUBMITTED':
      return { type, at, data: { contactId, formId: upTo(5), submissionId: 1 } };
    case 'GOAL_MET':
      return { type, at, data: { contactId, campaignId: email.campaignId, executionId: 1, stepId: 'goal' } };
  }
}

/** Publishes a share of the batches again, some messages later. */
async function startRepeater(
  { js, jsm }: Nats,
  random: () => number,
): Promise<{ stop: () => Promise<{ repeated: number; batches: number }> }> {
  const name = 'faults-repeater';
  await ensureConsumer(jsm, EVENT_BATCHES, consumerConfig(name));
  const consumer = await js.consumers.get(EVENT_BATCHES, name);
  const seen = new Set<string>();
  const kept: JsMsg[] = [];
  let repeated = 0;
  let stopping = false;
  const repeat = async (message: JsMsg): Promise<void> => {
    // Without a message id, so that the stream takes it for a new one.
    await js.publish(message.subject, message.data);
    message.ack();
    repeated += 1;
  };
  const loop = (async () => {
    while (!stopping) {
      try {
        const messages = await consumer.fetch({ max_messages: 100, expires: 1_000 });
        for await (const message of messages) {
          const { id } = message.json<{ id: string }>();
          if (seen.has(id) || random() >= REPEATED) message.ack();
          else kept.push(message);
          seen.add(id);
        }
        // In reverse: the newest first.
        if (kept.length > KEPT || random() < 0.1) for (const message of kept.splice(0).reverse()) await repeat(message);
      } catch {
        await pause(500);
      }
    }
    for (const message of kept) await repeat(message);
  })();
  return {
    async stop() {
      stopping = true;
      await loop;
      await jsm.consumers.delete(EVENT_BATCHES, name);
      return { repeated, batches: seen.size };
    },
  };
}

/** Waits until the outbox is empty and every consumer of the service has handled everything. */
async function untilHandled(parts: Parts, { jsm }: Nats): Promise<void> {
  let last = '';
  for (let since = Date.now(), calm = 0; calm < 3;) {
    await pause(500);
    const { rows: waiting } = await withClient(parts.ownerUrl, (owner) =>
      owner.query<{ n: string }>('select count(*) as n from outbox_events'),
    );
    const consumers = await jsm.consumers.list(EVENT_BATCHES).next();
    const left = consumers
      .filter(({ name }) => name !== 'faults-repeater')
      .map(({ name, num_pending, num_ack_pending }) => `${name} ${num_pending + num_ack_pending}`);
    const now = `${waiting[0]!.n} in the outbox, ${left.join(', ')}`;
    calm = waiting[0]!.n === '0' && left.every((line) => line.endsWith(' 0')) ? calm + 1 : 0;
    if (now !== last) [last, since] = [now, Date.now()];
    if (calm === 0 && Date.now() - since > STALLED_MS) throw new Error(`The consumers are stuck: ${now}`);
  }
}

/** The ids of the events on EVENTS, by type. */
async function publishedIds({ js, jsm }: Nats): Promise<Map<string, Set<string>>> {
  const { state } = await jsm.streams.info(EVENTS);
  const consumer = await js.consumers.get(EVENTS);
  const found = new Map<string, Set<string>>();
  const messages = await consumer.consume();
  for await (const message of messages) {
    const { id, type } = message.json<{ id: string; type: string }>();
    (found.get(type) ?? found.set(type, new Set()).get(type)!).add(id);
    if (message.seq === state.last_seq) break;
  }
  return found;
}
