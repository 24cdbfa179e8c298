import type { EntityManager } from '../db/orm.ts';
import { oldestWaitingEvent } from '../domain/analytics/read-figures.ts';
import { nextMessage } from '../events/nats.ts';
import { EVENT_BATCHES } from '../events/streams.ts';
import type { Deps } from './deps.ts';

/** The time limit for each request to JetStream, so that an outage does not delay the response. */
const JETSTREAM_MS = 1_500;

/**
 * The time up to which the analytics consumer has processed all events: `now`, or the publish time of the oldest batch
 * that it may not have acknowledged.
 */
async function foldedUntil({ nats: { connection } }: Pick<Deps, 'nats'>, now: Date): Promise<Date> {
  const jsm = await connection.jetstreamManager({ checkAPI: false, timeout: JETSTREAM_MS });
  const info = await jsm.consumers.info(EVENT_BATCHES, 'analytics').catch(() => null);
  if (!info || info.num_pending + info.num_ack_pending === 0) return now;
  const oldest = await nextMessage(jsm, EVENT_BATCHES, info.ack_floor.stream_seq + 1).catch(() => null);
  return oldest?.time ?? new Date(info.created);
}

/** The time up to which the figures are complete: events still in the outbox or in the stream are not included. */
export async function figuresAsOf(deps: Pick<Deps, 'nats'>, em: EntityManager, now: Date): Promise<Date> {
  const waiting = await oldestWaitingEvent(em);
  const folded = await foldedUntil(deps, now);
  return waiting && waiting < folded ? waiting : folded;
}
