import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { touchOutbox } from '../../../events/outbox.ts';
import { applyReports, isAskedAgain } from './apply-reports.ts';
import { lockMessages, refreshMessages, type LedgerKey } from '../queue/refresh-messages.ts';
import { messagesOf } from './settle-sends.ts';

/**
 * Sets sends to SENT that may have been accepted, and whose link a person has followed. Also waits for SENDING ones: what makes one UNKNOWN
 * either sees the click, or is seen here. Engine `tx`.
 */
export async function settleByClicks(
  tx: EntityManager,
  clicked: readonly (LedgerKey & { messageId: number })[],
): Promise<void> {
  if (clicked.length === 0) return;
  const payload = JSON.stringify(clicked.map(({ tenantId, id }) => ({ t: tenantId, id })));
  const open = await rows<LedgerKey & { messageId: number }>(
    tx,
    sql`
    select distinct s.tenant_id as "tenantId", s.id, s.message_id as "messageId"
    from jsonb_to_recordset(${payload}::jsonb) as a(t text, id bigint) join message_sends s on s.tenant_id = a.t and s.id = a.id
    where s.status in ('SENDING', 'UNKNOWN') or ${isAskedAgain}`,
  );
  if (open.length === 0) return;
  const messages = messagesOf(open);
  await rows(tx, lockMessages(messages));
  await rows(tx, applyReports(open));
  await rows(tx, refreshMessages(messages));
  touchOutbox(tx, 'outbox_events');
}
