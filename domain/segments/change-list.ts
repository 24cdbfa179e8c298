import { freshTransaction, rows, sql, type EntityManager } from '../../db/orm.ts';
import { appendAudit, type Author } from '../audit/audit.ts';
import { assertValid } from '../../lib/checks/errors.ts';
import { lockMembers, resourceOf } from './segments.ts';
import { changeListMembers } from '../membership/members/change-list-members.ts';

/**
 * Adds contacts to a static list or removes them. Returns how many memberships changed, and the list's new count. The
 * audit log has how many, not whom: what a list is about may tell something of them.
 * Throws `not_found`, `conflict` for a dynamic segment, `validation_failed` with the path of each unknown contact.
 */
export async function changeList(
  em: EntityManager,
  author: Author,
  listId: number,
  action: 'add' | 'remove',
  contactIds: readonly number[],
): Promise<{ moved: number; count: number }> {
  const { tenantId, requestId } = author;
  return freshTransaction(em, async (tx) => {
    if (action === 'add') assertValid(await lockMembers(tx, tenantId, contactIds));
    const { added, removed } = await changeListMembers(tx, tenantId, listId, { [action]: contactIds }, { requestId });
    const [{ n: count } = { n: 0 }] = await rows<{ n: number }>(
      tx,
      sql`
      select count(*) as n from segment_members where tenant_id = ${tenantId} and segment_id = ${listId}`,
    );
    const moved = added.length + removed.length;
    if (moved > 0)
      await appendAudit(
        tx,
        author,
        action === 'add'
          ? { action: 'segment.members_added', ...resourceOf(listId), after: { added: moved } }
          : { action: 'segment.members_removed', ...resourceOf(listId), after: { removed: moved } },
      );
    return { moved, count };
  });
}
