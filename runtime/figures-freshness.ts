import type { JetStreamManager } from 'nats';
import { engineEm, rows, sql, type EntityManager } from '../db/orm.ts';
import type { EventBatch } from '../events/contracts.ts';
import { decodeText, isNotFound, isUnanswered, nextMessage, nullIfMissing, type Nats } from '../events/nats.ts';
import { EVENT_BATCHES, TRACKING_HITS } from '../events/streams.ts';
import type { Deps } from './deps.ts';

/** The time limit for each request to JetStream, so that an outage does not delay a response. */
const JETSTREAM_MS = 1_500;

/** Up to when events were counted when JetStream last answered, of each connection. */
const lastKnown = new WeakMap<Nats, Date>();

/**
 * The time up to which figures are complete: `now`, or the time of the oldest hit or event that waits on its way to the
 * figures. `em` sees the hits and the outbox of a tenant, or of all. While JetStream does not respond, it is not later
 * than what was known when it last did; 1970 if it never did.
 */
export async function figuresAsOf(deps: Pick<Deps, 'nats'>, em: EntityManager, now: Date): Promise<Date> {
  const times = [now];
  try {
    // In the order of the way, so that nothing moves on from what was not looked at yet to what was.
    const jsm = await deps.nats.connection.jetstreamManager({ checkAPI: false, timeout: JETSTREAM_MS });
    const hits = await jsm.streams.info(TRACKING_HITS).catch(nullIfMissing);
    if (hits && hits.state.messages > 0) times.push(new Date(hits.state.first_ts));
    const [waiting] = await em.transactional((tx) =>
      rows<{ hit: Date | null; event: Date | null }>(
        tx,
        sql`
        select (select min(at) from email_events where automated is null) as hit,
          (select min(occurred_at) from outbox_events) as event`,
      ),
    );
    times.push(...[waiting!.hit, waiting!.event, await oldestUncounted(jsm)].filter((time) => time !== null));
    const asOf = new Date(Math.min(...times.map((time) => time.getTime())));
    lastKnown.set(deps.nats, asOf);
    return asOf;
  } catch (error) {
    if (!isUnanswered(error)) throw error;
    return lastKnown.get(deps.nats) ?? new Date(0);
  }
}

/**
 * The time of the events of the oldest batch that the consumer may not have counted; null if there is none. Does not go
 * by the number of pending messages: the server counts a message for its consumers after it has acknowledged it to its
 * publisher.
 */
export async function oldestUncounted(jsm: JetStreamManager): Promise<Date | null> {
  const info = await jsm.consumers.info(EVENT_BATCHES, 'analytics').catch(nullIfMissing);
  if (!info) return null;
  const seq = info.ack_floor.stream_seq + 1;
  const next = (subject?: string): Promise<Date | null> =>
    nextMessage(jsm, EVENT_BATCHES, seq, subject).then(timeOf, (error: unknown) => {
      if (isNotFound(error)) return null;
      throw error;
    });
  // Often there is none for any consumer, which is one question.
  if ((await next()) === null) return null;
  const oldest = await Promise.all((info.config.filter_subjects ?? []).map(next));
  const times = oldest.filter((time) => time !== null).map((time) => time.getTime());
  return times.length > 0 ? new Date(Math.min(...times)) : null;
}

/** The time of the earliest event of a batch; that of its publishing if it cannot be read. */
function timeOf({ data, time }: { data: Uint8Array; time: Date }): Date {
  try {
    const at = Date.parse((JSON.parse(decodeText(data)) as EventBatch).time);
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
