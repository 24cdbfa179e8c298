import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '../config/logger.ts';
import type { EventHandler } from './event-handler.ts';
import type { AnyEvent, EventBatch } from '../events/contracts.ts';
import { decodeText, encode, nullIfMissing, publishAll, type JsMsg, type Message, type Nats } from './nats.ts';
import { batchSubject, EVENTS } from './streams.ts';

const AT_ONCE = 500;
const FETCH_MS = 1_000;

/**
 * Upgrades from the releases whose consumers read single events from EVENTS: forwards what these consumers have not
 * handled as batches of one event, and deletes them. The batch has the id of its event, under which a consumer that has
 * handled it has an inbox row. Waits until the workers of the earlier release have stopped.
 */
export async function forwardSingleEvents(
  { nats, log }: { nats: Nats; log: Logger },
  handlers: readonly EventHandler[],
): Promise<void> {
  for (const { name } of handlers) {
    for (let waited = false; ;) {
      const info = await nats.jsm.consumers.info(EVENTS, name).catch(nullIfMissing);
      if (info === null) break;
      if (info.num_pending + info.num_ack_pending === 0 && info.num_waiting === 0) {
        await nats.jsm.consumers.delete(EVENTS, name).catch(nullIfMissing);
        break;
      }
      if (info.num_waiting > 0 && !waited) {
        log.warn({ consumer: name }, 'waiting until the workers of the previous release have stopped');
        waited = true;
      }
      if (info.num_waiting > 0) await delay(FETCH_MS);
      else await forwardSome(nats, name);
    }
  }
}

async function forwardSome(nats: Nats, name: string): Promise<void> {
  const consumer = await nats.js.consumers.get(EVENTS, name);
  const messages: JsMsg[] = [];
  for await (const message of await consumer.fetch({ max_messages: AT_ONCE, expires: FETCH_MS }))
    messages.push(message);
  await publishAll(nats, messages.flatMap(batchOfOne));
  for (const message of messages) message.ack();
}

/** Empty for what is no event: no consumer could have handled it. */
function batchOfOne({ data, subject }: JsMsg): Message[] {
  try {
    const event = JSON.parse(decodeText(data)) as AnyEvent;
    const { id, tenantid, type, time, requestid } = event;
    const { tenantId: _tenant, timestamp: _time, ...own } = event.data as Record<string, unknown>;
    const batch: EventBatch = {
      id,
      tenantid,
      type,
      time,
      ...(requestid ? { requestid } : {}),
      events: [{ id, data: own }],
    };
    return subject.endsWith(`.${type}`) ? [{ subject: batchSubject(type), data: encode(batch) }] : [];
  } catch {
    return [];
  }
}
