import { createHash, randomUUID } from 'node:crypto';
import type { EventSubscriber, TransactionEventArgs } from '@mikro-orm/core';
import { rows, sql, type EntityManager, type RawBuilder } from '../db/orm.ts';
import { workflowId, type WorkflowInputs, type WorkflowType } from '../workflows/registry.ts';
import type { EventData, EventType, OwnSendRequest } from './contracts.ts';

export const SHARDS = 16;
const EVENTS_PER_ROW = 500;

/** An event to be: `entity` names what it is about, so that events of one entity keep their order. */
export type NewEvent = {
  [T in EventType]: { type: T; entity: string; data: Omit<EventData<T>, 'tenantId' | 'timestamp'>; at?: Date };
}[EventType];

/** A send request as it is kept; the relay adds the tenant, which is the row's. */
export type SendRequest = Omit<OwnSendRequest, 'tenantId'>;

/** Where a command runs: its tenant and the request that caused it. */
export interface Origin {
  tenantId: string;
  requestId: string | null;
}

const shardOf = (tenantId: string, entity: string): number =>
  createHash('sha256').update(`${tenantId}/${entity}`).digest()[0]! % SHARDS;

/** The shard of a contact, as SQL; `tenant` and `id` are SQL too. */
export const contactShard = (tenant: string, id: string): string =>
  `get_byte(sha256(convert_to(${tenant} || '/contact/' || ${id}, 'UTF8')), 0) % ${SHARDS}`;

export type OutboxTable = 'outbox_events' | 'outbox_send_requests' | 'outbox_workflows';

const touched = new WeakMap<object, Set<OutboxTable>>();

/** The tables that a transaction has touched; those of its savepoints are its own. */
const touchedBy = (transaction: object): Set<OutboxTable> =>
  touched.get(transaction) ?? touched.set(transaction, new Set()).get(transaction)!;

/** Says that `tx` has written rows of its own to an outbox, so that the relay is told when it commits. */
export function touchOutbox(tx: EntityManager, table: OutboxTable): void {
  const transaction = tx.getTransactionContext<object>();
  if (!transaction) throw new Error('outbox rows must be written inside em.transactional');
  touchedBy(transaction).add(table);
}

/** Calls `ping` after the commit of every transaction that wrote to an outbox, so that the relay need not wait for its poll. */
export function outboxSubscriber(ping: (table: OutboxTable) => void): EventSubscriber {
  /** The transaction in which an entity manager is beginning a savepoint. */
  const around = new WeakMap<object, object>();
  return {
    beforeTransactionStart: async ({ em, transaction }: TransactionEventArgs) => {
      if (transaction) around.set(em, transaction);
    },
    afterTransactionStart: async ({ em, transaction }: TransactionEventArgs) => {
      const outer = around.get(em);
      if (outer) touched.set(transaction as object, touchedBy(outer));
    },
    afterTransactionCommit: async ({ em, transaction }: TransactionEventArgs) => {
      // Nobody sees what a savepoint holds before the transaction around it is committed.
      if (!around.has(em)) for (const table of touched.get(transaction as object) ?? []) ping(table);
    },
  };
}

/** The rows that `events` become: one per type, shard and 500 events; the relay adds the tenant and the time, which are the row's. */
export function outboxRows(origin: Origin, events: NewEvent[]) {
  const groups = new Map<
    string,
    { shard: number; type: EventType; at: Date; events: { id: string; data: Record<string, unknown> }[] }[]
  >();
  const now = new Date();
  const ids: string[] = [];
  for (const event of events) {
    const shard = shardOf(origin.tenantId, event.entity);
    const at = event.at ?? now;
    const key = `${shard} ${event.type} ${at.getTime()}`;
    const list = groups.get(key) ?? groups.set(key, []).get(key)!;
    let row = list.at(-1);
    if (!row || row.events.length >= EVENTS_PER_ROW) list.push((row = { shard, type: event.type, at, events: [] }));
    const id = randomUUID();
    ids.push(id);
    row.events.push({ id, data: event.data });
  }
  return { ids, rows: [...groups.values()].flat() };
}

