import { IsolationLevel } from '@mikro-orm/core';
import { EmailCampaign } from '../../db/entities/email-campaigns.ts';
import type { EntityManager } from '../../db/orm.ts';
import { notFound } from '../../lib/checks/errors.ts';
import { readClickedLinks, readTemplateLinks } from './campaign-links.ts';
import { countEmails, MAILING } from '../emails/ledger/count-emails.ts';

/** A campaign's figures, counted from the ledger and from tracked hits, without automated ones. Throws 404. */
export async function readEmailCampaignStats(em: EntityManager, id: number) {
  const { tenantId } = await em.transactional((tx) => findCampaign(tx, id));
  const templateLinks = await readTemplateLinks(em, tenantId, id);
  return em.transactional(
    async (tx) => {
      const campaign = await findCampaign(tx, id);
      const { status, pauseReason, variants, winnerVariant } = campaign;
      const counted = await countEmails(tx, tenantId, id, MAILING);
      const links = await readClickedLinks(tx, tenantId, id, templateLinks);
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

async function findCampaign(tx: EntityManager, id: number): Promise<EmailCampaign> {
  const campaign = await tx.findOne(EmailCampaign, { id });
  if (!campaign) throw notFound('email campaign', id);
  return campaign;
}
