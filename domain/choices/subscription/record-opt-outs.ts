import type { WebhookProvider } from '../../../db/entities/emails.ts';
import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { stableId } from '../../../lib/text/stable-id.ts';
import { optOut } from './unsubscribe.ts';

/** A recipient's word that they want no more marketing email: by mail, or at the provider that sent the email. */
export interface OptOutReport {
  emailId: number;
  source: 'mailbox' | WebhookProvider;
  /** Identifies the report, which counts only once even if it arrives repeatedly. */
  eventKey: string;
  at: Date;
}

/**
 * Unsubscribes the recipients of emails, in the engine transaction `tx`, as their links do. A report that the same
 * source delivers again changes nothing: its recipient may have subscribed again since. Ignores reports about emails
 * that are not in the ledger, or went to erased people.
 */
export async function recordOptOuts(tx: EntityManager, reports: readonly OptOutReport[]): Promise<void> {
  if (reports.length === 0) return;
  const emails = await rows<{ id: number; tenantId: string; contactId: number | null }>(
    tx,
    sql`
    select id, tenant_id as "tenantId", contact_id as "contactId" from emails
    where id = any(${[...new Set(reports.map(({ emailId }) => emailId))]}::bigint[])
      and to_address is not null and reason is distinct from 'erased' order by tenant_id, id for no key update`,
  );
  for (const { id: emailId, tenantId, contactId } of emails) {
    let isNew = false;
    for (const { source, eventKey, at } of reports.filter((report) => report.emailId === emailId)) {
      const [row] = await rows(
        tx,
        sql`
        insert into email_events (tenant_id, email_id, campaign_id, event_id, type, at, user_agent, automated, first)
        select e.tenant_id, e.id, e.campaign_id, ${stableId(`opt-out:${emailId}:${source}:${eventKey}`)}::uuid, 'UNSUBSCRIBE', least(${at}::timestamptz, now()), ${source}, false,
          not exists (select 1 from email_events v where v.tenant_id = e.tenant_id and v.email_id = e.id and v.type = 'UNSUBSCRIBE')
        from emails e where e.tenant_id = ${tenantId} and e.id = ${emailId} on conflict (event_id) do nothing returning 1`,
      );
      isNew ||= row !== undefined;
    }
    if (isNew) await optOut(tx, { tenantId, emailId, contactId, madeAt: null }, null);
  }
}
