import type { EmailCampaign } from '../../db/entities/email-campaigns.ts';
import { rows, sql, type EntityManager } from '../../db/orm.ts';
import { isReleased } from '../delivery/gates/released.ts';
import { countEmails, MAILING } from '../emails/ledger/count-emails.ts';
import { lockEmailCampaign } from './find-email-campaign.ts';
import { startOf } from './schedule.ts';
import { chooseWinner } from './variants.ts';

const MINUTE_MS = 60_000;
const POLL_MS = 100;
/** An email that is not released for this long (it was put back while the campaign was paused) is released again. */
const LOST_AFTER_MS = MINUTE_MS;

export type Conclusion =
  /** Check again at `until`. */
  | { state: 'wait'; until: Date; why: string }
  /** There are more emails to release. */
  | { state: 'more' }
  | { state: 'over' | 'stale' };

interface Open {
  id: number;
  released: boolean;
}

/**
 * Decides what to do when all emails that may be sent now have been released: wait for those in progress, for the
 * next local time or for the end of the test; release those that were put back; or end the campaign. The search for open emails
 * starts at `from`.
 */
export async function decideNextAction(
  em: EntityManager,
  campaignId: number,
  now: Date,
  from: { id: number },
): Promise<Conclusion> {
  return em.transactional(async (tx): Promise<Conclusion> => {
    const campaign = await lockEmailCampaign(tx, campaignId);
    if (campaign.status !== 'SENDING' || campaign.frozenTo != null) return { state: 'stale' };
    const again = (): Conclusion => {
      campaign.requestedTo = 0;
      from.id = 0;
      return { state: 'more' };
    };
    const testing = Boolean(campaign.winner) && campaign.winnerVariant == null;
    const open = await firstOpen(tx, campaign, testing, now, from.id);
    if (open) {
      from.id = open.id;
      const lost = !open.released && now.getTime() - (campaign.tokensAt?.getTime() ?? 0) > LOST_AFTER_MS;
      return lost
        ? again()
        : { state: 'wait', until: new Date(now.getTime() + POLL_MS), why: 'waiting for the last emails to be sent' };
    }
    if (testing) return judgeTest(tx, campaign, now, again);
    const due = await nextDue(tx, campaign);
    if (due === null) return end(campaign, now);
    return due <= now
      ? again()
      : { state: 'wait', until: due, why: 'waiting for the local time of the other recipients' };
  });
}

/** The first email that may be sent now and has not ended; during a test only emails with a variant. */
async function firstOpen(
  tx: EntityManager,
  { tenantId, id }: EmailCampaign,
  testing: boolean,
  now: Date,
  from: number,
): Promise<Open | null> {
  const [open] = await rows<Open>(
    tx,
    sql`
    select id, status = 'SENDING' or ${isReleased(sql`e`)} as released from emails e
    where tenant_id = ${tenantId} and campaign_id = ${id} and id >= ${from} and lane = 'bulk' and status in ('QUEUED', 'SENDING')
      and (due_at is null or due_at <= ${now}) ${testing ? sql`and variant is not null` : sql``}
    order by id limit 1`,
  );
  return open ?? null;
}

async function judgeTest(
  tx: EntityManager,
  campaign: EmailCampaign,
  now: Date,
  again: () => Conclusion,
): Promise<Conclusion> {
  const { tenantId, id, winner, variants } = campaign;
  campaign.winnerAt ??= new Date(now.getTime() + winner!.afterMinutes * MINUTE_MS);
  if (campaign.winnerAt > now) return { state: 'wait', until: campaign.winnerAt, why: 'comparing the variants' };
  const counted = await countEmails(tx, tenantId, id, MAILING);
  campaign.winnerVariant = chooseWinner(
    variants!,
    winner!.metric,
    variants!.map(({ name }) => ({ variant: name, ...counted.of(name) })),
  );
  return again();
}

/** When the next emails with a later local time are due; null if there are none. */
async function nextDue(tx: EntityManager, { tenantId, id, scheduleType }: EmailCampaign): Promise<Date | null> {
  if (scheduleType !== 'recipient_local_time') return null;
  const [next] = await rows<{ due: Date | null }>(
    tx,
    sql`
    select min(due_at) as due from emails where tenant_id = ${tenantId} and campaign_id = ${id} and lane = 'bulk' and status = 'QUEUED' and due_at is not null`,
  );
  return next!.due;
}

function end(campaign: EmailCampaign, now: Date): Conclusion {
  const next = campaign.scheduleType === 'recurring' ? startOf(campaign, now) : null;
  if (next) Object.assign(campaign, { status: 'SCHEDULED', nextRunAt: next });
  else Object.assign(campaign, { status: 'SENT', finishedAt: now });
  return { state: 'over' };
}
