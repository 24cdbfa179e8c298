import { setTimeout as delay } from 'node:timers/promises';
import { errorForLog } from '../config/error-for-log.ts';
import type { Logger } from '../config/logger.ts';
import type { Metrics } from '../config/metrics.ts';
import { SpanKind, type Tracing } from '../config/tracing.ts';
import { engineEm, rows, sql, type EntityManager, type Orm } from '../db/orm.ts';
import { retried } from '../db/errors.ts';
import { eventContracts, eventSubject, type AnyEvent, type EventType } from './contracts.ts';
import { compileRequest } from '../domain/common/schema-check.ts';
import { decodeText, encode, isUnanswered, type JsMsg, type Nats } from './nats.ts';
import { consumerConfig, deadLetterSubject, ensureConsumer, EVENTS } from './streams.ts';
import { toAppError } from '../domain/common/database-errors.ts';

const BATCH = 500;
/**
 * The time from one batch to the next, unless a full batch waits: messages that arrive meanwhile share a transaction.
 */
const PACE_MS = 50;
/** A message that waited here longer than this extends its ack deadline; else the server would soon redeliver it. */
const STILL_WAITING_MS = 10_000;
const MAX_TRIES = 8;
/** The most tries to write a dead letter; unlimited while Postgres or NATS is unavailable. */
const MAX_LETTER_TRIES = 4;
/** The most bytes of a message in its dead letter: even if all are JSON escapes, the letter fits any server's limit. */
const MAX_BODY_BYTES = 64 * 1024;
const MAX_ID_CHARACTERS = 200;
const MAX_TENANT_CHARACTERS = 50;
/** The tenant of dead letters from work queues, which belong to no tenant. */
const QUEUES_TENANT = 'default';
const backoffMs = (deliveries: number): number => Math.min(500 * 2 ** (deliveries - 1), 60_000);

export interface Consumer {
  stop: () => Promise<void>;
}

/** Thrown for a message that can never be handled: it is dead-lettered without retries. */
export class PoisonError extends Error {
  override readonly name = 'PoisonError';
}

/** The dependencies of a consumer. */
export interface ConsumerDeps {
  orm: Orm;
  nats: Nats;
  log: Logger;
  metrics: Metrics;
  tracing: Tracing | null;
}

/**
 * Reads a durable consumer in batches, calls `handle`, and acks after it returns. If it throws, each message is tried
 * alone; one that still fails is redelivered with backoff and dead-lettered after a bounded number of tries.
 */
