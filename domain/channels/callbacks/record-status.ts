import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { touchOutbox } from '../../../events/outbox.ts';
import { optOutAtProvider } from '../queue/opt-out.ts';
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
 * not have is ignored. A report of delivery is kept whichever attempt it is about; any other report of an earlier
 * attempt (by another provider, or while no attempt is under way) is not. Writes to the outbox. Engine `tx`.
 */
export async function recordStatus(
  tx: EntityManager,
  provider: CalledProvider,
  report: StatusReport,
  requestId: string | null,
): Promise<void> {
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
    select s.tenant_id, s.id, ${report.status}, ${report.code}, 'provider', case when s.provider_id = ${provider.id} then ${report.providerMessageId} end
    from message_sends s where s.tenant_id = ${tenantId} and s.id = ${send.id}
      -- The provider's id would lead to a number that was erased here.
      and s.reason is distinct from 'erased' and (${report.status} = 'DELIVERED' or s.provider_id = ${provider.id} and (s.status <> 'QUEUED' or s.bound_provider_id is not null))
    -- Of two attempts that are told apart, the report of the earlier one gives way to that of the later.
    on conflict (tenant_id, send_id, status) do update set code = excluded.code, provider_message_id = excluded.provider_message_id
    where message_reports.provider_message_id <> excluded.provider_message_id and not exists (
      select 1 from message_sends s where s.tenant_id = excluded.tenant_id and s.id = excluded.send_id and s.provider_message_id = message_reports.provider_message_id)
    returning id`,
  );
  if (made.length === 0) return;
  await rows(tx, applyReports([{ tenantId, id: send.id }]));
  await rows(tx, refreshMessages([message]));
  const reason = report.status === 'FAILED' || report.status === 'UNDELIVERED' ? suppressionOfCode(report.code) : null;
  if (reason && provider.type === 'twilio' && !(await isOfEarlier(tx, tenantId, send.id, report))) {
    await suppressNumberOf(tx, tenantId, send.messageId, reason);
    if (reason === 'unsubscribed') await optOutAtProvider(tx, [{ tenantId, messageId: send.messageId }], requestId);
  }
  touchOutbox(tx, 'outbox_events');
}

/** Whether the provider names another message than that of the last attempt: its number may have been another one. */
async function isOfEarlier(
  tx: EntityManager,
  tenantId: string,
  sendId: number,
  report: StatusReport,
): Promise<boolean> {
  const found = await rows(
    tx,
    sql`
    select 1 from message_sends where tenant_id = ${tenantId} and id = ${sendId} and provider_message_id <> ${report.providerMessageId}`,
  );
  return found.length > 0;
}

/** The send that a report is about: by our reference, if this provider ever had it, else by the provider's id. */
async function findSend(
  tx: EntityManager,
  { id: providerId, tenantId }: CalledProvider,
  { sendId, messageId, providerMessageId }: StatusReport,
): Promise<Send | undefined> {
  const wasTried = sql`(s.provider_id = ${providerId} or exists (
    select 1 from message_attempts a where a.tenant_id = s.tenant_id and a.send_id = s.id and a.provider_id = ${providerId}))`;
  const which =
    sendId !== null
      ? sql`s.id = ${sendId} and ${wasTried}`
      : messageId !== null
        ? sql`s.message_id = ${messageId} and ${wasTried}`
        : sql`s.provider_message_id = ${providerMessageId} and s.provider_id = ${providerId}`;
  const [found] = await rows<Send>(
    tx,
    sql`
    select s.id, s.message_id as "messageId" from message_sends s
    where s.tenant_id = ${tenantId} and ${which} order by s.id limit 1`,
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
