import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import type { Referrer } from '../../../lib/checks/errors.ts';

/** The SCHEDULED, SENDING and PAUSED email campaigns that send a template, or that send to a segment. */
export async function emailCampaignsUsing(
  tx: EntityManager,
  tenantId: string,
  what: { templateId: number } | { segmentId: number },
): Promise<Referrer[]> {
  const uses =
    'segmentId' in what
      ? sql`segment_id = ${what.segmentId}`
      : sql`(template_id = ${what.templateId} or variants @> ${JSON.stringify([{ templateId: what.templateId }])}::jsonb)`;
  return rows<Referrer>(
    tx,
    sql`
    select 'email_campaign' as kind, id, name from email_campaigns
    where tenant_id = ${tenantId} and status in ('SCHEDULED', 'SENDING', 'PAUSED') and ${uses} order by id`,
  );
}
