import { randomUUID } from 'node:crypto';
import type { NatsError } from 'nats';
import { engineEm, rows, sql } from '../../db/orm.ts';
import type { AnyEvent, EventType } from '../../events/contracts.ts';
import { encode, type Nats } from '../../transport/nats.ts';
import { batchSubject, EVENT_BATCHES } from '../../transport/streams.ts';
import type { Service } from './service.ts';
import { until } from './until.ts';

/** An event as the relay publishes it, of now or of `at`. */
export function eventOf(type: EventType, data: object, at = new Date(), tenantid = 'default'): AnyEvent {
  const time = at.toISOString();
  return {
    specversion: '1.0',
    id: randomUUID(),
    source: '/test',
    type,
    time,
    datacontenttype: 'application/json',
    tenantid,
    data: { ...data, tenantId: tenantid, timestamp: time },
  } as unknown as AnyEvent;
}

/** Publishes events for the service's consumers, each as a batch of one, as often as it is called. */
export async function publish(service: Service, ...events: AnyEvent[]): Promise<void> {
  for (const { id, tenantid, type, time, data } of events) {
    const { tenantId: _tenant, timestamp: _time, ...own } = data as Record<string, unknown>;
    const batch = { id, tenantid, type, time, events: [{ id, data: own }] };
    await service.deps.nats.js.publish(batchSubject(type), encode(batch));
  }
}

/**
 * Whether a consumer has acknowledged every message of a stream. The server tells its consumers of a message after it
 * has acknowledged it to its publisher, so `num_pending` alone can be 0 too early.
 */
export async function hasHandledAll({ jsm }: Nats, stream: string, consumer: string): Promise<boolean> {
  const { num_pending, num_ack_pending, delivered, config } = await jsm.consumers.info(stream, consumer);
  if (num_pending + num_ack_pending > 0) return false;
  for (const subject of config.filter_subjects ?? [config.filter_subject ?? '>']) {
    const last = await jsm.streams.getMessage(stream, { last_by_subj: subject }).catch((error: unknown) => {
      // Handled messages are deleted.
      if ((error as NatsError).api_error?.code === 404) return null;
      throw error;
    });
    if (last && last.seq > delivered.stream_seq) return false;
  }
  return true;
}

/** Waits until the outbox is empty and these consumers have acknowledged everything. */
export async function settled(service: Service, ...consumers: string[]): Promise<void> {
  const { jsm } = service.deps.nats;
  const last = async () => (await jsm.streams.info(EVENT_BATCHES)).state.last_seq;
  await until(
    'all events are handled',
    async () => {
      const before = await last();
      for (const name of consumers) {
        if (!(await hasHandledAll(service.deps.nats, EVENT_BATCHES, name))) return false;
      }
      const [outbox] = await engineEm(service.deps.orm).transactional((tx) =>
        rows<{ n: number }>(tx, sql`select count(*)::int as n from outbox_events`),
      );
      // What handling led to is in the outbox, or was published meanwhile.
      return outbox!.n === 0 && (await last()) === before;
    },
    60_000,
  );
}
