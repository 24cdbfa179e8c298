import type { EmailCampaign } from '../../db/entities/email-campaigns.ts';
import { rows, sql, type EntityManager } from '../../db/orm.ts';
import { lockEmailCampaign } from './find-email-campaign.ts';
import { countBatched, releaseEmailBatches } from '../emails/ledger/email-batches.ts';

/** Emails released by one transaction. */
const AT_ONCE = 1_000;
/** About two seconds of sending: the most that a paused or slow campaign has queued for the senders. */
const WINDOW = 10_000;
const MINUTE_MS = 60_000;

export interface Released {
  /**
   * `some`: emails were released. `full`: the senders have enough. `tokens`: the rate does not allow one yet. `none`:
   * no email may be sent now. `stale`: the campaign is not SENDING.
   */
  state: 'some' | 'full' | 'tokens' | 'none' | 'stale';
  /** For `tokens`: when the next token is available. */
  at?: Date;
}

/**
 * Releases the campaign's next emails to the senders, in id order: as many as the rate and the senders' backlog allow.
 * The token bucket is in the campaign's row, so it applies to all processes; it holds one second's worth of tokens.
 */
export async function releaseEmails(em: EntityManager, campaignId: number, now: Date): Promise<Released> {
  return em.transactional(async (tx): Promise<Released> => {
    const campaign = await lockEmailCampaign(tx, campaignId);
    if (campaign.status !== 'SENDING') return { state: 'stale' };
    const { tenantId, ratePerMinute, requestedTo = 0, winner, winnerVariant, variants } = campaign;
    const tokens = tokensAt(campaign, now);
    if (tokens < 1)
      return { state: 'tokens', at: new Date(now.getTime() + ((1 - tokens) * MINUTE_MS) / ratePerMinute!) };
    const room = Math.min(AT_ONCE, Math.floor(tokens), await roomForMore(tx, campaign));
    if (room < 1) return { state: 'full' };
    const { count, lastId } = await releaseEmailBatches(
      tx,
      { tenantId, campaignId, after: requestedTo, onlyVariants: Boolean(winner) && winnerVariant == null, now },
      variants?.find(({ name }) => name === winnerVariant) ?? null,
      room,
    );
    if (count === 0) return { state: 'none' };
    await rows(
      tx,
      sql`
      update email_campaigns set requested_to = ${lastId}, tokens = ${ratePerMinute == null ? 0 : tokens - count}, tokens_at = ${now}
      where tenant_id = ${tenantId} and id = ${campaignId}`,
    );
    return { state: 'some' };
  });
}

/** The tokens in the bucket at `now`; practically unlimited without a rate. */
function tokensAt({ ratePerMinute, tokens, tokensAt: at }: EmailCampaign, now: Date): number {
  if (ratePerMinute == null) return Number.MAX_SAFE_INTEGER;
  const full = Math.max(1, ratePerMinute / 60);
  const elapsed = at ? Math.max(0, now.getTime() - at.getTime()) : MINUTE_MS;
  return Math.min(full, Number(tokens) + (elapsed * ratePerMinute) / MINUTE_MS);
}

/**
 * How many more emails the senders may have queued. While they have some of this campaign, AT_ONCE or none, because a
 * release costs the same however few it releases. With a rate, at most two seconds' worth, so that a backlog after
 * an outage is not sent all at once.
 */
async function roomForMore(tx: EntityManager, { tenantId, id, ratePerMinute }: EmailCampaign): Promise<number> {
  const [ready] = await rows<{ all: number; own: number }>(
    tx,
    sql`
    select (b.all + r.all)::int as all, (b.own + r.own)::int as own from (${countBatched(tenantId, id)}) b, (
      select count(*) as all, count(*) filter (where campaign_id = ${id}) as own from (
        select campaign_id from emails
        where stage = 'open' and status = 'QUEUED' and lane = 'bulk' and tenant_id = ${tenantId} and next_attempt_at <= now()
        limit ${WINDOW}) requeued) r`,
  );
  const room = WINDOW - ready!.all;
  if (ratePerMinute == null) return ready!.own > 0 && room < AT_ONCE ? 0 : room;
  return Math.min(room, Math.max(1, Math.ceil(ratePerMinute / 30)) - ready!.own);
}
