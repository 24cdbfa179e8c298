import { IsolationLevel } from '@mikro-orm/core';
import { EmailCampaign } from '../../../db/entities/email-campaigns.ts';
import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { notFound } from '../../common/errors.ts';
import { countEmails, MAILING } from '../ledger/count-emails.ts';

const MAX_LINKS = 200;

/** A campaign's figures, counted from the ledger and from tracked hits, without automated ones. Throws 404. */
export async function readEmailCampaignStats(em: EntityManager, id: number) {
  return em.transactional(
    async (tx) => {
      const campaign = await tx.findOne(EmailCampaign, { id });
      if (!campaign) throw notFound('email campaign', id);
      const { tenantId, status, pauseReason, variants, winnerVariant } = campaign;
      const counted = await countEmails(tx, tenantId, id, MAILING);
      const links = await rows<{ url: string; clicks: number; uniqueClicks: number }>(
        tx,
        sql`
      select v.url, count(*) as clicks, count(distinct v.email_id) as "uniqueClicks"
      from email_events v join emails e on e.tenant_id = v.tenant_id and e.id = v.email_id and e.lane = 'bulk'
      where v.tenant_id = ${tenantId} and v.campaign_id = ${id} and v.type = 'CLICK' and not v.automated
      group by v.url order by clicks desc, v.url limit ${MAX_LINKS}`,
      );
      return {
        campaignId: id,
        status,
        pauseReason: pauseReason ?? null,
        ...counted.all,
        links,
        variants: (variants ?? []).map(({ name, templateId, weight }) => ({
          name,
          templateId,
          weight,
          winner: variants!.length > 0 && name === winnerVariant,
          ...counted.of(name),
        })),
      };
      // In one snapshot, so that the parts add up to the totals.
    },
    { isolationLevel: IsolationLevel.REPEATABLE_READ },
  );
}
