import type { JetStreamManager } from 'nats';
import { engineEm, rows, sql, type EntityManager } from '../db/orm.ts';
import type { EventBatch } from '../events/contracts.ts';
import { decodeText, isNotFound, isUnanswered, nextMessage, nullIfMissing, type Nats } from '../transport/nats.ts';
import { EVENT_BATCHES, TRACKING_HITS } from '../transport/streams.ts';
import type { Deps } from './deps.ts';

/** The time limit for each request to JetStream, so that an outage does not delay a response. */
const JETSTREAM_MS = 1_500;

/** What is known of figures while JetStream has never responded. */
export const NEVER = new Date(0);

/** The events of a subject are not in the order of their times: those of hits come as hits are classified. */
const OUT_OF_ORDER_MS = 5_000;

/** For each connection, up to when JetStream held nothing that was not counted, when it last responded. */
const lastKnown = new WeakMap<Nats, Date>();

/**
 * The time up to which figures are complete: `now`, or the time of the oldest hit or event that waits on its way to the
 * figures. `em` sees the hits and the outbox of a tenant, or of all. While JetStream does not respond, it is not later
 * than what was known of JetStream when it last did; NEVER if it never did.
 */
export async function figuresAsOf(deps: Pick<Deps, 'nats'>, em: EntityManager, now: Date): Promise<Date> {
  const jsm = await connectJetStream(deps).catch(nullIfUnanswered);
  // Read in the order in which a hit becomes a counted event: else it could pass from a place that is read later to one
  // that was read before, and be missed.
  const hits = jsm && (await oldestHit(jsm).catch(nullIfUnanswered));
  const [waiting] = await em.transactional((tx) =>
    rows<{ hit: Date | null; event: Date | null }>(
      tx,
      sql`
      select least((select min(at) from email_events where automated is null), (select min(at) from message_clicks where automated is null)) as hit,
        (select min(occurred_at) from outbox_events) as event`,
    ),
  );
  const batches = jsm && (await oldestUncounted(jsm).catch(nullIfUnanswered));
  if (hits && batches) lastKnown.set(deps.nats, earliest([now, hits.at, batches.at]));
  return earliest([now, lastKnown.get(deps.nats) ?? NEVER, waiting!.hit, waiting!.event]);
}

const connectJetStream = async ({ nats }: Pick<Deps, 'nats'>): Promise<JetStreamManager> =>
  nats.connection.jetstreamManager({ checkAPI: false, timeout: JETSTREAM_MS });

const earliest = (times: readonly (Date | null)[]): Date =>
  new Date(Math.min(...times.filter((time) => time !== null).map((time) => time.getTime())));

/** For `catch`: null if JetStream did not respond; throws any other error. */
function nullIfUnanswered(error: unknown): null {
  if (isUnanswered(error)) return null;
  throw error;
}

/** The time of something that waits; null if nothing does. */
interface Oldest {
  at: Date | null;
}

async function oldestHit(jsm: JetStreamManager): Promise<Oldest> {
  const stream = await jsm.streams.info(TRACKING_HITS).catch(nullIfMissing);
  return { at: stream && stream.state.messages > 0 ? new Date(stream.state.first_ts) : null };
}

/**
 * The time of the oldest events that the consumer may not have counted. Does not go by the number of pending messages:
 * the server counts a message for its consumers after it has acknowledged it to its publisher.
 */
export async function oldestUncounted(jsm: JetStreamManager): Promise<Oldest> {
  const info = await jsm.consumers.info(EVENT_BATCHES, 'analytics').catch(nullIfMissing);
  if (!info) return { at: null };
  const seq = info.ack_floor.stream_seq + 1;
  const next = (subject?: string): Promise<Date | null> =>
    nextMessage(jsm, EVENT_BATCHES, seq, subject).then(timeOf, (error: unknown) => {
      if (isNotFound(error)) return null;
      throw error;
    });
  // Often there is none for any consumer, which is one question.
  if ((await next()) === null) return { at: null };
  const times = (await Promise.all((info.config.filter_subjects ?? []).map(next))).filter((time) => time !== null);
  return { at: times.length > 0 ? new Date(earliest(times).getTime() - OUT_OF_ORDER_MS) : null };
}

/** The time of the earliest event of a batch and of those that follow it; that of its publishing if it cannot be read. */
function timeOf({ data, time }: { data: Uint8Array; time: Date }): Date {
  try {
    const batch = JSON.parse(decodeText(data)) as EventBatch;
    const at = Date.parse(batch.oldest ?? batch.time);
    return Number.isNaN(at) ? time : new Date(Math.min(at, time.getTime()));
  } catch {
    return time;
  }
}

/** Measures how far figures are behind, for the metrics. */
export async function watchFigures(deps: Pick<Deps, 'nats' | 'orm' | 'metrics'>): Promise<void> {
  const now = new Date();
  const asOf = await figuresAsOf(deps, engineEm(deps.orm), now);
  deps.metrics.analyticsLag.set((now.getTime() - asOf.getTime()) / 1000);
}
