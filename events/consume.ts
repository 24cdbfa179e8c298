import { setTimeout as delay } from 'node:timers/promises';
import { errorForLog } from '../config/error-for-log.ts';
import type { Logger } from '../config/logger.ts';
import type { Metrics } from '../config/metrics.ts';
import { SpanKind, type Tracing } from '../config/tracing.ts';
import { engineEm, preparedHint, rows, sql, type EntityManager, type Orm } from '../db/orm.ts';
import { isConnectionLost, pgError, retried } from '../db/errors.ts';
import {
  eventContracts,
  eventsOf,
  eventSubject,
  type AnyEvent,
  type CloudEvent,
  type EventBatch,
  type EventType,
} from './contracts.ts';
import { compileRequest } from '../domain/common/schema-check.ts';
import { decodeText, encode, isUnanswered, type JsMsg, type Nats } from './nats.ts';
import { batchSubject, consumerConfig, deadLetterSubject, ensureConsumer, EVENT_BATCHES } from './streams.ts';

/** The most messages, and the most bytes of them, that are handled together. */
const BATCH = 500;
const BATCH_BYTES = 256 * 1024;
/** The same for batches of events, each of which is a message. */
const BATCHES_AT_ONCE = 100;
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
/** The tenant of dead letters of whole messages, which belong to no tenant. */
const NO_TENANT = 'default';
/** Such an error says nothing about the message, so it is retried without end. SQLSTATE class 53: no disk, no memory. */
const isPostgresDown = (error: unknown): boolean =>
  isConnectionLost(error) || (pgError(error)?.code?.startsWith('53') ?? false);
const backoffMs = (deliveries: number): number => Math.min(500 * 2 ** (deliveries - 1), 60_000);
/** The longest wait while Postgres is down, so that handling goes on soon after it is back. */
const DOWN_BACKOFF_MS = 5_000;

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

interface Consumed {
  stream: string;
  /** Name of the durable consumer. */
  name: string;
  /** The most messages that are handled together, and half of those that wait in this process. */
  batch?: number;
  handle: (messages: JsMsg[]) => Promise<void>;
  /**
   * Called for a message that failed alone, with the error: handles its parts one by one. Returns those that failed;
   * null if the message as a whole failed.
   */
  handleParts?: (message: JsMsg, error: unknown) => Promise<FailedPart[] | null>;
}

/** A message, or an event of a batch, that failed. */
interface FailedPart {
  letter: Letter;
  error: unknown;
  /** Called in the transaction that writes the dead letter: the part must not be handled again. */
  settle?: (tx: EntityManager) => Promise<unknown>;
}

/** What a dead letter tells about its message. */
interface Letter {
  tenantId: string;
  subject: string;
  messageId: string;
  /** The text of the message, or its first part. */
  body: string;
}

/**
 * Reads a durable consumer in batches, calls `handle`, and acks after it returns. If it throws, each message is tried
 * alone, and then its parts; what still fails is redelivered with backoff and dead-lettered after a bounded number of
 * tries, unless Postgres is down.
 */
