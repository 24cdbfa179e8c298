import { engineEm, preparedHint, rows, sql, type EntityManager } from '../db/orm.ts';
import type { Env } from '../config/env-schema.ts';
import { compileRequest } from '../lib/checks/schema-check.ts';
import { consumeBatches, isPostgresDown, PoisonError, type Consumer, type ConsumerDeps } from './consume.ts';
import { consumeInOrder } from './consume-in-order.ts';
import {
  eventContracts,
  eventsOf,
  eventSubject,
  type AnyEvent,
  type CloudEvent,
  type EventBatch,
  type EventType,
} from '../events/contracts.ts';
import { shortened, type FailedPart } from './dead-letters.ts';
import type { LockName } from './locks.ts';
import { decodeText, type JsMsg, type Nats } from './nats.ts';
import { batchSubject, consumerConfig, ensureConsumer, EVENT_BATCHES } from './streams.ts';

/** The most batches of events that are handled together, each of which is a message. */
const BATCHES_AT_ONCE = 100;

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
  /** The events of a tenant are handled in their order, by the process that holds this lock. */
  inOrder?: LockName;
  /**
   * Called first, in the same transaction: returns the events that `handle` has to see. A batch without any gets no inbox
   * row.
   */
  select?: (tx: EntityManager, events: AnyEvent[]) => Promise<AnyEvent[]>;
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
export async function runEventHandler(
  deps: ConsumerDeps & { env: Pick<Env, 'DATABASE_URL'> },
  handler: EventHandler,
): Promise<Consumer> {
  const { name: consumer } = handler;
  await ensureEventConsumers(deps.nats, [handler]);
  deps.metrics.dropped.inc({ consumer }, 0);
  const { inOrder: lock } = handler;
  const options: Parameters<typeof consumeBatches>[1] = {
    stream: EVENT_BATCHES,
    name: consumer,
    batch: BATCHES_AT_ONCE,
    handle: async (messages) => {
      const parsed = messages.map(parseBatch);
      const batches = parsed.filter(hasTenant);
      const tenantless = parsed.filter((batch) => !hasTenant(batch));
      if (batches.length > 0) await handleBatches(deps, handler, batches);
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
  };
  return lock ? consumeInOrder(deps, options, lock) : consumeBatches(deps, options);
}

/** Thrown for a batch whose events are handled one by one already. */
class SplitError extends Error {
  override readonly name = 'SplitError';
}

async function handleBatches(deps: ConsumerDeps, handler: EventHandler, batches: readonly EventBatch[]): Promise<void> {
  const events = new Map(batches.map((batch) => [batch.id.toLowerCase(), [...eventsOf(batch)].map(checkEvent)]));
  const all = [...events.values()].flat();
  await engineEm(deps.orm).transactional(async (tx) => {
    const selected = new Set(handler.select ? await handler.select(tx, all) : all);
    const taken = batches.filter(({ id }) => events.get(id.toLowerCase())!.some((event) => selected.has(event)));
    if (taken.length === 0) return;
    const fresh = await takeIn(tx, handler.name, taken);
    if (fresh.size < taken.length && (await isSplit(tx, handler.name, taken))) throw new SplitError();
    const unhandled = [...events].flatMap(([id, its]) => (fresh.has(id) ? its : []));
    const left = unhandled.filter((event) => selected.has(event));
    if (left.length > 0) await handler.handle(tx, left);
  });
  await runAfterCommit(deps, handler, all);
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
      await handleEvent(deps, handler, event);
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
    body: shortened(text),
  };
  return { letter, error };
}

async function handleEvent(deps: ConsumerDeps, handler: EventHandler, event: CloudEvent): Promise<void> {
  await engineEm(deps.orm).transactional(async (tx) => {
    const fresh = await takeIn(tx, handler.name, [event]);
    if (fresh.size === 0) return;
    const checked = [checkEvent(event)];
    const selected = handler.select ? await handler.select(tx, checked) : checked;
    if (selected.length > 0) await handler.handle(tx, selected);
  });
  await runAfterCommit(deps, handler, [event as AnyEvent]);
}
