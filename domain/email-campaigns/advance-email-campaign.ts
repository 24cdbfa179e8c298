import { EmailCampaign } from '../../db/entities/email-campaigns.ts';
import type { EntityManager } from '../../db/orm.ts';
import { decideNextAction } from './conclude-mailing.ts';
import { lockEmailCampaign } from './find-email-campaign.ts';
import { freezePage } from './freeze-audience.ts';
import { startRun } from './open-run.ts';
import { releaseEmails } from './release-emails.ts';
import { suppressSomeOfCampaign, type EndedCampaign } from '../emails/ledger/suppress-emails.ts';

/** The state after a piece of work. `until`: when to continue; absent: at once; null: when the campaign is changed. */
export interface AdvanceResult {
  over: boolean;
  until?: Date | null;
  summary: string;
  /** Whether emails were released: the senders should be woken. */
  released?: boolean;
}

/** A worker's cache for one campaign: all emails with smaller ids have ended. Losing it only costs a search. */
export interface WorkerCache {
  id: number;
}

const SUPPRESSED_AT_ONCE = 5_000;

const later = (now: Date, ms: number): Date => new Date(now.getTime() + ms);

/**
 * Does the next piece of work for a campaign, in one or two transactions, and returns its state. All persistent state
 * is in the database, so any process can continue, and concurrent calls do no harm.
 */
export async function advanceEmailCampaign(
  em: EntityManager,
  tenantId: string,
  campaignId: number,
  now: Date,
  open: WorkerCache,
): Promise<AdvanceResult> {
  const campaign = await em.fork().findOne(EmailCampaign, { id: campaignId });
  // A cancelled campaign that was deleted may have left emails to suppress; a SENT one has none.
  if (!campaign) return suppressSome(em, { tenantId, id: campaignId, status: 'CANCELLED' }, now);
  switch (campaign.status) {
    case 'SCHEDULED':
      return beginWhenDue(em, campaignId, now);
    case 'SENDING':
      return campaign.frozenTo == null ? send(em, campaign, now, open) : freeze(em, campaign, now);
    case 'PAUSED':
      return { over: false, until: null, summary: 'paused' };
    case 'CANCELLED':
    case 'FAILED':
      return suppressSome(em, campaign, now);
    default:
      return { over: true, summary: campaign.status };
  }
}

async function beginWhenDue(em: EntityManager, campaignId: number, now: Date): Promise<AdvanceResult> {
  return em.fork().transactional(async (tx): Promise<AdvanceResult> => {
    const campaign = await lockEmailCampaign(tx, campaignId);
    if (campaign.status !== 'SCHEDULED') return { over: false, summary: campaign.status };
    const { nextRunAt } = campaign;
    if (nextRunAt && nextRunAt > now) return { over: false, until: nextRunAt, summary: 'scheduled' };
    startRun(campaign, now);
    campaign.status = 'SENDING';
    return { over: false, summary: 'its scheduled time has come' };
  });
}

/** Writes the next page of the audience, and releases what it has so far: the first emails need not wait for the last page. */
async function freeze(em: EntityManager, { id }: EmailCampaign, now: Date): Promise<AdvanceResult> {
  const summary = 'writing its audience to the ledger';
  const { state } = await freezePage(em.fork(), id);
  if (state === 'building') return { over: false, until: later(now, 2_000), summary };
  const { state: released } = await releaseEmails(em.fork(), id, now);
  return { over: false, released: released === 'some', summary };
}

async function send(em: EntityManager, campaign: EmailCampaign, now: Date, open: WorkerCache): Promise<AdvanceResult> {
  const summary = 'sending';
  const { state, at } = await releaseEmails(em.fork(), campaign.id, now);
  if (state === 'some') return { over: false, released: true, summary };
  if (state === 'full') return { over: false, until: later(now, 500), summary };
  if (state === 'tokens') return { over: false, until: at!, summary };
  if (state === 'stale') return { over: false, summary };
  const conclusion = await decideNextAction(em.fork(), campaign.id, now, open);
  if (conclusion.state === 'wait') return { over: false, until: conclusion.until, summary: conclusion.why };
  return { over: false, summary };
}

/** Suppresses the next emails of a campaign that must not send any more. */
async function suppressSome(em: EntityManager, campaign: EndedCampaign, now: Date): Promise<AdvanceResult> {
  const { suppressed, open } = await em
    .fork()
    .transactional((tx) => suppressSomeOfCampaign(tx, campaign, SUPPRESSED_AT_ONCE));
  if (!open) return { over: true, summary: campaign.status! };
  return {
    over: false,
    summary: 'suppressing the emails that are still queued',
    ...(suppressed === 0 ? { until: later(now, 500) } : {}),
  };
}
