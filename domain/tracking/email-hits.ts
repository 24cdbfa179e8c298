import { rows, sql, type EntityManager } from '../../db/orm.ts';
import { isNoYounger } from '../addresses/row-age.ts';
import { appendEventsOfTenants } from '../../events/outbox.ts';
import { emailReferences } from '../emails/ledger/delivery-events.ts';
import { settleByHits } from '../emails/ledger/settle-by-evidence.ts';
import type { EmailHit } from './hit.ts';
import type { HitLedger, PendingHit } from './hit-ledger.ts';

/** A hit with the email's data for its event. */
interface EmailHitRow extends PendingHit {
  url: string | null;
  contact_id: number | null;
  template_id: number;
  campaign_id: number | null;
  external_id: string | null;
  inferred?: boolean;
}

const ofEmail = sql`e.link_count, e.contact_id, e.template_id, e.campaign_id, e.external_id`;

/** Opens and clicks of emails. */
export const emailHits: HitLedger<EmailHitRow> = {
  lock: 0x7065_7266,
  table: sql`email_events`,
  subject: sql`v.email_id`,
  type: sql`v.type`,
  readPending: (tx, afterSeconds, limit) =>
    rows<EmailHitRow>(
      tx,
      sql`
      select v.id, v.tenant_id, v.email_id as subject, v.type, v.at, v.url, ${ofEmail}
      from email_events v join emails e on e.tenant_id = v.tenant_id and e.id = v.email_id
      where v.automated is null and v.received_at <= now() - make_interval(secs => ${afterSeconds})
      order by v.received_at, v.id limit ${limit}`,
    ),
  settle: (tx, hits) =>
    settleByHits(
      tx,
      hits.map((hit) => ({ tenantId: hit.tenant_id, id: hit.subject })),
    ),
  inferOpens,
  tell: appendHitEvents,
};

/** The open that an email's clicks imply has an id of its own, so that there is at most one. */
const inferredId = sql`md5('inferred-open/' || c.email_id)::uuid`;

/** An open that was stored after the batch was read, though it came before the click, needs no other. */
const isOpening = sql`exists (
        select 1 from email_events o where o.tenant_id = c.tenant_id and o.email_id = c.email_id and o.type = 'OPEN'
          and o.automated is null and o.at <= c.at)`;

async function inferOpens(tx: EntityManager, clicks: readonly EmailHitRow[]): Promise<EmailHitRow[]> {
  return rows<EmailHitRow>(
    tx,
    sql`
    with come as (
      insert into email_events (tenant_id, email_id, campaign_id, event_id, type, at, automated, first, inferred)
      select c.tenant_id, c.email_id, c.campaign_id, ${inferredId}, 'OPEN', c.at, false, true, true
      from email_events c where c.id = any(${clicks.map(({ id }) => id)}::bigint[]) and not ${isOpening}
      on conflict (event_id) do nothing
      returning id, tenant_id, email_id, type, at, url, automated, first, inferred
    )
    select v.*, v.email_id as subject, ${ofEmail}
    from come v join emails e on e.tenant_id = v.tenant_id and e.id = v.email_id`,
  );
}

/**
 * Stores hits of existing emails, each once, unless somebody else's email was given the id since (`isOfToken`). Writes events at once for those that are certainly automated; the others
 * wait to be classified. Engine `tx`.
 */
export async function recordEmailHits(tx: EntityManager, hits: readonly EmailHit[]): Promise<void> {
  if (hits.length === 0) return;
  const payload = JSON.stringify(
    hits.map((hit) => ({ ...hit, email_id: hit.emailId, user_agent: hit.userAgent, made_at: hit.madeAt })),
  );
  const recorded = await rows<EmailHitRow>(
    tx,
    sql`
    with come as (
      insert into email_events (tenant_id, email_id, campaign_id, event_id, type, at, url, ip, user_agent, automated)
      select e.tenant_id, e.id, e.campaign_id, h.id, h.type, h.at, h.url, h.ip, h.user_agent, case when h.automated then true end
      from jsonb_to_recordset(${payload}::jsonb) as h(id uuid, type text, email_id bigint, at timestamptz, url text, ip text, user_agent text, automated boolean, made_at timestamptz)
      join emails e on e.id = h.email_id and e.reason is distinct from 'erased'
        and (h.made_at is null or ${isNoYounger(sql`e.created_at`, sql`h.made_at`)})
      on conflict (event_id) do nothing
      returning id, tenant_id, email_id, type, at, url, automated, first
    )
    select v.*, v.email_id as subject, ${ofEmail}
    from come v join emails e on e.tenant_id = v.tenant_id and e.id = v.email_id
    where v.automated`,
  );
  await appendHitEvents(tx, recorded);
}

/** Writes EMAIL_OPENED and EMAIL_CLICKED for classified hits, with the time of the hit. */
async function appendHitEvents(tx: EntityManager, hits: readonly EmailHitRow[]): Promise<void> {
  await appendEventsOfTenants(
    tx,
    hits.map((hit) => {
      const { subject: emailId, contact_id: contactId, automated, first } = hit;
      const common = { emailId, contactId, automated, first, ...emailReferences(hit) };
      const about = { at: hit.at };
      return {
        tenantId: hit.tenant_id,
        event:
          hit.type === 'OPEN'
            ? {
                type: 'EMAIL_OPENED' as const,
                ...about,
                data: { ...common, ...(hit.inferred ? { inferred: true } : {}) },
              }
            : { type: 'EMAIL_CLICKED' as const, ...about, data: { ...common, url: hit.url ?? '' } },
      };
    }),
  );
}
