import { preparedHint, rows, sql, type EntityManager } from '../../../db/orm.ts';
import type { AnyEvent, EventType } from '../../../events/contracts.ts';

/**
 * Memberships and scores of a merged contact do not hold for the other one: the merge writes that one's own. So they are
 * not followed by those who act upon events.
 */
export const OF_THE_SOURCE_ALONE: readonly EventType[] = ['SEGMENT_ENTERED', 'SEGMENT_LEFT', 'SCORE_UPDATED'];

/** The longest time for which an attempt to merge waits for a lock, while consumers wait for the merge. */
const LOCK_TIMEOUT = '1s';

const lockOf = (tenantId: unknown) => sql`hashtextextended('merges of ' || ${tenantId}, 0)`;

/**
 * Until the transaction ends, consumers do not begin to handle events of the tenant; those that have begun are awaited.
 * From here on the transaction fails if it has to wait for a lock for a second. Call it before locking contacts.
 */
export async function lockMerges(tx: EntityManager, tenantId: string): Promise<void> {
  await rows(tx, sql`select set_config('lock_timeout', ${LOCK_TIMEOUT}, true)`);
  await rows(tx, sql`select pg_advisory_xact_lock(${lockOf(sql`${tenantId}::text`)})`);
}

/** Notes that a contact is merged into another. The transaction has called `lockMerges`. */
export async function noteMerge(
  tx: EntityManager,
  tenantId: string,
  { from, to }: { from: number; to: number },
): Promise<void> {
  await rows(
    tx,
    sql`update merged_contacts set merged_into = ${to} where tenant_id = ${tenantId} and merged_into = ${from}`,
  );
  await rows(
    tx,
    sql`insert into merged_contacts (tenant_id, contact_id, merged_into) values (${tenantId}, ${from}, ${to})`,
  );
}

interface Person {
  contactId?: number | null;
  recipientId?: number | null;
}

/**
 * Returns the events with the ids of merged contacts replaced by those of the contacts they were merged into, so that
 * what a merged contact did is neither lost nor counted as another person's. Leaves events of the types in `except` as
 * they are. No contact of these tenants is merged until the transaction ends. Call it before locking contacts.
 */
export async function followMerges(
  tx: EntityManager,
  events: readonly AnyEvent[],
  except: readonly EventType[] = [],
): Promise<AnyEvent[]> {
  const left = new Set(except);
  // Sorted, to avoid deadlocks: another consumer's shared lock waits behind a merge that waits for this one.
  const tenants = [...new Set(events.map(({ tenantid }) => tenantid))].sort();
  // A statement of its own: only a statement that begins after the locks were taken sees merges they waited for.
  await rows(
    tx,
    sql`${preparedHint}select count(pg_advisory_xact_lock_shared(${lockOf(sql`t`)})) from unnest(${tenants}::text[]) t`,
  );
  const ids = new Set<number>();
  for (const { data } of events) {
    const { contactId, recipientId } = data as Person;
    // An event that was dead-lettered, with any content, comes again when others of its batch are retried.
    for (const id of [contactId, recipientId]) if (Number.isSafeInteger(id)) ids.add(id!);
  }
  const merged = await rows<{ tenant_id: string; contact_id: number; merged_into: number }>(
    tx,
    sql`${preparedHint}
    select tenant_id, contact_id, merged_into from merged_contacts
    where tenant_id = any(${tenants}::text[]) and contact_id = any(${`{${[...ids].join()}}`}::bigint[])`,
  );
  if (merged.length === 0) return [...events];
  const into = new Map(merged.map((row) => [`${row.tenant_id}/${row.contact_id}`, row.merged_into]));
  return events.map((event) => {
    if (left.has(event.type)) return event;
    const data = { ...event.data } as Person;
    for (const key of ['contactId', 'recipientId'] as const) {
      const id = into.get(`${event.tenantid}/${data[key]}`);
      if (id !== undefined) data[key] = id;
    }
    return { ...event, data } as AnyEvent;
  });
}
