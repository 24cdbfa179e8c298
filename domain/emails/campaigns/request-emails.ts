import type { EmailCampaign } from '../../../db/entities/email-campaigns.ts';
import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { appendSendRequests } from '../../../events/outbox.ts';
import { lockEmailCampaign } from './find-email-campaign.ts';
import { setVariant } from '../ledger/unrequested-emails.ts';

/**
 * Emails per batch. Limited, because requests of campaign executions on the same subject wait behind a batch for a
 * moment.
 */
const BATCH = 1_000;
const REQUESTS_PER_ROW = 500;
/** About two seconds of sending: the most that a paused or slow campaign has queued for the senders. */
const WINDOW = 10_000;
const MINUTE_MS = 60_000;

export interface Requested {
  /**
   * `some`: emails were requested. `full`: the senders have enough. `tokens`: the rate does not allow one yet. `none`:
   * no email may be sent now. `stale`: the campaign is not SENDING, or its audience is not complete.
   */
  state: 'some' | 'full' | 'tokens' | 'none' | 'stale';
  /** The last requested email. */
  lastId?: number;
  /** For `tokens`: when the next token is available. */
  at?: Date;
}

interface UnrequestedEmail {
  id: number;
  template_id: number;
  contact_id: number;
  variant: string | null;
}

/**
 * Requests the campaign's next emails, in id order: as many as the rate and the senders' backlog allow. The token
 * bucket is in the campaign's row, so it applies to all processes; it holds one second's worth of tokens.
 */
export async function requestEmails(em: EntityManager, campaignId: number, now: Date): Promise<Requested> {
  return em.transactional(async (tx): Promise<Requested> => {
    const campaign = await lockEmailCampaign(tx, campaignId);
    if (campaign.status !== 'SENDING' || campaign.frozenTo != null) return { state: 'stale' };
    const { tenantId, ratePerMinute } = campaign;
    const tokens = tokensAt(campaign, now);
    if (tokens < 1)
      return { state: 'tokens', at: new Date(now.getTime() + ((1 - tokens) * MINUTE_MS) / ratePerMinute!) };
    const room = Math.min(BATCH, Math.floor(tokens), await roomForMore(tx, campaign));
    if (room < 1) return { state: 'full' };
    const emails = await nextUnrequested(tx, campaign, now, room);
    if (emails.length === 0) return { state: 'none' };
    await giveVariant(tx, campaign, emails);
    const requests = emails.map(({ id, template_id: templateId, contact_id: recipientId }) => ({
      templateId,
      recipientId,
      emailId: id,
      campaignId,
    }));
    for (let at = 0; at < requests.length; at += REQUESTS_PER_ROW) {
      await appendSendRequests(tx, tenantId, requests.slice(at, at + REQUESTS_PER_ROW));
    }
    const lastId = emails.at(-1)!.id;
    await rows(
      tx,
      sql`
      update email_campaigns set requested_to = ${lastId}, tokens = ${ratePerMinute == null ? 0 : tokens - emails.length}, tokens_at = ${now}
      where tenant_id = ${tenantId} and id = ${campaignId}`,
    );
    return { state: 'some', lastId };
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
 * How many more emails the senders may have queued. While they have some of this campaign, a whole batch or none,
 * because a batch costs the same however small it is. With a rate, at most two seconds' worth, so that a backlog after
 * an outage is not sent all at once.
 */
async function roomForMore(tx: EntityManager, { tenantId, id, ratePerMinute }: EmailCampaign): Promise<number> {
  const [ready] = await rows<{ all: number; own: number }>(
    tx,
    sql`
    select count(*) as all, count(*) filter (where campaign_id = ${id}) as own from (
      select campaign_id from emails
      where stage = 'open' and status = 'QUEUED' and lane = 'bulk' and tenant_id = ${tenantId} and next_attempt_at <= now()
      limit ${WINDOW}) r`,
  );
  const room = WINDOW - ready!.all;
  if (ratePerMinute == null) return ready!.own > 0 && room < BATCH ? 0 : room;
  return Math.min(room, Math.max(1, Math.ceil(ratePerMinute / 30)) - ready!.own);
}

/**
 * The next emails that may be sent: during a test only those with a variant, for local times only those that are due.
 */
async function nextUnrequested(
  tx: EntityManager,
  campaign: EmailCampaign,
  now: Date,
  limit: number,
): Promise<UnrequestedEmail[]> {
  const { tenantId, id, requestedTo = 0, winner, winnerVariant } = campaign;
  return rows<UnrequestedEmail>(
    tx,
    sql`
    select id, template_id, contact_id, variant from emails
    where tenant_id = ${tenantId} and campaign_id = ${id} and id > ${requestedTo} and lane = 'bulk' and status = 'QUEUED' and accepted_at is null
      and (due_at is null or due_at <= ${now}) ${winner && winnerVariant == null ? sql`and variant is not null` : sql``}
    order by id limit ${limit}`,
  );
}

/** Sets the winning variant for the emails that waited for it. */
async function giveVariant(
  tx: EntityManager,
  { tenantId, variants, winnerVariant }: EmailCampaign,
  emails: UnrequestedEmail[],
): Promise<void> {
  const chosen = variants?.find(({ name }) => name === winnerVariant);
  const waiting = chosen ? emails.filter(({ variant }) => variant === null) : [];
  if (!chosen || waiting.length === 0) return;
  await setVariant(
    tx,
    tenantId,
    waiting.map(({ id }) => id),
    chosen,
  );
  for (const email of waiting) email.template_id = chosen.templateId;
}
