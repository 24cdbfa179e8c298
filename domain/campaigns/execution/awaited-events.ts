import { preparedHint, rows, sql, type EntityManager } from '../../../db/orm.ts';
import { contactOf, type AnyEvent } from '../../../events/contracts.ts';
import { appendWakes } from '../../../events/outbox.ts';
import type { Definition } from '../../campaign-definitions/definition.ts';
import { type Position, wokenBy } from './advance.ts';

/** An execution, and the events that wake it where it is. */
export interface Awaiting {
  executionId: number;
  contactId: number;
  events: ReadonlySet<string>;
}

/** Notes what executions that have just started wait for, in the transaction that creates them. */
export async function awaitEvents(tx: EntityManager, tenantId: string, awaiting: readonly Awaiting[]): Promise<void> {
  const wanted = awaiting.flatMap(({ executionId, contactId, events }) =>
    [...events].map((type) => ({ execution: executionId, contact: contactId, type })),
  );
  if (wanted.length === 0) return;
  await rows(
    tx,
    sql`
    insert into awaited_events (tenant_id, execution_id, event_type, contact_id)
    select ${tenantId}, r.execution, r.type, r.contact
    from jsonb_to_recordset(${JSON.stringify(wanted)}::jsonb) as r(execution bigint, type text, contact bigint)
    on conflict do nothing`,
  );
}

/** Replaces what executions wait for, whatever it was, in the transaction that moves them to another version. */
export async function awaitAnew(tx: EntityManager, tenantId: string, awaiting: readonly Awaiting[]): Promise<void> {
  const ids = awaiting.map(({ executionId }) => executionId);
  await rows(
    tx,
    sql`delete from awaited_events where tenant_id = ${tenantId} and execution_id = any(${ids}::bigint[])`,
  );
  await awaitEvents(tx, tenantId, awaiting);
}

/**
 * Replaces what an execution waits for, from its position `before` to `after` (null = it has ended), in the transaction
 * that moves it.
 */
export async function awaitOthers(
  tx: EntityManager,
  { tenantId, executionId, contactId }: { tenantId: string; executionId: number; contactId: number },
  definition: Definition,
  before: Position,
  after: Position | null,
): Promise<void> {
  const old = wokenBy(definition, before);
  const events = after ? wokenBy(definition, after) : new Set<string>();
  const gone = [...old].filter((type) => !events.has(type));
  if (gone.length > 0)
    await rows(
      tx,
      sql`
      delete from awaited_events
      where tenant_id = ${tenantId} and execution_id = ${executionId} and event_type = any(${gone}::text[])`,
    );
  const added = new Set([...events].filter((type) => !(old as Set<string>).has(type)));
  await awaitEvents(tx, tenantId, [{ executionId, contactId, events: added }]);
}

/**
 * Called before an execution looks for what it waits for, in the same transaction: an event whose consumer comes from
 * now on wakes it again. Without this, it would not be woken for an event that it has not seen.
 */
export async function beginLook(tx: EntityManager, tenantId: string, executionId: number): Promise<void> {
  await rows(
    tx,
    sql`
    update awaited_events set woken_at = null
    where tenant_id = ${tenantId} and execution_id = ${executionId} and woken_at is not null`,
  );
}

/** Whether an execution was woken and has not looked since. */
export async function isWoken(tx: EntityManager, tenantId: string, executionId: number): Promise<boolean> {
  const found = await rows(
    tx,
    sql`
    select 1 from awaited_events
    where tenant_id = ${tenantId} and execution_id = ${executionId} and woken_at is not null limit 1`,
  );
  return found.length > 0;
}

/**
 * Wakes the executions that wait for such events of their contacts, each once until it has looked. Runs in an engine
 * transaction after the events' activities were committed: an execution notes what it waits for, commits, and then
 * looks for activities, so that one of the two sees the other.
 */
export async function wakeAwaiting(tx: EntityManager, events: readonly AnyEvent[]): Promise<void> {
  const happened = new Map<string, { t: string; contact: number; type: string }>();
  for (const event of events) {
    const { tenantid: t, type } = event;
    const contact = contactOf(event);
    const { automated } = event.data as { automated?: boolean };
    // The event of a dead letter may come again, and is not checked then.
    if (typeof contact === 'number' && automated !== true)
      happened.set(`${t}/${contact}/${type}`, { t, contact, type });
  }
  if (happened.size === 0) return;
  const woken = await rows<{ tenantId: string; workflowId: string }>(
    tx,
    // Locked in one order, so that two consumers that wake the same executions do not wait for each other. `woken_at` is
    // read under the lock: the statement's snapshot may be older than a look that has just ended.
    sql`${preparedHint}
    with due as (
      select a.tenant_id, a.execution_id, a.event_type, a.woken_at
      from jsonb_to_recordset(${JSON.stringify([...happened.values()])}::jsonb) as r(t text, contact bigint, type text)
      join awaited_events a on a.tenant_id = r.t and a.contact_id = r.contact and a.event_type = r.type
      order by a.tenant_id, a.execution_id, a.event_type for update of a
    ), woken as (
      update awaited_events a set woken_at = now() from due
      where a.tenant_id = due.tenant_id and a.execution_id = due.execution_id and a.event_type = due.event_type
        and due.woken_at is null
      returning a.tenant_id, a.execution_id
    )
    select distinct e.tenant_id as "tenantId", e.workflow_id as "workflowId"
    from woken join campaign_executions e on e.tenant_id = woken.tenant_id and e.id = woken.execution_id
    where e.status = 'RUNNING' and e.workflow_id is not null`,
  );
  await appendWakes(tx, woken);
}

/**
 * Moves what executions of one contact wait for to another contact, and wakes the executions of both: each has got the
 * timeline of the other, without any new event.
 */
export async function moveAwaited(
  tx: EntityManager,
  tenantId: string,
  { from, to }: { from: number; to: number },
): Promise<void> {
  const woken = await rows<{ tenantId: string; workflowId: string }>(
    tx,
    sql`
    with moved as (
      update awaited_events set contact_id = ${to}, woken_at = now()
      where tenant_id = ${tenantId} and contact_id = any(${[from, to]}::bigint[])
      returning tenant_id, execution_id
    )
    select distinct e.tenant_id as "tenantId", e.workflow_id as "workflowId"
    from moved join campaign_executions e on e.tenant_id = moved.tenant_id and e.id = moved.execution_id
    where e.status = 'RUNNING' and e.workflow_id is not null`,
  );
  await appendWakes(tx, woken);
}
