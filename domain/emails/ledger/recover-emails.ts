import { EMAIL_LANES } from '../../../db/entities/emails.ts';
import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { deleteFinishedBatches, emailsOfBatch } from './email-batches.ts';
import { settleByBounces, settleByHits } from './settle-by-evidence.ts';
import { appendSendRequests, type SendRequest } from '../../../events/outbox.ts';

const BATCH = 1000;

/**
 * Marks SENDING emails with an expired lease, and their attempts, as UNKNOWN, because the final dot may have been sent.
 * Never as QUEUED: only the holder, whose name stays on the row, knows, and it may still be alive and settle the email.
 * Also deletes finished batches. Runs an engine transaction.
 */
export async function markLostEmails(em: EntityManager): Promise<number> {
  return em.transactional(async (tx) => {
    const lost = await rows<{ id: number; tenantId: string }>(
      tx,
      sql`
      with sending as (
        -- SENDING emails were due: this condition skips the emails that wait for a send window.
        select id from emails where stage = 'open' and lane = any(${[...EMAIL_LANES]}::text[]) and next_attempt_at <= now() and status = 'SENDING'
        union all
        select e.id from email_batches b cross join lateral ${emailsOfBatch('SENDING')} e where b.holder is not null
      ), lost as (
        update emails set status = 'UNKNOWN', reason = 'holder_lost', lease_until = null, updated_at = now()
        where id in (
          select id from emails where id in (select id from sending) and status = 'SENDING' and lease_until < now()
          order by id limit ${BATCH} for update skip locked)
        returning id, tenant_id, attempt, provider
      ), attempts as (
        insert into email_attempts (tenant_id, email_id, attempt, provider, outcome)
        select tenant_id, id, attempt, provider, 'unknown' from lost where provider is not null
        on conflict (tenant_id, email_id, attempt) do nothing
      )
      select id, tenant_id as "tenantId" from lost`,
    );
    await settleByBounces(tx, lost);
    await settleByHits(tx, lost);
    await deleteFinishedBatches(tx);
    return lost.length;
  });
}

/**
 * Writes new send requests for QUEUED emails whose request was not processed for `seconds`, so that a message lost with
 * the stream or to the dead letters loses no email. Runs an engine transaction.
 */
export async function repeatSendRequests(em: EntityManager, seconds: number): Promise<number> {
  return em.transactional(async (tx) => {
    const waiting = await rows<{
      id: number;
      tenant_id: string;
      template_id: number;
      contact_id: number | null;
      campaign_id: number | null;
    }>(
      tx,
      sql`
      update emails set next_attempt_at = now() where id in (
        select id from emails
        where stage = 'waiting' and next_attempt_at < now() - make_interval(secs => ${seconds})
        order by next_attempt_at limit ${BATCH} for update skip locked)
      returning id, tenant_id, template_id, contact_id, campaign_id`,
    );
    for (const [tenantId, group] of Map.groupBy(waiting, (row) => row.tenant_id)) {
      await appendSendRequests(
        tx,
        tenantId,
        group.map((row): SendRequest => ({
          templateId: row.template_id,
          recipientId: row.contact_id,
          emailId: row.id,
          campaignId: row.campaign_id,
        })),
      );
    }
    return waiting.length;
  });
}