export async function consumeBatches(deps: ConsumerDeps, options: Consumed): Promise<Consumer> {
  const { log, nats } = deps;
  const { stream, name, handle } = options;
  const batchSize = options.batch ?? BATCH;
  const queue: { message: JsMsg; at: number }[] = [];
  let queuedBytes = 0;
  let stopping = false;
  let wake: () => void = () => {};

  const fail = async (message: JsMsg, failed: readonly FailedPart[]): Promise<void> => {
    const deliveries = message.info.deliveryCount;
    const givenUp = failed.filter(
      ({ error }) => error instanceof PoisonError || (deliveries >= MAX_TRIES && !isPostgresDown(error)),
    );
    const about = { consumer: name, stream, seq: message.seq, subject: message.subject, deliveries };
    for (const part of givenUp) {
      const { letter, error } = part;
      try {
        await deadLetter(deps, name, message, part);
      } catch (problem) {
        const tries = deliveries - (error instanceof PoisonError ? 0 : MAX_TRIES - 1);
        if (tries < MAX_LETTER_TRIES || isUnanswered(problem) || isPostgresDown(problem)) {
          log.error({ ...about, err: problem }, 'could not write a dead letter, will retry');
          return message.nak(backoffMs(tries));
        }
        // Drop it, or it would block the messages behind it forever.
        deps.metrics.consumed.inc({ consumer: name, outcome: 'lost' });
        log.error({ ...about, err: problem }, 'message dropped: its dead letter could not be written');
        continue;
      }
      deps.metrics.consumed.inc({ consumer: name, outcome: 'dead' });
      log.error({ ...about, err: error, subject: letter.subject }, 'message moved to the dead letters');
    }
    const others = failed.filter((part) => !givenUp.includes(part));
    if (others.length === 0) return message.ack();
    deps.metrics.consumed.inc({ consumer: name, outcome: 'retried' }, others.length);
    log.warn({ ...about, err: others[0]!.error, failed: others.length }, 'message failed, will be retried');
    const isDown = others.some(({ error }) => isPostgresDown(error));
    message.nak(Math.min(backoffMs(deliveries), isDown ? DOWN_BACKOFF_MS : Infinity));
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
      if (messages.length > 1) {
        for (const message of messages) await process([message]);
        return;
      }
      const [message] = messages as [JsMsg];
      const parts = await options.handleParts?.(message, error).catch((problem: unknown) => {
        log.warn({ err: problem, consumer: name, seq: message.seq }, 'could not handle the parts of a message');
        return null;
      });
      const failed = parts ?? [{ letter: letterOf(message), error }];
      if (failed.length > 0) return fail(message, failed);
      message.ack();
      deps.metrics.consumed.inc({ consumer: name, outcome: 'done' });
    }
  };

  /** The next messages to handle together. */
  const takeBatch = (): typeof queue => {
    const taken: typeof queue = [];
    let bytes = 0;
    while (queue.length > 0 && taken.length < batchSize && (bytes === 0 || bytes < BATCH_BYTES)) {
      const next = queue.shift()!;
      bytes += next.message.data.length;
      taken.push(next);
    }
    queuedBytes -= bytes;
    return taken;
  };
  const isBatchWaiting = (): boolean => queue.length >= batchSize || queuedBytes >= BATCH_BYTES;

  const consumer = await nats.js.consumers.get(stream, name);
  const source = await consumer.consume({
    max_messages: batchSize * 2,
    callback: (message) => {
      queue.push({ message, at: performance.now() });
      queuedBytes += message.data.length;
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
      const batch = takeBatch();
      // If the server redelivers a message nevertheless, the inbox drops the duplicate.
      for (const { message, at } of batch) if (begun - at > STILL_WAITING_MS) message.working();
      await process(batch.map(({ message }) => message));
      if (!isBatchWaiting() && !stopping) await delay(Math.max(0, begun + PACE_MS - performance.now()));
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

const shortened = (text: string, bytes: number): string =>
  bytes > MAX_BODY_BYTES ? `${text}… (the first ${MAX_BODY_BYTES} of ${bytes} bytes)` : text;

function letterOf({ data, headers, subject }: JsMsg): Letter {
  return {
    tenantId: NO_TENANT,
    subject,
    messageId: headers?.get('Nats-Msg-Id') ?? '',
    body: shortened(decodeText(data.subarray(0, MAX_BODY_BYTES)), data.length),
  };
}

/** Writes what could not be handled to the table and the stream of dead letters; any content is possible. */
async function deadLetter(
  deps: ConsumerDeps,
  consumer: string,
  { info, seq }: JsMsg,
  { letter, settle, error }: FailedPart,
): Promise<void> {
  const { type, message } = errorForLog(error);
  const text = withoutNul(`${type}: ${message}`);
  const [subject, body] = [withoutNul(letter.subject), withoutNul(letter.body)];
  const tenantId = withoutNul(letter.tenantId).slice(0, MAX_TENANT_CHARACTERS);
  const messageId = withoutNul(letter.messageId).slice(0, MAX_ID_CHARACTERS);
  await engineEm(deps.orm).transactional(async (tx) => {
    await settle?.(tx);
    await rows(
      tx,
      sql`
      insert into dead_letters (tenant_id, consumer, subject, message_id, body, error, deliveries, stream_seq)
      values (${tenantId}, ${consumer}, ${subject}, ${messageId}, ${body}, ${text}, ${info.deliveryCount}, ${seq})`,
    );
    // Publish last: if the insert fails, nothing is published, however often it is retried.
    await deps.nats.js.publish(deadLetterSubject(consumer), encode({ consumer, subject, error: text, body }), {
      msgID: `${consumer}-${info.stream}-${seq}-${messageId}`,
    });
  });
}

const checks = new Map(Object.entries(eventContracts).map(([type, schema]) => [type, compileRequest(schema)]));

/** Parses a message as a batch of events, which may have no tenant. Does not check the events. Throws PoisonError. */
function parseBatch(message: JsMsg): EventBatch {
  let batch: EventBatch;
  try {
    batch = JSON.parse(decodeText(message.data)) as EventBatch;
  } catch (error) {
    throw new PoisonError('not JSON', { cause: error });
  }
  const isKnown = Object.hasOwn(eventContracts, batch?.type) && Array.isArray(batch.events);
  if (isKnown && !hasTenant(batch)) return batch;
  if (!isKnown || !isUuid(batch.id) || Number.isNaN(Date.parse(batch.time)))
    throw new PoisonError('not a batch of events of a known type');
  if (message.subject !== batchSubject(batch.type))
    throw new PoisonError(`the type ${batch.type} does not match the subject ${message.subject}`);
  return batch;
}

const hasTenant = ({ tenantid }: EventBatch): boolean => typeof tenantid === 'string' && tenantid !== '';

const isUuid = (id: unknown): boolean => typeof id === 'string' && /^[0-9a-f-]{36}$/i.test(id);

/** Throws PoisonError if the event does not match its contract. */
function checkEvent(event: CloudEvent): AnyEvent {
  if (!isUuid(event.id)) throw new PoisonError('the id of the event is not a UUID');
  const problems = checks.get(event.type)!(event.data);
  if (problems.length > 0) throw new PoisonError(`data does not match its contract: ${JSON.stringify(problems)}`);
  return event as AnyEvent;
}

/** Something that a consumer handles once: a batch, or an event of one that failed as a whole. */
interface Handled {
  tenantid: string;
  id: string;
  time: string;
}

/** Inserts inbox rows, and returns the ids that were not there before. */
async function takeIn(tx: EntityManager, consumer: string, handled: readonly Handled[]): Promise<Set<string>> {
  const payload = JSON.stringify(
    handled.map(({ tenantid, id, time }) => ({ t: tenantid, id, day: new Date(time).toISOString().slice(0, 10) })),
  );
  const fresh = await rows<{ event_id: string }>(
    tx,
    sql`${preparedHint}
    insert into inbox (tenant_id, consumer, event_id, day)
    select distinct r.t, ${consumer}, r.id, r.day from jsonb_to_recordset(${payload}::jsonb) as r(t text, id uuid, day date)
    on conflict do nothing returning event_id`,
  );
  return new Set(fresh.map((row) => row.event_id));
}

/** The name of the inbox rows that mark a consumer's batches that are handled event by event. */
const singly = (consumer: string): string => `${consumer}/each`;

/** Whether one of these batches is handled event by event. */
async function isSplit(tx: EntityManager, consumer: string, batches: readonly EventBatch[]): Promise<boolean> {
  const ids = batches.map(({ id }) => id);
  const found = await rows(
    tx,
    sql`select 1 from inbox where consumer = ${singly(consumer)} and event_id = any(${ids}::uuid[]) limit 1`,
  );
  return found.length > 0;
}

export interface EventHandler {
  /** Name of the durable consumer and of its inbox rows. */
  name: string;
  types: readonly EventType[];
  /**
   * Handles events that were never handled before, in the engine transaction `tx` that also inserts their inbox row:
   * all or nothing.
   */
  handle: (tx: EntityManager, events: AnyEvent[]) => Promise<void>;
  /**
   * Called in an engine transaction of its own after the effect of the events was committed, and before they are acked:
   * also for events that were handled before and are delivered again, so it must do no harm when it is repeated.
   */
  afterCommit?: (tx: EntityManager, events: AnyEvent[]) => Promise<void>;
}

/** Creates the durable consumers of all handlers; EVENT_BATCHES keeps a message only for consumers that exist. */
export async function ensureEventConsumers(nats: Nats, handlers: readonly EventHandler[]): Promise<void> {
  for (const { name, types } of handlers)
    await ensureConsumer(nats.jsm, EVENT_BATCHES, consumerConfig(name, { types }));
}

/**
 * Runs a handler on EVENT_BATCHES. A batch takes effect once: its inbox row is inserted with the effect. If a batch
 * fails, its events are handled one by one, so that one of them cannot hold up the others. Events without a tenant
 * are dropped and counted.
 */
export async function runEventHandler(deps: ConsumerDeps, handler: EventHandler): Promise<Consumer> {
  const { name: consumer } = handler;
  await ensureEventConsumers(deps.nats, [handler]);
  deps.metrics.dropped.inc({ consumer }, 0);
  return consumeBatches(deps, {
    stream: EVENT_BATCHES,
    name: consumer,
    batch: BATCHES_AT_ONCE,
    handle: async (messages) => {
      const parsed = messages.map(parseBatch);
      const batches = parsed.filter(hasTenant);
      const tenantless = parsed.filter((batch) => !hasTenant(batch));
      if (batches.length > 0) await retried(() => handleBatches(deps, handler, batches));
      // Count these last: after a failure each message is handled again, and would be counted twice.
      const dropped = tenantless.reduce((sum, { events }) => sum + events.length, 0);
      if (dropped === 0) return;
      deps.metrics.dropped.inc({ consumer }, dropped);
      deps.log.warn({ consumer, dropped }, 'dropped events without a tenant');
    },
    handleParts: async (message, error) => {
      if (isPostgresDown(error)) return null;
      let batch: EventBatch;
      try {
        batch = parseBatch(message);
      } catch {
        return null;
      }
      const [only, ...others] = hasTenant(batch) ? eventsOf(batch) : [];
      if (!only) return null;
      return others.length > 0 ? handleEach(deps, handler, batch) : [failedEvent(only, error)];
    },
  });
}

/** Thrown for a batch whose events are handled one by one already. */
class SplitError extends Error {
  override readonly name = 'SplitError';
}

async function handleBatches(deps: ConsumerDeps, handler: EventHandler, batches: readonly EventBatch[]): Promise<void> {
  const events = new Map(batches.map((batch) => [batch.id.toLowerCase(), [...eventsOf(batch)].map(checkEvent)]));
  await engineEm(deps.orm).transactional(async (tx) => {
    const fresh = await takeIn(tx, handler.name, batches);
    if (fresh.size < events.size && (await isSplit(tx, handler.name, batches))) throw new SplitError();
    const unhandled = [...events].flatMap(([id, its]) => (fresh.has(id) ? its : []));
    if (unhandled.length > 0) await handler.handle(tx, unhandled);
  });
  await runAfterCommit(deps, handler, [...events.values()].flat());
}

async function runAfterCommit(deps: ConsumerDeps, { afterCommit }: EventHandler, events: AnyEvent[]): Promise<void> {
  if (afterCommit) await engineEm(deps.orm).transactional((tx) => afterCommit(tx, events));
}

/** Handles each event of a batch in a transaction with its own inbox row; returns those that failed. */
async function handleEach(deps: ConsumerDeps, handler: EventHandler, batch: EventBatch): Promise<FailedPart[]> {
  const { name: consumer } = handler;
  const mayGoOn = await engineEm(deps.orm).transactional(async (tx) => {
    const fresh = await takeIn(tx, consumer, [batch]);
    // From now on, whoever gets this batch handles its events one by one.
    if (fresh.size > 0) await takeIn(tx, singly(consumer), [batch]);
    return fresh.size > 0 || isSplit(tx, consumer, [batch]);
  });
  if (!mayGoOn) return [];
  const failed: FailedPart[] = [];
  for (const event of eventsOf(batch)) {
    try {
      await retried(() => handleEvent(deps, handler, event));
    } catch (error) {
      const part = failedEvent(event, error);
      // The event of a dead letter is not handled again, although others of its batch may be.
      failed.push(isUuid(event.id) ? { ...part, settle: (tx) => takeIn(tx, consumer, [event]) } : part);
    }
  }
  return failed;
}

function failedEvent(event: CloudEvent, error: unknown): FailedPart {
  const text = JSON.stringify(event);
  const letter = {
    tenantId: event.tenantid,
    subject: eventSubject(event.tenantid, event.type),
    messageId: String(event.id),
    body: shortened(text.slice(0, MAX_BODY_BYTES), text.length),
  };
  return { letter, error };
}

async function handleEvent(deps: ConsumerDeps, handler: EventHandler, event: CloudEvent): Promise<void> {
  await engineEm(deps.orm).transactional(async (tx) => {
    const fresh = await takeIn(tx, handler.name, [event]);
    if (fresh.size > 0) await handler.handle(tx, [checkEvent(event)]);
  });
  await runAfterCommit(deps, handler, [event as AnyEvent]);
}
