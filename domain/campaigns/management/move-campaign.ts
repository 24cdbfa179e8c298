import { LockMode } from '@mikro-orm/core';
import { Campaign, type CAMPAIGN_STATUSES } from '../../../db/entities/campaigns.ts';
import type { EntityManager } from '../../../db/orm.ts';
import { appendAudit, type Author } from '../../audit/audit.ts';
import { AppError, notFound } from '../../../lib/checks/errors.ts';

type Status = (typeof CAMPAIGN_STATUSES)[number];

/** A change of a campaign's status that stops nothing and enrols no one. */
export interface Move {
  /** What happens to the campaign, for the audit log and for error texts: `paused`. */
  verb: 'paused' | 'resumed' | 'archived' | 'unarchived';
  from: readonly Status[];
  to: (campaign: Campaign) => Status;
  /** A campaign with this status is left alone, so that a repeated request succeeds. */
  done?: Status;
  /** Further writes, in the transaction of the change. */
  also?: (tx: EntityManager, campaign: Campaign) => Promise<void>;
}

/** Changes the status of a campaign. Throws 404, and 409 if it has none of the statuses in `from`. */
export async function moveCampaign(
  em: EntityManager,
  author: Author,
  id: number,
  { verb, from, to, done, also }: Move,
): Promise<Campaign> {
  return em.transactional(async (tx) => {
    const campaign = await tx.findOne(Campaign, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (!campaign) throw notFound('campaign', id);
    const { status } = campaign;
    if (status === done) return campaign;
    if (!from.includes(status)) {
      const allowed = from.join(' or ');
      throw new AppError('conflict', `The campaign is ${status}; only one that is ${allowed} can be ${verb}`);
    }
    Object.assign(campaign, { status: to(campaign), pauseReason: null });
    await tx.flush();
    await appendAudit(tx, author, {
      action: `campaign.${verb}`,
      resourceType: 'campaign',
      resourceId: id,
      before: { status },
      after: { status: campaign.status },
    });
    await also?.(tx, campaign);
    return campaign;
  });
}
