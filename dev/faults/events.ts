import { parseArgs } from 'node:util';
import { readEnv } from '../../config/env.ts';
import { rows, sql, tenantEm } from '../../db/orm.ts';
import type { EventType } from '../../events/contracts.ts';
import type { JsMsg, Nats } from '../../events/nats.ts';
import { appendEvents, type NewEvent } from '../../events/outbox.ts';
import { consumerConfig, ensureConsumer, EVENT_BATCHES, EVENTS } from '../../events/streams.ts';
import { createDeps, type Deps } from '../../runtime/deps.ts';
import { seededRandom } from '../demo/random.ts';
import { pause } from '../process.ts';
import { withClient } from '../stack/postgres.ts';
import { startParts, type Parts } from './parts.ts';

/** Killed in turn. */
const VICTIMS = ['worker', 'relay', 'Postgres', 'worker', 'relay', 'Postgres', 'NATS'];
const TENANT = 'default';
const CONTACTS = 2_000;
/** The most events of one transaction. */
const MOST_TOGETHER = 1_000;
const TYPES = ['WEBSITE_VISITED', 'FORM_SUBMITTED', 'EMAIL_CLICKED'] as const satisfies readonly EventType[];
const PERIOD_MS = 2 * 3_600_000;
/** The share of batches that is published again, and the most that wait for it. */
const REPEATED = 0.1;
const KEPT = 20;
const STALLED_MS = 5 * 60_000;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

/**
 * Writes events of many contacts while workers, relay, Postgres and NATS are killed with kill -9, and publishes a tenth
 * of the batches again, late and out of order. Then compares timelines, figures and scores with what the written events
 * add up to, and the stream for other programs with the written events. Returns true if all agree.
 */
export async function eventFaults(args: string[]): Promise<boolean> {
  const { values } = parseArgs({
    args,
    options: {
      events: { type: 'string', default: '200000' },
      kills: { type: 'string', default: '20' },
      seed: { type: 'string', default: '1' },
    },
  });
  const [count, kills] = [Number(values.events), Number(values.kills)];
  const random = seededRandom(Number(values.seed));
  const parts = await startParts({ senders: 1, connections: 5, inDoubt: 100, log: say });
  const deps = await createDeps(readEnv(parts.env), 'faults');
  try {
    const contactIds = await makeContacts(parts);
    const repeater = await startRepeater(deps.nats, seededRandom(Number(values.seed) + 1));
    const progress = { written: 0 };
    const writing = writeEvents(deps, contactIds, count, random, progress);
    for (let kill = 1; kill <= kills; kill += 1) {
      while (progress.written < (count * kill) / (kills + 1)) await Promise.race([pause(100), writing]);
      const victim = VICTIMS[kill % VICTIMS.length]!;
      await parts.part(victim).kill();
      say(`kill ${kill}, of ${victim}: ${progress.written} events were written`);
    }
    await writing;
    await untilHandled(parts, deps.nats);
    const { repeated, batches } = await repeater.stop();
    await untilHandled(parts, deps.nats);
    say(`${repeated} of ${batches} batches were published again`);
    return await check(parts, deps.nats, count);
  } finally {
    await deps.close();
    await parts.stop();
  }
}

/** Makes the contacts, and the table of the written events. */
const makeContacts = (parts: Parts): Promise<number[]> =>
  withClient(parts.ownerUrl, async (owner) => {
    await owner.query(`
      create table written (id uuid primary key, type text, at timestamptz, contact_id bigint, automated boolean);
      grant insert on written to perennial_app`);
    const { rows } = await owner.query<{ id: string }>(`
      insert into contacts (tenant_id, first_name, last_name, email, email_key, created_activity_id)
      select '${TENANT}', 'F', 'L', 'e' || n || '@faults.example', 'e' || n || '@faults.example', null
      from generate_series(1, ${CONTACTS}) n returning id`);
    return rows.map(({ id }) => Number(id));
  });

