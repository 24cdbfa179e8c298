import { preparedHint, rows, sql, type EntityManager } from '../../../db/orm.ts';
import { appendEvents } from '../../../events/outbox.ts';
import { AppError, notFound } from '../../../lib/checks/errors.ts';
import { lockSegment } from './lock-segment.ts';
import { keptPast, movedAt } from './past-members.ts';
import { membershipEvent, refreshMemberships, type RefreshOptions } from './refresh-memberships.ts';
import { lockContacts } from '../../contact-values/lock-contacts.ts';

/** The request that changes memberships, or that of each contact. */
type Cause = Pick<RefreshOptions, 'requestId' | 'requestIds'>;

/**
 * Adds contacts to a static list and removes others; returns the ids whose membership changed. Ignores contacts that do
 * not exist, and memberships that need no change. Writes SEGMENT_ENTERED / SEGMENT_LEFT, and re-evaluates the dynamic
 * segments that depend on the list. Throws `not_found`, `conflict` for a dynamic segment.
 */
export async function changeListMembers(
  tx: EntityManager,
  tenantId: string,
  listId: number,
  change: { add?: readonly number[]; remove?: readonly number[] },
  cause: Cause = {},
): Promise<{ added: number[]; removed: number[] }> {
  const { add = [], remove = [] } = change;
  // Lock the contacts first: all code that changes memberships locks in that order.
  const existing = new Set(await lockContacts(tx, tenantId, [...add, ...remove]));
  await assertStatic(tx, tenantId, listId);
  const came = await rows<{ contact_id: number }>(
    tx,
    sql`${preparedHint}
    insert into segment_members (tenant_id, segment_id, contact_id, added_at)
    select ${tenantId}, ${listId}::bigint, id, ${movedAt} from unnest(${add.filter((id) => existing.has(id))}::bigint[]) as id
    on conflict do nothing returning contact_id`,
  );
  const left =
    remove.length === 0
      ? []
      : await rows<{ contact_id: number }>(
          tx,
          sql`
          with gone as (
            delete from segment_members m
            where tenant_id = ${tenantId} and segment_id = ${listId} and contact_id = any(${[...remove]}::bigint[])
            returning m.*
          ), ${keptPast} select contact_id from gone`,
        );
  const [added, removed] = [idsOf(came), idsOf(left)];
  const moved = [...added, ...removed];
  if (moved.length > 0) {
    await appendEvents(tx, { tenantId, requestId: cause.requestId ?? null }, [
      ...added.map((id) => ({ ...membershipEvent(listId, id, true), requestId: cause.requestIds?.get(id) ?? null })),
      ...removed.map((id) => ({ ...membershipEvent(listId, id, false), requestId: cause.requestIds?.get(id) ?? null })),
    ]);
    await refreshMemberships(tx, tenantId, moved, { causes: ['lists', `member:${listId}`], locked: true, ...cause });
  }
  return { added, removed };
}

/** Adds contacts to a list. Does nothing if the list was deleted in the meantime, so that the caller can continue. */
export async function addToListIfThere(
  tx: EntityManager,
  tenantId: string,
  listId: number,
  contactIds: readonly number[],
  cause: Cause = {},
): Promise<void> {
  try {
    await changeListMembers(tx, tenantId, listId, { add: contactIds }, cause);
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'not_found')) throw error;
  }
}

const idsOf = (found: { contact_id: number }[]): number[] => found.map((row) => row.contact_id).sort((a, b) => a - b);

async function assertStatic(tx: EntityManager, tenantId: string, id: number): Promise<void> {
  const segment = await lockSegment(tx, tenantId, id);
  if (!segment) throw notFound('list', id);
  if (segment.type !== 'static')
    throw new AppError('conflict', `Segment ${id} is dynamic: its members are determined by its filter`);
}
