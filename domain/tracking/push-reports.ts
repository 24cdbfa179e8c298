import { freshTransaction, rows, sql, type EntityManager } from '../../db/orm.ts';
import { touchOutbox } from '../../events/outbox.ts';
import { recordPushClick } from './message-hits.ts';
import { applyReports } from '../channels/ledger/apply-reports.ts';
import { lockMessages, refreshMessages } from '../channels/queue/refresh-messages.ts';
import { messagesOf } from '../channels/ledger/settle-sends.ts';

/** What a device did with a push that it got. */
export interface PushReport {
  tenantId: string;
  sendId: number;
  type: 'shown' | 'clicked' | 'closed';
  ip: string | null;
  userAgent: string | null;
}

/**
 * Stores what devices report, once each: a push that was shown, clicked or closed has arrived; a click is a click on
 * its URL. Reports of pushes that were not sent, or are erased, say nothing. Writes to the outbox. Engine `em`.
 */
export async function recordPushReports(em: EntityManager, reports: readonly PushReport[]): Promise<void> {
  const payload = JSON.stringify(reports.map(({ tenantId, sendId }) => ({ t: tenantId, id: sendId })));
  // Retried, because one deadlock would lose the reports of everybody in the batch.
  await freshTransaction(em, async (tx) => {
    const sends = await rows<{ tenantId: string; id: number; messageId: number }>(
      tx,
      sql`
      select s.tenant_id as "tenantId", s.id, s.message_id as "messageId"
      from (select distinct t, id from jsonb_to_recordset(${payload}::jsonb) as r(t text, id bigint)) a
      join message_sends s on s.tenant_id = a.t and s.id = a.id
      where s.type <> 'sms' and s.attempt > 0 and s.reason is distinct from 'erased'
        and not exists (select 1 from message_reports k where k.tenant_id = s.tenant_id and k.send_id = s.id and k.status = 'DELIVERED')`,
    );
    if (sends.length > 0) {
      const messages = messagesOf(sends);
      // Before the reports are stored: whoever settles a send has this lock, and then sees its report.
      await rows(tx, lockMessages(messages));
      await rows(
        tx,
        sql`
        insert into message_reports (tenant_id, send_id, status, source)
        select t, id, 'DELIVERED', 'device' from jsonb_to_recordset(${JSON.stringify(sends.map(({ tenantId, id }) => ({ t: tenantId, id })))}::jsonb) as r(t text, id bigint)
        order by t, id on conflict (tenant_id, send_id, status) do nothing`,
      );
      await rows(tx, applyReports(sends));
      await rows(tx, refreshMessages(messages));
      touchOutbox(tx, 'outbox_events');
    }
    for (const { type, ...click } of reports) if (type === 'clicked') await recordPushClick(tx, click);
  });
}

/** The origins of the site whose browser got a push; null if it was not a browser, or nothing is known of it. */
export async function originsOfPush(
  em: EntityManager,
  { tenantId, sendId }: { tenantId: string; sendId: number },
): Promise<string[] | null> {
  const [site] = await em.transactional((tx) =>
    rows<{ origins: string[] }>(
      tx,
      sql`
      select p.origins from message_sends s
      join push_subscriptions d on d.tenant_id = s.tenant_id and d.id = s.subscription_id
      join push_sites p on p.tenant_id = d.tenant_id and p.id = d.site_id
      where s.tenant_id = ${tenantId} and s.id = ${sendId}`,
    ),
  );
  return site?.origins ?? null;
}
