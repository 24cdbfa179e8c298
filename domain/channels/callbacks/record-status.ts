import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { touchOutbox } from '../../../events/outbox.ts';
import { applyReports } from '../ledger/apply-reports.ts';
import { lockMessages, refreshMessages } from '../queue/refresh-messages.ts';
import { suppressionOfCode } from '../transport/twilio.ts';
import type { CalledProvider, StatusReport } from './callback.ts';

interface Send {
  id: number;
  messageId: number;
}

/**
 * Stores what a provider reports about a send, once each, and applies it. A report of a send that this provider did
 * not have says nothing. Writes to the outbox. Engine `tx`.
 */
export async function recordStatus(tx: EntityManager, provider: CalledProvider, report: StatusReport): Promise<void> {
  const { tenantId } = provider;
  const send = await findSend(tx, provider, report);
  if (!send) return;
  const message = { tenantId, id: send.messageId };
  // Before the report is stored: whoever settles the send has this lock, and then sees the report.
  await rows(tx, lockMessages([message]));
  const made = await rows(
    tx,
    sql`
    insert into message_reports (tenant_id, send_id, status, code, source, provider_message_id)
    values (${tenantId}, ${send.id}, ${report.status}, ${report.code}, 'provider', ${report.providerMessageId})
    on conflict (tenant_id, send_id, status) do nothing returning id`,
  );
  if (made.length === 0) return;
  await applyReports(tx, [{ tenantId, id: send.id }]);
  await rows(tx, refreshMessages([message]));
  const reason = report.status === 'FAILED' || report.status === 'UNDELIVERED' ? suppressionOfCode(report.code) : null;
  if (reason && provider.type === 'twilio') await suppressNumberOf(tx, tenantId, send.messageId, reason);
  touchOutbox(tx, 'outbox_events');
}

/** The send that a report is about: by our reference, else by the provider's id. */
async function findSend(
  tx: EntityManager,
  { id: providerId, tenantId }: CalledProvider,
  { sendId, messageId, providerMessageId }: StatusReport,
): Promise<Send | undefined> {
  const which =
    sendId !== null
      ? sql`id = ${sendId}`
      : messageId !== null
        ? sql`message_id = ${messageId}`
        : sql`provider_message_id = ${providerMessageId}`;
  const [found] = await rows<Send>(
    tx,
    sql`
    select id, message_id as "messageId" from message_sends
    where tenant_id = ${tenantId} and provider_id = ${providerId} and ${which} order by id limit 1`,
  );
  return found;
}

/** No text is sent again to the number of a message: it is invalid, or opted out at the provider. */
async function suppressNumberOf(
  tx: EntityManager,
  tenantId: string,
  messageId: number,
  reason: 'invalid' | 'unsubscribed',
): Promise<void> {
  await rows(
    tx,
    sql`
    insert into channel_suppressions (tenant_id, channel, address, reason, source)
    select tenant_id, 'sms', to_address, ${reason}, 'provider' from messages
    where tenant_id = ${tenantId} and id = ${messageId} and channel = 'sms' and to_address is not null
    on conflict (tenant_id, channel, address) do update set reason = excluded.reason, source = excluded.source
    where excluded.reason = 'invalid' and channel_suppressions.reason <> 'invalid'`,
  );
}
