import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { touchOutbox } from '../../../events/outbox.ts';
import { applyReports } from './apply-reports.ts';
import { firstDueSends } from './first-due-sends.ts';
import { lockMessages, refreshMessages } from '../queue/refresh-messages.ts';
import { noteLostNotices } from './opt-out-notices.ts';
import { messagesOf } from './settle-sends.ts';

const BATCH = 500;
/** What is known of an attempt whose sender is lost. */
const LOST = 'the sender was lost before the answer came';

/**
 * Makes UNKNOWN, with its attempt, what was SENDING when its sender lost the lease: nobody can tell whether it was
 * accepted, and it is never sent again by itself. Returns how many. Engine `em`.
 */
export async function markLostSends(em: EntityManager): Promise<number> {
  return em.transactional(async (tx) => {
    const found = await rows<{ id: number; tenantId: string; messageId: number }>(
      tx,
      sql`
      select id, tenant_id as "tenantId", message_id as "messageId" from (${firstDueSends}) s
      where status = 'SENDING' and lease_until < now() order by id limit ${BATCH}`,
    );
    if (found.length === 0) return 0;
    const messages = messagesOf(found);
    await rows(tx, lockMessages(messages));
    const lost = await rows<{ id: number; tenantId: string; messageId: number }>(
      tx,
      sql`
      with lost as (
        update message_sends set status = 'UNKNOWN', reason = 'sender_lost', updated_at = now()
        where id = any(${found.map(({ id }) => id)}::bigint[]) and status = 'SENDING' and lease_until < now()
        returning id, tenant_id, message_id, attempt, provider_id
      ), attempts as (
        insert into message_attempts (tenant_id, send_id, attempt, provider_id, outcome, reply)
        select tenant_id, id, attempt, provider_id, 'unknown', ${LOST} from lost
        on conflict (tenant_id, send_id, attempt) do nothing
      )
      select id, tenant_id as "tenantId", message_id as "messageId" from lost`,
    );
    await noteLostNotices(tx, lost);
    await rows(tx, applyReports(lost));
    await rows(tx, refreshMessages(messages));
    touchOutbox(tx, 'outbox_events');
    return lost.length;
  });
}
