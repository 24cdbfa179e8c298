import type { Campaign } from '../../../db/entities/campaigns.ts';
import type { EntityManager } from '../../../db/orm.ts';
import type { Author } from '../../audit/audit.ts';
import { moveCampaign } from './move-campaign.ts';

/**
 * Archives a campaign: it keeps its executions and figures, and cannot be started. Throws 404, 409 if it is neither
 * DRAFT nor STOPPED.
 */
export const archiveCampaign = (em: EntityManager, author: Author, id: number): Promise<Campaign> =>
  moveCampaign(em, author, id, {
    verb: 'archived',
    from: ['DRAFT', 'STOPPED'],
    to: () => 'ARCHIVED',
  });

/**
 * Makes an archived campaign STOPPED again, or DRAFT if it was never started. Throws 404, 409 if it is not ARCHIVED.
 */
export const unarchiveCampaign = (em: EntityManager, author: Author, id: number): Promise<Campaign> =>
  moveCampaign(em, author, id, {
    verb: 'unarchived',
    from: ['ARCHIVED'],
    to: ({ publishedVersion }) => (publishedVersion == null ? 'DRAFT' : 'STOPPED'),
  });
