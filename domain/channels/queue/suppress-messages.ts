import { rows, sql, type EntityManager, type RawBuilder } from '../../../db/orm.ts';
import { touchOutbox } from '../../../events/outbox.ts';
import { refreshMessages } from './refresh-messages.ts';

/** What an UPDATE sets in QUEUED sends that must not be sent. One that a provider may have accepted becomes UNKNOWN. */
export const setSuppressed = (reason: string): RawBuilder<unknown> => sql`
  status = case when bound_provider_id is null then 'SUPPRESSED' else 'UNKNOWN' end,
  reason = case when bound_provider_id is null then ${reason} else 'no_reply' end, holder = null, lease_until = null, updated_at = now()`;

/**
 * Suppresses the QUEUED sends of the messages for which `which` holds (a condition on `messages`). One that a provider
 * may have accepted becomes UNKNOWN instead. Locks messages before sends, each in id order, as senders do.
 */
export async function suppressMessages(
  tx: EntityManager,
  tenantId: string,
  which: RawBuilder<unknown>,
  reason: string,
): Promise<void> {
  const found = await rows<{ id: number }>(
    tx,
    sql`
    select id from messages where tenant_id = ${tenantId} and id in (
      select m.id from messages m where m.tenant_id = ${tenantId} and m.id in (select id from messages where tenant_id = ${tenantId} and ${which})
        and exists (select 1 from message_sends s where s.tenant_id = m.tenant_id and s.message_id = m.id and s.status = 'QUEUED'))
    order by id for no key update`,
  );
  if (found.length === 0) return;
  const changed = await rows(
    tx,
    sql`
    update message_sends set ${setSuppressed(reason)}
    where tenant_id = ${tenantId} and status = 'QUEUED' and id in (
      select id from message_sends where tenant_id = ${tenantId} and message_id = any(${found.map(({ id }) => id)}::bigint[]) and status = 'QUEUED'
      order by id for update)
    returning id`,
  );
  if (changed.length === 0) return;
  await rows(tx, refreshMessages(found.map(({ id }) => ({ tenantId, id }))));
  touchOutbox(tx, 'outbox_events');
}

/** Suppresses the QUEUED text messages and pushes to these contacts. */
export const suppressMessagesTo = (
  tx: EntityManager,
  tenantId: string,
  contactIds: readonly number[],
  reason: string,
): Promise<void> => suppressMessages(tx, tenantId, sql`contact_id = any(${[...contactIds]}::bigint[])`, reason);