export async function consumeBatches(
  deps: ConsumerDeps,
  options: { stream: string; name: string; batch?: number; handle: (messages: JsMsg[]) => Promise<void> },
): Promise<Consumer> {
  const { log, nats } = deps;
  const { stream, name, handle } = options;
  const batchSize = options.batch ?? BATCH;
  const queue: { message: JsMsg; at: number }[] = [];
  let stopping = false;
  let wake: () => void = () => {};

  const fail = async (message: JsMsg, error: unknown): Promise<void> => {
    const deliveries = message.info.deliveryCount;
    if (!(error instanceof PoisonError) && deliveries < MAX_TRIES) {
      deps.metrics.consumed.inc({ consumer: name, outcome: 'retried' });
      log.warn({ err: error, consumer: name, subject: message.subject, deliveries }, 'message failed, will be retried');
      message.nak(backoffMs(deliveries));
      return;
    }
    try {
      await deadLetter(deps, name, message, error);
    } catch (problem) {
      const tries = deliveries - (error instanceof PoisonError ? 0 : MAX_TRIES - 1);
      const about = { err: problem, consumer: name, stream, seq: message.seq, subject: message.subject, deliveries };
      if (tries < MAX_LETTER_TRIES || isUnanswered(problem) || toAppError(problem)?.code === 'unavailable') {
        log.error(about, 'could not write a dead letter, will retry');
        return message.nak(backoffMs(tries));
      }
      // Drop the message, or it would block the messages behind it forever.
      message.term('its dead letter could not be written');
      deps.metrics.consumed.inc({ consumer: name, outcome: 'lost' });
      return log.error(about, 'message dropped: its dead letter could not be written');
    }
    message.ack();
    deps.metrics.consumed.inc({ consumer: name, outcome: 'dead' });
    log.error(
      { err: error, consumer: name, subject: message.subject, deliveries },
      'message moved to the dead letters',
    );
  };

  const traced = (messages: JsMsg[]): Promise<void> =>
    deps.tracing === null
      ? handle(messages)
      : deps.tracing.span(
          `process ${name}`,
          {
            kind: SpanKind.CONSUMER,
            attributes: {
              'messaging.system': 'nats',
              'messaging.destination.name': stream,
              'messaging.consumer.group.name': name,
              'messaging.batch.message_count': messages.length,
            },
          },
          () => handle(messages),
        );

  const process = async (messages: JsMsg[]): Promise<void> => {
    try {
      await traced(messages);
      for (const message of messages) message.ack();
      deps.metrics.consumed.inc({ consumer: name, outcome: 'done' }, messages.length);
    } catch (error) {
      if (messages.length === 1) return fail(messages[0]!, error);
      for (const message of messages) await process([message]);
    }
  };

  const consumer = await nats.js.consumers.get(stream, name);
  const source = await consumer.consume({
    max_messages: batchSize * 2,
    callback: (message) => {
      queue.push({ message, at: performance.now() });
      wake();
    },
  });

  const loop = (async () => {
    while (!stopping || queue.length > 0) {
      if (queue.length === 0) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        continue;
      }
      const begun = performance.now();
      const batch = queue.splice(0, batchSize);
      // If the server redelivers a message nevertheless, the inbox drops the duplicate.
      for (const { message, at } of batch) if (begun - at > STILL_WAITING_MS) message.working();
      await process(batch.map(({ message }) => message));
      if (queue.length < batchSize && !stopping) await delay(Math.max(0, begun + PACE_MS - performance.now()));
    }
  })();

  return {
    async stop() {
      stopping = true;
      await source.close();
      // Not handled yet: nak, so that the server gives it to another process at once.
      for (const { message } of queue.splice(0)) message.nak();
      wake();
      await loop;
    },
  };
}

/** Removes NUL, which Postgres cannot store. */
const withoutNul = (text: string): string => text.replaceAll('\0', '');

/** Writes a message that could not be handled to the table and the stream of dead letters; any content is possible. */
async function deadLetter(
  deps: ConsumerDeps,
  consumer: string,
  { data, headers, info, seq, subject }: JsMsg,
  error: unknown,
): Promise<void> {
  const kept = withoutNul(decodeText(data.subarray(0, MAX_BODY_BYTES)));
  const body = data.length > MAX_BODY_BYTES ? `${kept}… (the first ${MAX_BODY_BYTES} of ${data.length} bytes)` : kept;
  const { type, message } = errorForLog(error);
  const text = withoutNul(`${type}: ${message}`);
  const messageId = headers?.get('Nats-Msg-Id').slice(0, MAX_ID_CHARACTERS) ?? '';
  const [root = '', tenant = ''] = subject.split('.');
  const tenantId = root === 'events' ? tenant.slice(0, MAX_TENANT_CHARACTERS) : QUEUES_TENANT;
  await engineEm(deps.orm).transactional(async (tx) => {
    await rows(
      tx,
      sql`
      insert into dead_letters (tenant_id, consumer, subject, message_id, body, error, deliveries, stream_seq)
      values (${tenantId}, ${consumer}, ${subject}, ${withoutNul(messageId)}, ${body}, ${text}, ${info.deliveryCount}, ${seq})`,
    );
    // Publish last: if the insert fails, nothing is published, however often it is retried.
    await deps.nats.js.publish(deadLetterSubject(consumer), encode({ consumer, subject, error: text, body }), {
      msgID: `${consumer}-${info.stream}-${seq}`,
    });
  });
}

const checks = new Map(Object.entries(eventContracts).map(([type, schema]) => [type, compileRequest(schema)]));

