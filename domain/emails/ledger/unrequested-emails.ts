import { rows, sql, type EntityManager, type RawBuilder } from '../../../db/orm.ts';
import { EMAIL_LANES } from '../../../db/entities/emails.ts';

/**
 * The `next_attempt_at` of an email campaign's email that was not requested yet, or whose campaign was paused when it
 * started: neither senders nor the reconciler take it.
 */
export const UNREQUESTED_UNTIL = sql`'9999-12-31T00:00:00Z'::timestamptz`;

/**
 * A statement (or part of one) that inserts the emails of an email campaign, not requested yet. `source` has tenant_id,
 * send_key, template_id, contact_id, campaign_id, variant, due_at and reason (why a gate refuses it, or null).
 */
export const insertUnrequestedEmails = (source: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  insert into emails (tenant_id, send_key, template_id, contact_id, campaign_id, lane, variant, due_at, next_attempt_at, status, reason)
  select tenant_id, send_key, template_id, contact_id, campaign_id, 'bulk', variant, due_at, ${UNREQUESTED_UNTIL},
         case when reason is null then 'QUEUED' else 'SUPPRESSED' end, reason
  from ${source} s order by contact_id
  on conflict (tenant_id, send_key) do nothing`;

/** Sets the variant and template of emails that were not requested yet. */
export async function setVariant(
  tx: EntityManager,
  tenantId: string,
  ids: readonly number[],
  { name, templateId }: { name: string; templateId: number },
): Promise<void> {
  await rows(
    tx,
    sql`update emails set variant = ${name}, template_id = ${templateId} where tenant_id = ${tenantId} and id = any(${[...ids]}::bigint[])`,
  );
}

/**
 * Makes accepted emails (stage `open`, so no unrequested ones) that were postponed to a send window due at once, after
 * the window was changed: those never tried, and those postponed for longer than a retry (an hour). Emails that must
 * still wait are postponed again.
 */
export async function duePostponedEmails(tx: EntityManager, tenantId: string): Promise<void> {
  await rows(
    tx,
    sql`
    update emails set next_attempt_at = now() where id in (
      select id from emails
      where tenant_id = ${tenantId} and lane = any(${[...EMAIL_LANES]}::text[]) and stage = 'open' and status = 'QUEUED'
        and next_attempt_at > now() + case when attempt = 0 then interval '0' else interval '1 hour' end
      order by id for update)`,
  );
}
