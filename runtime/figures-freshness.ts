import { engineEm, rows, sql, type EntityManager } from '../db/orm.ts';
import { isNotFound, nextMessage } from '../events/nats.ts';
import { EVENT_BATCHES } from '../events/streams.ts';
import type { Deps } from './deps.ts';

/** The time limit for each request to JetStream, so that an outage does not delay a response. */
const JETSTREAM_MS = 1_500;

/**
 * The time up to which figures are complete: `now`, or the time of the oldest event that waits in the outbox, or of the
 * publishing of the oldest batch that the consumer may not have counted. `em` sees the outbox of a tenant, or of all.
 * While JetStream does not respond, only the outbox is looked at.
 */
export async function figuresAsOf(deps: Pick<Deps, 'nats'>, em: EntityManager, now: Date): Promise<Date> {
  const [waiting] = await em.transactional((tx) =>
    rows<{ at: Date | null }>(tx, sql`select min(occurred_at) as at from outbox_events`),
  );
  const times = [now, waiting!.at, await oldestUncounted(deps)].filter((time) => time !== null);
  return new Date(Math.min(...times.map((time) => time.getTime())));
}

/**
 * When the oldest batch was published that the consumer may not have counted; null if there is none. Does not go by the
 * number of pending messages: the server counts a message for its consumers after it has acknowledged it to its publisher.
 */
export async function oldestUncounted({ nats: { connection } }: Pick<Deps, 'nats'>): Promise<Date | null> {
  const jsm = await connection.jetstreamManager({ checkAPI: false, timeout: JETSTREAM_MS });
  const info = await jsm.consumers.info(EVENT_BATCHES, 'analytics').catch(() => null);
  if (!info) return null;
  const seq = info.ack_floor.stream_seq + 1;
  const next = (subject?: string): Promise<Date | null> =>
    nextMessage(jsm, EVENT_BATCHES, seq, subject).then(
      ({ time }) => time,
      (error: unknown) => (isNotFound(error) ? null : new Date(info.created)),
    );
  // Often there is none for any consumer, which is one question.
  if ((await next()) === null) return null;
  const oldest = await Promise.all((info.config.filter_subjects ?? []).map(next));
  const times = oldest.filter((time) => time !== null).map((time) => time.getTime());
  return times.length > 0 ? new Date(Math.min(...times)) : null;
}

/** Measures how far figures are behind, for the metrics. */
export async function watchFigures(deps: Pick<Deps, 'nats' | 'orm' | 'metrics'>): Promise<void> {
  const now = new Date();
  const asOf = await figuresAsOf(deps, engineEm(deps.orm), now);
  deps.metrics.analyticsLag.set((now.getTime() - asOf.getTime()) / 1000);
}
