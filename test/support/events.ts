import { randomUUID } from 'node:crypto';
import { engineEm, rows, sql } from '../../db/orm.ts';
import type { AnyEvent, EventType } from '../../events/contracts.ts';
import { encode } from '../../events/nats.ts';
import { batchSubject, EVENT_BATCHES } from '../../events/streams.ts';
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

/** Waits until the outbox is empty and these consumers have acknowledged everything. */
export async function settled(service: Service, ...consumers: string[]): Promise<void> {
  const { jsm } = service.deps.nats;
  const last = async () => (await jsm.streams.info(EVENT_BATCHES)).state.last_seq;
  await until(
    'all events are handled',
    async () => {
      const before = await last();
      for (const name of consumers) {
        const info = await jsm.consumers.info(EVENT_BATCHES, name);
        if (info.num_pending + info.num_ack_pending > 0) return false;
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
