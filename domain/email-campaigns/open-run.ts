import type { EmailCampaign } from '../../db/entities/email-campaigns.ts';

/**
 * Prepares a campaign that is about to be SENDING for a new run, with its audience to be frozen from the first contact
 * on.
 */
export function startRun(campaign: EmailCampaign, at: Date): void {
  Object.assign(campaign, {
    run: (campaign.run ?? 0) + 1,
    nextRunAt: null,
    frozenTo: 0,
    requestedTo: 0,
    winnerVariant: null,
    winnerAt: null,
    tokens: 0,
    tokensAt: at,
    startedAt: campaign.startedAt ?? at,
    finishedAt: null,
  } satisfies Partial<EmailCampaign>);
}
