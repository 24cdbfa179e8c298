import { IsolationLevel } from '@mikro-orm/core';
import { EmailCampaign } from '../../../db/entities/email-campaigns.ts';
import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { notFound } from '../../errors.ts';

const MAX_LINKS = 200;

export interface Figures {
  audience: number;
  queued: number;
  sent: number;
  delivered: number;
  failed: number;
  suppressed: number;
  bounced: number;
  complained: number;
  unknown: number;
  opens: number;
  uniqueOpens: number;
  clicks: number;
  uniqueClicks: number;
  unsubscribes: number;
  openRate: number;
  clickRate: number;
}

interface StatusRow {
  variant: string | null;
  status: string;
  n: number;
}

interface HitsRow {
  variant: string | null;
  type: 'OPEN' | 'CLICK' | 'UNSUBSCRIBE';
  hits: number;
  emails: number;
}

/** `audience = queued + sent + failed + suppressed + unknown`; rates are of delivered. */
function figures(statuses: readonly StatusRow[], hits: readonly HitsRow[]): Figures {
  const of = (...wanted: string[]): number => statuses.reduce((sum, { status, n }) => sum + (wanted.includes(status) ? n : 0), 0);
  const sum = (type: HitsRow['type'], what: 'hits' | 'emails'): number => hits.reduce((all, row) => all + (row.type === type ? row[what] : 0), 0);
  const sent = of('SENT', 'DELIVERED', 'BOUNCED', 'COMPLAINED');
  const bounced = of('BOUNCED');
  const delivered = sent - bounced;
  const rate = (count: number): number => (delivered === 0 ? 0 : Math.min(1, count / delivered));
  return {
    audience: statuses.reduce((all, { n }) => all + n, 0), queued: of('QUEUED', 'SENDING'), sent, delivered, failed: of('FAILED'),
    suppressed: of('SUPPRESSED'), bounced, complained: of('COMPLAINED'), unknown: of('UNKNOWN'),
    opens: sum('OPEN', 'hits'), uniqueOpens: sum('OPEN', 'emails'), clicks: sum('CLICK', 'hits'), uniqueClicks: sum('CLICK', 'emails'),
    unsubscribes: sum('UNSUBSCRIBE', 'emails'), openRate: rate(sum('OPEN', 'emails')), clickRate: rate(sum('CLICK', 'emails')),
  };
}

const ofCampaign = (tenantId: string, id: number) => sql`tenant_id = ${tenantId} and campaign_id = ${id}`;

/** What became of a campaign's emails, by variant (a null one awaits the winner), and of all of them. */
export async function countEmails(tx: EntityManager, tenantId: string, id: number): Promise<{ all: Figures; of: (variant: string | null) => Figures }> {
  const statuses = await rows<StatusRow>(tx, sql`
    select variant, status, count(*) as n from emails where ${ofCampaign(tenantId, id)} and lane = 'bulk' group by variant, status`);
  const hits = await rows<HitsRow>(tx, sql`
    select e.variant, v.type, sum(v.n)::bigint as hits, count(*) as emails
    from (select email_id, type, count(*) as n from email_events where ${ofCampaign(tenantId, id)} and not automated group by email_id, type) v
    join emails e on e.tenant_id = ${tenantId} and e.id = v.email_id and e.lane = 'bulk'
    group by e.variant, v.type`);
  return {
    all: figures(statuses, hits),
    of: (variant) => figures(statuses.filter((row) => row.variant === variant), hits.filter((row) => row.variant === variant)),
  };
}

/** A campaign's figures, counted from the ledger and from its recipients' hits as they are; people's alone. Throws 404. */
export async function readEmailCampaignStats(em: EntityManager, id: number) {
  return em.transactional(async (tx) => {
    const campaign = await tx.findOne(EmailCampaign, { id });
    if (!campaign) throw notFound('email campaign', id);
    const { tenantId, status, variants, winnerVariant } = campaign;
    const counted = await countEmails(tx, tenantId, id);
    const links = await rows<{ url: string; clicks: number; uniqueClicks: number }>(tx, sql`
      select v.url, count(*) as clicks, count(distinct v.email_id) as "uniqueClicks"
      from email_events v join emails e on e.tenant_id = v.tenant_id and e.id = v.email_id and e.lane = 'bulk'
      where v.tenant_id = ${tenantId} and v.campaign_id = ${id} and v.type = 'CLICK' and not v.automated
      group by v.url order by clicks desc, v.url limit ${MAX_LINKS}`);
    return {
      campaignId: id, status: status!, ...counted.all, links,
      variants: (variants ?? []).map(({ name, templateId, weight }) => (
        { name, templateId, weight, winner: variants!.length > 0 && name === winnerVariant, ...counted.of(name) })),
    };
    // Of one moment, so that the parts make the whole.
  }, { isolationLevel: IsolationLevel.REPEATABLE_READ });
}
