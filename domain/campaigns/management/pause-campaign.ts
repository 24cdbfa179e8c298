import type { Campaign } from '../../../db/entities/campaigns.ts';
import type { EntityManager } from '../../../db/orm.ts';
import { appendWorkflow } from '../../../events/outbox.ts';
import type { Author } from '../../audit/audit.ts';
import { moveCampaign } from './move-campaign.ts';

/**
 * Pauses a campaign: timers continue, but no step runs until it is resumed. No-op if PAUSED. Throws 404, 409 if neither
 * ACTIVE nor PAUSED.
 */
export const pauseCampaign = (em: EntityManager, author: Author, id: number): Promise<Campaign> =>
  moveCampaign(em, author, id, {
    verb: 'paused',
    from: ['ACTIVE'],
    to: () => 'PAUSED',
    done: 'PAUSED',
  });

/**
 * Makes a paused campaign ACTIVE again. The workflow `campaignResume` wakes the executions that reached a step
 * meanwhile. No-op if ACTIVE. Throws 404, 409 if neither PAUSED nor ACTIVE.
 */
export const resumeCampaign = (em: EntityManager, author: Author, id: number): Promise<Campaign> =>
  moveCampaign(em, author, id, {
    verb: 'resumed',
    from: ['PAUSED'],
    to: () => 'ACTIVE',
    done: 'ACTIVE',
    also: (tx, { version }) =>
      appendWorkflow(tx, 'campaignResume', { tenantId: author.tenantId, campaignId: id, version }),
  });
