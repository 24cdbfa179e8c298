import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { touchOutbox } from '../../../events/outbox.ts';
import { appendAudit, type Author } from '../../audit/audit.ts';
import { AppError } from '../../../lib/checks/errors.ts';
import { takeNoticesBack } from './opt-out-notices.ts';
import { readMessage, type MessageView } from './read-messages.ts';
import { lockMessages, refreshMessages } from '../queue/refresh-messages.ts';

/** An operator's decision about an UNKNOWN message. */
export type Resolution = 'sent' | 'failed' | 'resend';

const results: Record<Resolution, string> = { sent: 'SENT', failed: 'FAILED', resend: 'QUEUED' };

/**
 * Settles the UNKNOWN sends of a message by an operator's decision: they were sent; they failed; or they were not sent
 * and are sent again. A lost attempt can no longer settle them: a new one has another number, and a settled one is not
 * in doubt. Throws 404, 409 if the message is not UNKNOWN or was erased.
 */
export async function resolveMessage(
  em: EntityManager,
  author: Author,
  id: number,
  outcome: Resolution,
): Promise<MessageView> {
  const { tenantId } = author;
  return em.transactional(async (tx) => {
    const key = [{ tenantId, id }];
    await rows(tx, lockMessages(key));
    const { message } = await readMessage(tx, id);
    if (message.status !== 'UNKNOWN')
      throw new AppError('conflict', `The message is ${message.status}; only an UNKNOWN message can be resolved`);
    // Nothing may be sent any more, and its status does not change (`refreshMessages`).
    if (message.reason === 'erased') throw new AppError('conflict', 'The contact of the message was erased');
    const changed = await rows<{ lane: string }>(
      tx,
      sql`
      with changed as (
        update message_sends set status = ${results[outcome]}, reason = ${`resolved_${outcome}`},
          sent_at = ${outcome === 'sent' ? sql`now()` : sql`sent_at`}, attempt = attempt + ${outcome === 'resend' ? 1 : 0},
          -- What was not accepted may go to another provider, which will give it its own id.
          provider_message_id = ${outcome === 'resend' ? sql`null` : sql`provider_message_id`},
          bound_provider_id = ${outcome === 'resend' ? sql`null` : sql`bound_provider_id`},
          bound_to = ${outcome === 'resend' ? sql`null` : sql`bound_to`},
          next_attempt_at = now(), holder = null, lease_until = null, updated_at = now()
        where tenant_id = ${tenantId} and message_id = ${id} and status = 'UNKNOWN'
        returning tenant_id, message_id, lane, old.updated_at as since
      ), taken_back as (
        ${takeNoticesBack(sql`select * from changed where ${outcome !== 'sent'}`)}
      )
      select lane from changed`,
    );
    // The time for which it is tried begins again.
    if (outcome === 'resend')
      await rows(tx, sql`update messages set started_at = now() where tenant_id = ${tenantId} and id = ${id}`);
    await rows(tx, refreshMessages(key));
    touchOutbox(tx, 'outbox_events');
    if (outcome === 'resend') touchOutbox(tx, 'message_sends', [...new Set(changed.map(({ lane }) => lane))]);
    await appendAudit(tx, author, {
      ...{ action: 'message.resolved', resourceType: 'message', resourceId: id },
      after: { outcome },
    });
    return readMessage(tx, id);
  });
}
