import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { touchOutbox } from '../../../events/outbox.ts';
import { isOfCopy } from '../../addresses/row-age.ts';
import { lockMessages, refreshMessages } from '../queue/refresh-messages.ts';
import { applyReports } from './apply-reports.ts';
import { noteLostNotices } from './opt-out-notices.ts';
import { messagesOf } from './settle-sends.ts';

const BATCH = 500;

/**
 * Makes UNKNOWN, with the reason `restored`, the next sends after the id `after` that may have left since the copy to
 * which Postgres was put back: those that are SENDING, or QUEUED and due by now; not of messages that were made
 * after the copy, if `since` names its time. `last` is null at the end. Engine `tx`.
 */
export async function markSendsRestored(
  tx: EntityManager,
  after: number,
  since: Date | null,
): Promise<{ marked: number; last: number | null }> {
  const found = await rows<{ id: number; tenantId: string; messageId: number }>(
    tx,
    sql`
    select s.id, s.tenant_id as "tenantId", s.message_id as "messageId" from message_sends s
    join messages m on m.tenant_id = s.tenant_id and m.id = s.message_id
    where s.id > ${after} and s.is_open and (s.status = 'SENDING' or s.next_attempt_at <= now())
      and ${isOfCopy(sql`m.created_at`, since)}
    order by s.id limit ${BATCH}`,
  );
  if (found.length === 0) return { marked: 0, last: null };
  const messages = messagesOf(found);
  await rows(tx, lockMessages(messages));
  await rows(
    tx,
    sql`
    update message_sends set status = 'UNKNOWN', reason = 'restored', updated_at = now()
    where id = any(${found.map(({ id }) => id)}::bigint[]) and is_open`,
  );
  await noteLostNotices(tx, found);
  await rows(tx, applyReports(found));
  await rows(tx, refreshMessages(messages));
  touchOutbox(tx, 'outbox_events');
  return { marked: found.length, last: found.at(-1)!.id };
}
