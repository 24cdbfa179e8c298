import type { MessageChannel } from '../../../db/entities/channels.ts';
import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { rate } from '../../common/rate.ts';

/** `queued + sent + failed + suppressed + unknown` is all; `delivered` and `undelivered` are parts of `sent`. */
export interface MessageFigures {
  queued: number;
  sent: number;
  delivered: number;
  undelivered: number;
  failed: number;
  suppressed: number;
  unknown: number;
  /** Without automated ones. */
  clicks: number;
  /** Messages that were clicked. */
  uniqueClicks: number;
  /** `uniqueClicks` of `delivered`. */
  clickRate: number;
}

/** Counts the text messages and pushes with a campaign's id. */
export async function countMessages(
  tx: EntityManager,
  tenantId: string,
  campaignId: number,
): Promise<Record<MessageChannel, MessageFigures>> {
  const statuses = await rows<{ channel: MessageChannel; status: string; n: number }>(
    tx,
    sql`
    select channel, status, count(*)::int as n from messages where tenant_id = ${tenantId} and campaign_id = ${campaignId}
    group by channel, status`,
  );
  const clicks = await rows<{ channel: MessageChannel; clicks: number; messages: number }>(
    tx,
    sql`
    select m.channel, count(*)::int as clicks, count(distinct m.id)::int as messages
    from messages m join message_clicks c on c.tenant_id = m.tenant_id and c.message_id = m.id and not c.automated
    where m.tenant_id = ${tenantId} and m.campaign_id = ${campaignId} group by m.channel`,
  );
  const of = (channel: MessageChannel): MessageFigures => {
    const count = (...wanted: string[]): number =>
      statuses.reduce((sum, row) => sum + (row.channel === channel && wanted.includes(row.status) ? row.n : 0), 0);
    const clicked = clicks.find((row) => row.channel === channel);
    const [delivered, uniqueClicks] = [count('DELIVERED'), clicked?.messages ?? 0];
    return {
      queued: count('QUEUED', 'SENDING'),
      sent: count('SENT', 'DELIVERED', 'UNDELIVERED'),
      delivered,
      undelivered: count('UNDELIVERED'),
      failed: count('FAILED'),
      suppressed: count('SUPPRESSED'),
      unknown: count('UNKNOWN'),
      clicks: clicked?.clicks ?? 0,
      uniqueClicks,
      clickRate: rate(uniqueClicks, delivered),
    };
  };
  return { sms: of('sms'), push: of('push') };
}
