import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { addressKey } from '../../addresses/address-key.ts';
import { suppressAddresses } from '../consent/suppress-addresses.ts';
import { bounceKindOf, COUNTED_VERDICTS, outcomeFor, type DeliveryReport, type Outcome } from './report.ts';
import { settleByBounces, settleByDelivery, type EmailRef } from '../ledger/settle-by-evidence.ts';

/** After this many soft-bounced emails in a row, an address counts as dead and is suppressed. */
const SOFT_BOUNCES = 5;

/** A delivery report joined with its email, and the report's outcome for the address that the email was sent to. */
interface ReportedEmail extends EmailRef, Pick<DeliveryReport, 'source' | 'eventKey' | 'at'> {
  status: string;
  emailKey: string;
  outcome: Outcome;
}

interface BounceRow {
  id: number;
  tenant_id: string;
  email_id: number;
  email_key: string;
  kind: 'hard' | 'soft' | 'complaint';
}

/**
 * Stores delivery reports, in the engine transaction `tx`. A report that the same source delivers again changes
 * nothing; one that arrives from two sources (mailbox and webhook) is stored once for each. Updates the emails'
 * status. After a hard bounce, a complaint or SOFT_BOUNCES soft-bounced emails, suppresses the address and sets the
 * status of the contact that has it now (maybe not the email's recipient). Ignores reports about emails to erased
 * people. Returns `deferred`, the number of reports that an email was delivered which is still SENDING: they had no
 * effect, so their source must repeat them later.
 */
export async function recordReports(
  tx: EntityManager,
  reports: readonly DeliveryReport[],
): Promise<{ deferred: number }> {
  const told = await findEmails(tx, reports);
  const delivered = told.filter(({ outcome }) => outcome.verdict === 'delivered');
  for (const [source, group] of Map.groupBy(delivered, (one) => one.source)) await settleByDelivery(tx, group, source);

  const made = await insertBounces(tx, told);
  await settleByBounces(
    tx,
    made.map((row) => ({ tenantId: row.tenant_id, id: row.email_id })),
  );
  const byTenant = [...Map.groupBy(made, (row) => row.tenant_id)].sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [tenantId, group] of byTenant) await suppressBounced(tx, tenantId, group);
  return { deferred: delivered.filter(({ status }) => status === 'SENDING').length };
}

/**
 * Locks the reports' emails in id order, as all code that locks several emails does. Skips reports without an email.
 */
async function findEmails(tx: EntityManager, reports: readonly DeliveryReport[]): Promise<ReportedEmail[]> {
  const ids = [...new Set(reports.map(({ emailId }) => emailId))];
  const emails =
    ids.length === 0
      ? []
      : await rows<{ id: number; tenant_id: string; status: string; to_address: string }>(
          tx,
          sql`
    select id, tenant_id, status, to_address from emails
    where id = any(${ids}::bigint[]) and to_address is not null and reason is distinct from 'erased' order by id for no key update`,
        );
  const byId = new Map(emails.map((email) => [email.id, email]));
  return reports.flatMap(({ emailId, source, eventKey, at, outcomes }) => {
    const email = byId.get(emailId);
    if (!email) return [];
    const emailKey = addressKey(email.to_address);
    return [
      {
        id: emailId,
        tenantId: email.tenant_id,
        status: email.status,
        emailKey,
        source,
        eventKey,
        at,
        outcome: outcomeFor(outcomes, emailKey, addressKey),
      },
    ];
  });
}

/** Inserts bounces and complaints. Returns the rows that are new. */
async function insertBounces(tx: EntityManager, told: readonly ReportedEmail[]): Promise<BounceRow[]> {
  const bounces = told.filter(({ outcome: { verdict } }) => bounceKindOf(verdict) !== null);
  if (bounces.length === 0) return [];
  const payload = JSON.stringify(
    bounces.map(({ id, tenantId, emailKey, source, eventKey, at, outcome: { verdict, statusCode, diagnostic } }) => ({
      tenant_id: tenantId,
      email_id: id,
      email_key: emailKey,
      kind: bounceKindOf(verdict),
      verdict,
      source,
      event_key: eventKey,
      status_code: statusCode,
      diagnostic,
      at,
    })),
  );
  return rows<BounceRow>(
    tx,
    sql`
    insert into email_bounces (tenant_id, email_id, email_key, kind, verdict, source, event_key, status_code, diagnostic, at)
    select tenant_id, email_id, email_key, kind, verdict, source, event_key, status_code, diagnostic, least(at, now())
    from jsonb_to_recordset(${payload}::jsonb)
      as r(tenant_id text, email_id bigint, email_key text, kind text, verdict text, source text, event_key text, status_code text, diagnostic text, at timestamptz)
    order by email_id, event_key on conflict (tenant_id, email_id, source, event_key) do nothing
    returning id, tenant_id, email_id, email_key, kind`,
  );
}

async function suppressBounced(tx: EntityManager, tenantId: string, made: readonly BounceRow[]): Promise<void> {
  const of = (kind: BounceRow['kind']) => made.filter((row) => row.kind === kind);
  const worn = await addressesAtSoftBounceLimit(tx, tenantId, of('soft'));
  const dead = [...of('hard'), ...of('soft').filter((row) => worn.has(row.email_key))];
  for (const [reason, group] of [
    ['complained', of('complaint')],
    ['bounced', dead],
  ] as const) {
    if (group.length === 0) continue;
    // No contactId: only the contact that has the address now is concerned; a recipient with a new one is not.
    await suppressAddresses(
      tx,
      { tenantId, requestId: null },
      reason,
      group.map((row) => ({ emailKey: row.email_key, contactId: null, emailId: row.email_id })),
    );
  }
}

/**
 * Addresses for which the new bounces `made` raise the number of soft-bounced emails, since the last email that is
 * known to have arrived, to a multiple of SOFT_BOUNCES: 5, or 10 if somebody removed the suppression after the first
 * five.
 */
async function addressesAtSoftBounceLimit(
  tx: EntityManager,
  tenantId: string,
  made: readonly BounceRow[],
): Promise<Set<string>> {
  if (made.length === 0) return new Set();
  const keys = [...new Set(made.map((row) => row.email_key))];
  const found = await rows<{ email_key: string }>(
    tx,
    sql`
    with softs as (
      select b.id, b.email_key, b.email_id, m.contact_id, lower(m.to_address) as address
      from email_bounces b join emails m on m.tenant_id = b.tenant_id and m.id = b.email_id
      where b.tenant_id = ${tenantId} and b.email_key = any(${keys}::text[]) and b.kind = 'soft'
        and coalesce(b.verdict, 'unclear') = any(${[...COUNTED_VERDICTS]}::text[])
    ), arrived as (
      select s.email_key, max(e.id) as email_id from (select distinct email_key, contact_id, address from softs) s
      join emails e on e.tenant_id = ${tenantId} and e.contact_id = s.contact_id and lower(e.to_address) = s.address
      where e.status = 'DELIVERED' or exists (
        select 1 from email_events v where v.tenant_id = e.tenant_id and v.email_id = e.id and v.type in ('OPEN', 'CLICK') and not v.automated)
      group by 1
    )
    select s.email_key from softs s left join arrived a on a.email_key = s.email_key where s.email_id > coalesce(a.email_id, 0)
    group by 1 having count(distinct s.email_id) / ${sql.lit(SOFT_BOUNCES)}
      > count(distinct s.email_id) filter (where s.id <> all(${made.map(({ id }) => id)}::bigint[])) / ${sql.lit(SOFT_BOUNCES)}`,
  );
  return new Set(found.map((row) => row.email_key));
}
