import { keptPlan, rows, sql, type EntityManager } from '../../../db/orm.ts';
import { appendEventsOfTenants } from '../../../events/outbox.ts';
import { appendDeliveryEvents, emailReferences, type LedgerRow } from '../delivery-events.ts';
import type { WebhookProvider } from './report.ts';

/** Names an email of the ledger. */
export interface EmailRef {
  tenantId: string;
  id: number;
}

interface SettledRow extends LedgerRow {
  was: string;
}

const asked = (emails: readonly EmailRef[]) => {
  const payload = JSON.stringify(emails.map(({ tenantId, id }) => ({ tenant_id: tenantId, id })));
  return sql`jsonb_to_recordset(${payload}::jsonb) as a(tenant_id text, id bigint)`;
};
const settled = sql`sent_at = coalesce(m.sent_at, now()), holder = null, lease_until = null, updated_at = now()`;
const returned = sql`m.id, m.tenant_id, m.status, m.contact_id, m.template_id, m.campaign_id, m.external_id, m.request_id, old.status as was`;

/** Of an email that was UNKNOWN nobody was told yet that it was sent. */
async function tellSent(tx: EntityManager, changed: readonly SettledRow[]): Promise<void> {
  await appendDeliveryEvents(tx, changed.filter((row) => row.was === 'UNKNOWN').map((row) => ({ ...row, status: 'SENT' })));
}

/**
 * Gives emails the state that their bounces and complaints say, in the engine transaction `tx`, which has locked them:
 * BOUNCED, or COMPLAINED, which stays. What is on a connection is its holder's: whoever settles it calls this then, in a
 * statement of its own, which sees what came in while it waited for the lock. EMAIL_BOUNCED is written once an email, at the time of its first bounce.
 */
export async function settleByBounces(tx: EntityManager, emails: readonly EmailRef[]): Promise<void> {
  if (emails.length === 0) return;
  const changed = await rows<SettledRow & { hard: boolean; at: Date }>(tx, sql`${keptPlan}
    with told as (
      select b.tenant_id, b.email_id, bool_or(b.kind = 'complaint') as complained, bool_or(b.kind = 'hard') as hard, min(b.at) as at
      from ${asked(emails)} join email_bounces b on b.tenant_id = a.tenant_id and b.email_id = a.id group by 1, 2
    )
    update emails m set status = case when t.complained then 'COMPLAINED' else 'BOUNCED' end,
      reason = case when t.complained then 'complaint' when t.hard then 'hard_bounce' else 'soft_bounce' end, ${settled}
    from told t where m.tenant_id = t.tenant_id and m.id = t.email_id and m.reason is distinct from 'erased'
      and (m.status in ('SENT', 'DELIVERED', 'UNKNOWN') or (m.status = 'BOUNCED' and (t.complained or (t.hard and m.reason = 'soft_bounce'))))
    returning ${returned}, t.hard, t.at`);
  await tellSent(tx, changed);
  await appendEventsOfTenants(tx, changed.filter((row) => row.status === 'BOUNCED' && row.was !== 'BOUNCED').map((row) => ({
    origin: { tenantId: row.tenant_id, requestId: null },
    event: { type: 'EMAIL_BOUNCED' as const, entity: `email/${row.id}`, at: row.at, data: { emailId: row.id, contactId: row.contact_id, hard: row.hard, ...emailReferences(row) } },
  })));
}

/** Makes emails that are SENT or UNKNOWN DELIVERED, by the word of a provider or of a report. */
export async function settleByDelivery(tx: EntityManager, emails: readonly EmailRef[], source: 'mailbox' | WebhookProvider): Promise<void> {
  if (emails.length === 0) return;
  await tellSent(tx, await rows<SettledRow>(tx, sql`
    update emails m set status = 'DELIVERED', reason = ${`confirmed_by_${source}`}, ${settled}
    from ${asked(emails)} where m.tenant_id = a.tenant_id and m.id = a.id and m.status in ('SENT', 'UNKNOWN') and m.reason is distinct from 'erased'
    returning ${returned}`));
}

/**
 * Makes emails SENT that are UNKNOWN though somebody has opened them or followed a link. Those that are on a connection
 * are locked for a moment: whoever makes them UNKNOWN calls this afterwards, and sees the hit.
 */
export async function settleByHits(tx: EntityManager, emails: readonly EmailRef[]): Promise<void> {
  if (emails.length === 0) return;
  const open = await rows<{ tenant_id: string; id: number; status: string }>(tx, sql`
    select m.tenant_id, m.id, m.status from ${asked(emails)} join emails m on m.tenant_id = a.tenant_id and m.id = a.id
    where m.status in ('SENDING', 'UNKNOWN') order by m.id for no key update of m`);
  const unknown = open.filter(({ status }) => status === 'UNKNOWN').map(({ tenant_id: tenantId, id }) => ({ tenantId, id }));
  if (unknown.length === 0) return;
  await tellSent(tx, await rows<SettledRow>(tx, sql`
    with hit as (
      select distinct on (v.tenant_id, v.email_id) v.tenant_id, v.email_id, lower(v.type) as type
      from ${asked(unknown)} join email_events v on v.tenant_id = a.tenant_id and v.email_id = a.id
      where v.type in ('OPEN', 'CLICK') and not v.automated order by v.tenant_id, v.email_id, v.at
    )
    update emails m set status = 'SENT', reason = 'confirmed_by_' || h.type, ${settled}
    from hit h where m.tenant_id = h.tenant_id and m.id = h.email_id and m.reason is distinct from 'erased'
    returning ${returned}`));
}