/** Writes events in transactions of random size, as the service does; one that fails is written again. */
async function writeEvents(
  { orm }: Deps,
  contactIds: readonly number[],
  count: number,
  random: () => number,
  progress: { written: number },
): Promise<void> {
  const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)]!;
  while (progress.written < count) {
    const size = Math.ceil(random() ** 3 * MOST_TOGETHER);
    const type = pick(TYPES);
    const at = new Date(Date.now() - Math.floor(random() * PERIOD_MS));
    // Sometimes all are of one contact.
    const some = random() < 0.1 ? [pick(contactIds)] : contactIds;
    const events = Array.from({ length: size }, () =>
      eventOf(type, at, pick(some), type === 'EMAIL_CLICKED' && random() < 0.3),
    );
    await tenantEm(orm, TENANT)
      .transactional(async (tx) => {
        const ids = await appendEvents(tx, { tenantId: TENANT, requestId: null }, events);
        const payload = JSON.stringify(events.map(({ data }, n) => ({ ...data, id: ids[n] })));
        await rows(
          tx,
          sql`
          insert into written select id, ${type}, ${at}, "contactId", coalesce(automated, false)
          from jsonb_to_recordset(${payload}::jsonb) as r(id uuid, "contactId" bigint, automated boolean)`,
        );
      })
      .then(
        () => (progress.written += size),
        // Whether it was committed or not, the table says so.
        () => pause(200),
      );
  }
}

function eventOf(type: (typeof TYPES)[number], at: Date, contactId: number, automated: boolean): NewEvent {
  const url = 'https://example.com/page';
  switch (type) {
    case 'WEBSITE_VISITED':
      return { type, at, data: { contactId, url } };
    case 'FORM_SUBMITTED':
      return { type, at, data: { contactId, formId: 1, submissionId: 1 } };
    case 'EMAIL_CLICKED':
      return { type, at, data: { contactId, emailId: 1, url, automated } };
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

async function check(parts: Parts, nats: Nats, count: number): Promise<boolean> {
  const published = await publishedIds(nats);
  return withClient(parts.ownerUrl, async (owner) => {
    const n = async (text: string): Promise<number> => Number((await owner.query<{ n: string }>(text)).rows[0]!.n);
    const idsOf = async (text: string): Promise<string[]> =>
      (await owner.query<{ id: string }>(text)).rows.map(({ id }) => id);
    const written = await idsOf('select id from written');
    const scored = await idsOf(`select event_id as id from contact_activities where type = 'SCORE_UPDATED'`);
    const missing = (type: string, ids: readonly string[]): number =>
      ids.filter((id) => !published.get(type)?.has(id)).length;
    const of = (type: string): Promise<string[]> => idsOf(`select id from written where type = '${type}'`);
    const unpublished = [];
    for (const type of TYPES) unpublished.push(missing(type, await of(type)));
    const expected = `select type, contact_id, id from written`;
    const actual = `select type, contact_id, event_id from contact_activities where type = any('{${TYPES.join()}}')`;
    const figures = `
      select metric, at, count from analytics_windows where dimension = '' and minutes = 5 and metric in ('submissions', 'clicks')`;
    const countedFigures = `
      select case type when 'FORM_SUBMITTED' then 'submissions' else 'clicks' end, date_bin('5 minutes', at, 'epoch'), count(*)
      from written where type <> 'WEBSITE_VISITED' and not automated group by 1, 2`;
    const scores = `select subject_id, total::bigint from score_totals where subject = 'contact'`;
    const countedScores = `
      select w.contact_id, sum(r.points * r.weight)::bigint from written w
      join scoring_rules r on r.tenant_id = '${TENANT}' and r.event_type = w.type and r.active where not w.automated group by 1`;
    const differences = (a: string, b: string): Promise<number> =>
      n(`select count(*) as n from ((${a} except all ${b}) union all (${b} except all ${a})) d`);
    const verdicts: [string, number, boolean][] = [
      ['events written', written.length, written.length >= count],
      ['processes that ended without being killed', parts.crashes(), parts.crashes() === 0],
      ...(
        [
          ['entries of timelines that are missing or too many', await differences(expected, actual)],
          ['figures that are not what was written', await differences(figures, countedFigures)],
          ['scores that are not what was written', await differences(scores, countedScores)],
          ['written events that other programs can not read', unpublished.reduce((sum, some) => sum + some, 0)],
          ['changes of scores that other programs can not read', missing('SCORE_UPDATED', scored)],
          ['dead letters', await n('select count(*) as n from dead_letters')],
        ] as [string, number][]
      ).map(([what, bad]): [string, number, boolean] => [what, bad, bad === 0]),
    ];
    for (const [what, found, holds] of verdicts) say(`${holds ? '  ' : '! '}${what}: ${found}`);
    const good = verdicts.every(([, , holds]) => holds);
    say(good ? 'everything that was written took effect once' : 'NOT AS PROMISED');
    return good;
  });
}
