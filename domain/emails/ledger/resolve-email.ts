import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { Email } from '../../../db/entities/emails.ts';
import { AppError, notFound } from '../../../lib/checks/errors.ts';
import { touchOutbox } from '../../../events/outbox.ts';
import { addToTimelineIf, insertDeliveryEvents, toldColumns } from './delivery-events.ts';

/** An operator's decision about an UNKNOWN email. */
export type Resolution = 'sent' | 'failed' | 'resend';

const results: Record<Resolution, string> = { sent: 'SENT', failed: 'FAILED', resend: 'QUEUED' };

/**
 * Settles an UNKNOWN email by an operator's decision: it was sent; it failed; or it was not sent and is sent again. The
 * lost attempt can no longer settle it. Throws 404, 409 if it is not UNKNOWN.
 */
export async function resolveEmail(em: EntityManager, id: number, outcome: Resolution): Promise<Email> {
  return em.transactional(async (tx) => {
    const changed = await rows(
      tx,
      sql`with changed as (
      update emails m set status = ${results[outcome]}, reason = ${`resolved_${outcome}`}, sent_at = ${outcome === 'sent' ? sql`now()` : sql`null`},
        ${addToTimelineIf(outcome === 'resend' ? sql`false` : sql`true`)},
        accepted_at = coalesce(accepted_at, now()), next_attempt_at = now(), holder = null, lease_until = null, updated_at = now()
      where id = ${id} and status = 'UNKNOWN'
      returning ${toldColumns}
    ), told as (${insertDeliveryEvents(sql`(select * from changed where status in ('SENT', 'FAILED'))`)})
    select id from changed`,
    );
    const email = await tx.findOne(Email, { id });
    if (!email) throw notFound('email', id);
    if (changed.length === 0)
      throw new AppError('conflict', `The email is ${email.status}; only an UNKNOWN email can be resolved`);
    touchOutbox(tx, 'outbox_events');
    return email;
  });
}
