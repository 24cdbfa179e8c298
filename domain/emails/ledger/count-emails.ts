import type { RawBuilder } from 'kysely';
import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { rate } from '../../common/rate.ts';

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

/** `audience = queued + sent + failed + suppressed + unknown`; rates are fractions of `delivered`. */
function figures(statuses: readonly StatusRow[], hits: readonly HitsRow[]): Figures {
  const of = (...wanted: string[]): number =>
    statuses.reduce((sum, { status, n }) => sum + (wanted.includes(status) ? n : 0), 0);
  const sum = (type: HitsRow['type'], what: 'hits' | 'emails'): number =>
    hits.reduce((all, row) => all + (row.type === type ? row[what] : 0), 0);
  const sent = of('SENT', 'DELIVERED', 'BOUNCED', 'COMPLAINED');
  const bounced = of('BOUNCED');
  const delivered = sent - bounced;
  return {
    audience: statuses.reduce((all, { n }) => all + n, 0),
    queued: of('QUEUED', 'SENDING'),
    sent,
    delivered,
    failed: of('FAILED'),
    suppressed: of('SUPPRESSED'),
    bounced,
    complained: of('COMPLAINED'),
    unknown: of('UNKNOWN'),
    opens: sum('OPEN', 'hits'),
    uniqueOpens: sum('OPEN', 'emails'),
    clicks: sum('CLICK', 'hits'),
    uniqueClicks: sum('CLICK', 'emails'),
    unsubscribes: sum('UNSUBSCRIBE', 'emails'),
    openRate: rate(sum('OPEN', 'emails'), delivered),
    clickRate: rate(sum('CLICK', 'emails'), delivered),
  };
}

/** The emails that an email campaign created for its audience, without those that other programs sent with its id. */
export const MAILING = sql`m.lane = 'bulk'`;
/** All emails with the campaign's id: those that its steps sent, and those sent singly for it. */
export const EVERY = sql`true`;

/** Counts a campaign's emails, in all and by variant. Variant null: no variants, or the winner is not chosen yet. */
export async function countEmails(
  tx: EntityManager,
  tenantId: string,
  id: number,
  kind: RawBuilder<unknown>,
): Promise<{ all: Figures; of: (variant: string | null) => Figures }> {
  const statuses = await rows<StatusRow>(
    tx,
    sql`
    select m.variant, m.status, count(*) as n from emails m where m.tenant_id = ${tenantId} and m.campaign_id = ${id} and ${kind} group by m.variant, m.status`,
  );
  const hits = await rows<HitsRow>(
    tx,
    sql`
    select m.variant, v.type, sum(v.n)::bigint as hits, count(*) as emails
    from (
      select email_id, type, count(*) as n from email_events
      where tenant_id = ${tenantId} and campaign_id = ${id} and not automated group by email_id, type) v
    join emails m on m.tenant_id = ${tenantId} and m.id = v.email_id and ${kind}
    group by m.variant, v.type`,
  );
  return {
    all: figures(statuses, hits),
    of: (variant) =>
      figures(
        statuses.filter((row) => row.variant === variant),
        hits.filter((row) => row.variant === variant),
      ),
  };
}
