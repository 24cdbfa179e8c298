import { randomUUID } from 'node:crypto';
import type { EventSubscriber, TransactionEventArgs } from '@mikro-orm/core';
import { preparedHint, rows, sql, type EntityManager, type RawBuilder } from '../db/orm.ts';
import { creationId, creationIdSql } from './creation-id.ts';
import { AppError } from '../lib/checks/errors.ts';
import { turnsOf, workflowId, type WorkflowInputs, type WorkflowType } from '../registry/workflows.ts';
import type { EventBatch, EventData, EventType, OwnSendRequest } from './contracts.ts';

/** The most events, and the most bytes of them, in a row: a row becomes one message of NATS, which are bounded. */
const EVENTS_PER_ROW = 500;
const BYTES_PER_ROW = 128 * 1024;

/** A new event. `requestId` is that of the event, if it is not that of its transaction. */
export type NewEvent = {
  [T in EventType]: {
    type: T;
    data: Omit<EventData<T>, 'tenantId' | 'timestamp'>;
    at?: Date;
    requestId?: string | null;
  };
}[EventType];

/** A send request as stored in the outbox; the relay adds the tenant from the row. */
export type SendRequest = Omit<OwnSendRequest, 'tenantId'>;

/** The tenant and the request for which a command runs. */
export interface Origin {
  tenantId: string;
  requestId: string | null;
}

export type OutboxTable = 'outbox_events' | 'outbox_send_requests' | 'outbox_workflows';

/** A table from which a loop of a worker takes rows: those of the outbox, the lanes of webhooks, and the sends of messages. */
export type WatchedTable = OutboxTable | 'webhook_lanes' | 'message_sends';

const touched = new WeakMap<object, Map<WatchedTable, string[]>>();

/** The watched tables that a transaction has written to, savepoints included, with what is to be told of that. */
const touchedBy = (transaction: object): Map<WatchedTable, string[]> =>
  touched.get(transaction) ?? touched.set(transaction, new Map()).get(transaction)!;

/**
 * Call after `tx` wrote such rows by its own SQL, so that the loop that takes them is woken when it commits. `details`
 * are words for that loop.
 */
export function touchOutbox(tx: EntityManager, table: WatchedTable, details: readonly string[] = []): void {
  const transaction = tx.getTransactionContext<object>();
  if (!transaction) throw new Error('outbox rows must be written inside em.transactional');
  const tables = touchedBy(transaction);
  tables.set(table, [...(tables.get(table) ?? []), ...details]);
}

/**
 * Calls `ping` after the commit of every transaction that wrote rows of a watched table, so that its loop need not wait
 * for its poll.
 */
export function outboxSubscriber(ping: (table: WatchedTable, details: readonly string[]) => void): EventSubscriber {
  /** For an entity manager inside a savepoint: the surrounding transaction. */
  const around = new WeakMap<object, object>();
  return {
    beforeTransactionStart: async ({ em, transaction }: TransactionEventArgs) => {
      if (transaction) around.set(em, transaction as object);
    },
    afterTransactionStart: async ({ em, transaction }: TransactionEventArgs) => {
      const outer = around.get(em);
      if (outer) touched.set(transaction as object, touchedBy(outer));
    },
    afterTransactionCommit: async ({ em, transaction }: TransactionEventArgs) => {
      // Rows of a savepoint become visible only when the surrounding transaction commits.
      if (around.has(em)) return;
      for (const [table, details] of touched.get(transaction as object) ?? []) ping(table, details);
    },
  };
}

/** A row to be written. */
interface NewRow {
  type: EventType;
  /** The time of its earliest event. */
  at: string;
  events: EventBatch['events'];
}

/** Groups `events` into rows of bounded size, by type; the relay adds the tenant from the row. */
export function outboxRows(origin: Origin, events: readonly NewEvent[]): { ids: string[]; rows: NewRow[] } {
  const groups = new Map<EventType, { events: (NewEvent & { id: string })[]; bytes: number }[]>();
  const now = new Date();
  const ids: string[] = [];
  for (const event of events) {
    const parts = groups.get(event.type) ?? groups.set(event.type, []).get(event.type)!;
    const bytes = Buffer.byteLength(JSON.stringify(event.data));
    let part = parts.at(-1);
    if (!part || part.events.length >= EVENTS_PER_ROW || part.bytes + bytes > BYTES_PER_ROW)
      parts.push((part = { events: [], bytes: 0 }));
    part.bytes += bytes;
    const id = event.type === 'CONTACT_CREATED' ? creationId(origin.tenantId, event.data.contactId) : randomUUID();
    ids.push(id);
    part.events.push({ ...event, id });
  }
  const made = [...groups].flatMap(([type, parts]) =>
    parts.map((part): NewRow => {
      const earliest = Math.min(...part.events.map(({ at = now }) => at.getTime()));
      return {
        type,
        at: new Date(earliest).toISOString(),
        events: part.events.map(({ id, at = now, requestId, data }) => ({
          id,
          ...(at.getTime() === earliest ? {} : { time: at.toISOString() }),
          ...(requestId == null || requestId === origin.requestId ? {} : { requestid: requestId }),
          data,
        })),
      };
    }),
  );
  return { ids, rows: made };
}

/**
 * A statement that writes one event per contact of a query, for bulk writers whose contacts are in the database. The
 * rows are like those of `outboxRows`. `source` has the column `contact_id`; `data` is SQL for the text of further JSON
 * members of the event's data; $1 is the tenant, $2 the time. Text, because building jsonb in steps takes twice as
 * long.
 */