/**
 * Parses a message as an event; null if the event has no tenant. Only the extension `tenantid` names the tenant. If
 * data or subject name another tenant, this throws PoisonError.
 */
function parseEvent(message: JsMsg): AnyEvent | null {
  let event: AnyEvent;
  try {
    event = JSON.parse(decodeText(message.data)) as AnyEvent;
  } catch (error) {
    throw new PoisonError('not JSON', { cause: error });
  }
  if (Object.hasOwn(eventContracts, event?.type) && (typeof event.tenantid !== 'string' || event.tenantid === ''))
    return null;
  const check = checks.get(event?.type);
  if (
    !check ||
    typeof event.id !== 'string' ||
    !/^[0-9a-f-]{36}$/i.test(event.id) ||
    Number.isNaN(Date.parse(event.time))
  ) {
    throw new PoisonError('not a CloudEvent of a known type');
  }
  const problems = check(event.data);
  if (problems.length > 0) throw new PoisonError(`data does not match its contract: ${JSON.stringify(problems)}`);
  const { tenantid, type, data } = event;
  if (data.tenantId !== tenantid) throw new PoisonError(`tenantid is ${tenantid}, data.tenantId ${data.tenantId}`);
  if (message.subject !== eventSubject(tenantid, type))
    throw new PoisonError(`tenant ${tenantid} and type ${type} do not match the subject ${message.subject}`);
  return event;
}

/** Inserts inbox rows, and returns the events that were not handled before. */
async function takeIn(tx: EntityManager, consumer: string, events: AnyEvent[]): Promise<AnyEvent[]> {
  const payload = JSON.stringify(
    events.map((event) => ({ t: event.tenantid, id: event.id, day: event.time.slice(0, 10) })),
  );
  const fresh = await rows<{ event_id: string }>(
    tx,
    sql`
    insert into inbox (tenant_id, consumer, event_id, day)
    select distinct r.t, ${consumer}, r.id, r.day from jsonb_to_recordset(${payload}::jsonb) as r(t text, id uuid, day date)
    on conflict do nothing returning event_id`,
  );
  const ids = new Set(fresh.map((row) => row.event_id));
  return events.filter((event) => ids.delete(event.id.toLowerCase()));
}

export interface EventHandler {
  /** Name of the durable consumer and of its inbox rows. */
  name: string;
  types: readonly EventType[];
  /**
   * Handles events that were never handled before, in the engine transaction `tx` that also inserts their inbox rows:
   * all or nothing. May return a function to be called after the commit.
   */
  handle: (tx: EntityManager, events: AnyEvent[]) => Promise<void | (() => Promise<void>)>;
}

/** Runs a handler on EVENTS. Events without a tenant are dropped and counted. */
export async function runEventHandler(deps: ConsumerDeps, handler: EventHandler): Promise<Consumer> {
  const { name: consumer, types } = handler;
  await ensureConsumer(deps.nats.jsm, EVENTS, consumerConfig(consumer, { types }));
  deps.metrics.dropped.inc({ consumer }, 0);
  return consumeBatches(deps, {
    stream: EVENTS,
    name: consumer,
    handle: async (messages) => {
      const events = messages.map(parseEvent).filter((event) => event !== null);
      if (events.length > 0) await retried(() => handleOnce(deps, handler, events));
      // Count these last: after a failure each message is handled again, and would be counted twice.
      const dropped = messages.length - events.length;
      if (dropped === 0) return;
      deps.metrics.dropped.inc({ consumer }, dropped);
      deps.log.warn({ consumer, dropped }, 'dropped events without a tenant (extension tenantid)');
    },
  });
}

async function handleOnce(deps: ConsumerDeps, handler: EventHandler, events: AnyEvent[]): Promise<void> {
  const after = await engineEm(deps.orm).transactional(async (tx) => {
    const fresh = await takeIn(tx, handler.name, events);
    return fresh.length > 0 ? handler.handle(tx, fresh) : undefined;
  });
  await after?.();
}
