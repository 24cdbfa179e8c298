import { EMAIL_LANES } from '../../../db/entities/emails.ts';
import { rows, sql, type EntityManager } from '../../../db/orm.ts';

/**
 * Makes messages that were postponed to open hours due at once, after the hours were changed; not those that wait for
 * another attempt. What must still wait is postponed again. With `contactIds`, only theirs.
 */
export async function duePostponedMessages(
  tx: EntityManager,
  tenantId: string,
  contactIds?: readonly number[],
): Promise<void> {
  const theirs = contactIds
    ? sql`and s.message_id in (select id from messages where tenant_id = ${tenantId} and contact_id = any(${[...contactIds]}::bigint[]))`
    : sql``;
  await rows(
    tx,
    sql`
    update message_sends set next_attempt_at = now() where tenant_id = ${tenantId} and id in (
      select s.id from message_sends s
      where s.tenant_id = ${tenantId} and s.lane = any(${[...EMAIL_LANES]}::text[]) and s.is_open and s.status = 'QUEUED'
        and s.next_attempt_at > now() and s.held_until = s.next_attempt_at ${theirs}
      order by s.id for update)`,
  );
}