export function insertContactEvents(type: EventType, source: string, data: string): string {
  const id = type === 'CONTACT_CREATED' ? creationIdSql('$1::text', 'contact_id') : 'gen_random_uuid()';
  const event = `'{"id":"' || ${id} || '","data":{"contactId":' || contact_id || ',' || ${data} || '}}'`;
  return `insert into outbox_events (tenant_id, type, occurred_at, events)
    select $1::text, '${type}', $2::timestamptz, ('[' || string_agg(${event}, ',') || ']')::jsonb
    from (select *, (row_number() over (order by contact_id) - 1) / ${EVENTS_PER_ROW} as part from ${source}) parted
    group by part order by part`;
}

/**
 * A statement (or part of one) that writes one event per email or message of `source`, with the columns tenant_id, id, request_id,
 * `at` and `data` (the event's data as jsonb). Events of one tenant and time share rows.
 */
export const insertEmailEvents = (type: EventType, source: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  insert into outbox_events (tenant_id, type, occurred_at, events)
  select tenant_id, ${sql.lit(type)}, at, jsonb_agg(jsonb_build_object('id', gen_random_uuid(), 'data', data)
    || case when request_id is null then '{}' else jsonb_build_object('requestid', request_id) end order by id)
  from (select s.*, (row_number() over (partition by tenant_id, at order by id) - 1) / ${sql.lit(EVENTS_PER_ROW)} as part from ${source} s) s
  group by tenant_id, at, part`;

/** Writes events in the transaction `tx`, after the flush of what they tell. Returns their ids in order. */
export async function appendEvents(tx: EntityManager, origin: Origin, events: readonly NewEvent[]): Promise<string[]> {
  if (events.length === 0) return [];
  touchOutbox(tx, 'outbox_events');
  const made = outboxRows(origin, events);
  await rows(
    tx,
    sql`${preparedHint}
    insert into outbox_events (tenant_id, type, occurred_at, request_id, events)
    select ${origin.tenantId}, r.type, r.at, ${origin.requestId}, r.events
    from jsonb_to_recordset(${JSON.stringify(made.rows)}::jsonb) as r(type text, at timestamptz, events jsonb)`,
  );
  return made.ids;
}

/** Writes events of many tenants in one engine transaction (consumers). */
export async function appendEventsOfTenants(
  tx: EntityManager,
  events: readonly { tenantId: string; event: NewEvent }[],
): Promise<void> {
  for (const [tenantId, group] of Map.groupBy(events, (one) => one.tenantId))
    await appendEvents(
      tx,
      { tenantId, requestId: null },
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

/**
 * Writes a request to start a workflow. The relay may perform it several times; the workflow id makes it start once. A
 * job starts when it is the tenant's turn.
 */
export async function appendWorkflow<Type extends WorkflowType>(
  tx: EntityManager,
  type: Type,
  input: WorkflowInputs[Type],
): Promise<void> {
  touchOutbox(tx, 'outbox_workflows');
  await rows(
    tx,
    sql`
    insert into outbox_workflows (tenant_id, workflow_type, workflow_id, input, is_job)
    values (${input.tenantId}, ${type}, ${workflowId(type, input)}, ${JSON.stringify(input)}::jsonb, ${turnsOf(type) !== undefined})`,
  );
}

/**
 * Writes a request to start a job that somebody has asked for. Throws `limit_reached` if the tenant has as many jobs of
 * this kind waiting as it may have. Call it last in the transaction: requests for the same kind wait for its end.
 */
export async function appendJob<Type extends WorkflowType>(
  tx: EntityManager,
  type: Type,
  input: WorkflowInputs[Type],
): Promise<void> {
  const { tenantId } = input;
  const { waiting: most, called } = turnsOf(type)!;
  await rows(tx, sql`select pg_advisory_xact_lock(hashtext(${`jobs of ${tenantId}`}), hashtext(${type}))`);
  const [found] = await rows<{ waiting: number }>(
    tx,
    sql`
    select count(*)::int as waiting from outbox_workflows
    where tenant_id = ${tenantId} and workflow_type = ${type} and is_job and started_at is null`,
  );
  const { waiting } = found!;
  if (most !== undefined && waiting >= most)
    throw new AppError('limit_reached', `${waiting} ${called} of the account are waiting; it may have ${most} of them`);
  await appendWorkflow(tx, type, input);
}

/**
 * A job that need not be done any more waits for no turn and counts as none: if it has not been started, its workflow
 * is started at once and only clears up.
 */
export async function withdrawJob<Type extends WorkflowType>(
  tx: EntityManager,
  type: Type,
  input: WorkflowInputs[Type],
): Promise<void> {
  touchOutbox(tx, 'outbox_workflows');
  await rows(
    tx,
    sql`
    update outbox_workflows set is_job = false
    where tenant_id = ${input.tenantId} and workflow_type = ${type} and workflow_id = ${workflowId(type, input)}
      and is_job and started_at is null`,
  );
}

/** Writes requests to wake running workflows, by their ids. */
export async function appendWakes(
  tx: EntityManager,
  wakes: readonly { tenantId: string; workflowId: string }[],
): Promise<void> {
  if (wakes.length === 0) return;
  touchOutbox(tx, 'outbox_workflows');
  const made = wakes.map(({ tenantId, workflowId: id }) => ({ tenant_id: tenantId, id }));
  await rows(
    tx,
    sql`
    insert into outbox_workflows (tenant_id, workflow_type, workflow_id, input)
    select r.tenant_id, 'wake', r.id, jsonb_build_object('tenantId', r.tenant_id)
    from jsonb_to_recordset(${JSON.stringify(made)}::jsonb) as r(tenant_id text, id text)`,
  );
}