/**
 * A statement that writes one event for each contact of a query, in rows as `outboxRows` makes them, for bulk writers whose
 * contacts are in the database. `source` has the column `contact_id`; `data` is SQL for the text of further JSON members of
 * the event's data; $1 is the tenant, $2 the time. Text, because jsonb built up piece by piece takes twice as long.
 */
export function insertContactEvents(type: EventType, source: string, data: string): string {
  const event = `'{"id":"' || gen_random_uuid() || '","data":{"contactId":' || contact_id || ',' || ${data} || '}}'`;
  return `insert into outbox_events (tenant_id, shard, type, occurred_at, events)
    select $1::text, shard, '${type}', $2::timestamptz, ('[' || string_agg(${event}, ',') || ']')::jsonb
    from (
      select *, (row_number() over (partition by shard order by contact_id) - 1) / ${EVENTS_PER_ROW} as part
      from (select *, ${contactShard('$1::text', 'contact_id')} as shard from ${source}) sharded
    ) parted group by shard, part order by shard, part`;
}

/**
 * A statement, or a part of one, that writes one event about each email of `source`, whose columns are tenant_id, id, request_id,
 * `at` and `data` (jsonb: what the event says). Those of one tenant, request and moment share rows and a shard: who follows
 * an email does not go by the order of its events.
 */
export const insertEmailEvents = (type: EventType, source: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  insert into outbox_events (tenant_id, shard, type, occurred_at, request_id, events)
  select tenant_id, get_byte(sha256(convert_to(tenant_id || '/email/' || min(id), 'UTF8')), 0) % ${sql.lit(SHARDS)}, ${sql.lit(type)}, at, request_id,
    jsonb_agg(jsonb_build_object('id', gen_random_uuid(), 'data', data) order by id)
  from (select s.*, (row_number() over (partition by tenant_id, request_id, at order by id) - 1) / ${sql.lit(EVENTS_PER_ROW)} as part from ${source} s) s
  group by tenant_id, request_id, at, part`;

/** Writes events, last in the transaction `tx` (after its flush). Returns their ids in order. */
export async function appendEvents(tx: EntityManager, origin: Origin, events: NewEvent[]): Promise<string[]> {
  if (events.length === 0) return [];
  touchOutbox(tx, 'outbox_events');
  const made = outboxRows(origin, events);
  const payload = JSON.stringify(made.rows.map((row) => ({ ...row, at: row.at.toISOString() })));
  await rows(
    tx,
    sql`
    insert into outbox_events (tenant_id, shard, type, occurred_at, request_id, events)
    select ${origin.tenantId}, r.shard, r.type, r.at, ${origin.requestId}, r.events
    from jsonb_to_recordset(${payload}::jsonb) as r(shard int, type text, at timestamptz, events jsonb)`,
  );
  return made.ids;
}

/** Writes events of many tenants in one engine transaction (consumers). */
export async function appendEventsOfTenants(
  tx: EntityManager,
  events: { origin: Origin; event: NewEvent }[],
): Promise<void> {
  const byOrigin = Map.groupBy(events, ({ origin }) => `${origin.tenantId} ${origin.requestId ?? ''}`);
  for (const group of byOrigin.values())
    await appendEvents(
      tx,
      group[0]!.origin,
      group.map(({ event }) => event),
    );
}

/** Writes send requests for ledger rows of this transaction. */
export async function appendSendRequests(tx: EntityManager, tenantId: string, requests: SendRequest[]): Promise<void> {
  if (requests.length === 0) return;
  touchOutbox(tx, 'outbox_send_requests');
  await rows(
    tx,
    sql`insert into outbox_send_requests (tenant_id, requests) values (${tenantId}, ${JSON.stringify(requests)}::jsonb)`,
  );
}

/** Writes the start of a workflow. The relay performs it, as often as it must: workflows are started once by their ids. */
export async function appendWorkflow<Type extends WorkflowType>(
  tx: EntityManager,
  type: Type,
  input: WorkflowInputs[Type],
): Promise<void> {
  touchOutbox(tx, 'outbox_workflows');
  await rows(
    tx,
    sql`
    insert into outbox_workflows (tenant_id, workflow_type, workflow_id, input)
    values (${input.tenantId}, ${type}, ${workflowId(type, input)}, ${JSON.stringify(input)}::jsonb)`,
  );
}
