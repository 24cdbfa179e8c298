import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { lockMessages, refreshMessages } from './refresh-messages.ts';
import { setSuppressed } from './suppress-messages.ts';

/**
 * Suppresses the QUEUED marketing texts to a number: those to these contacts, which have it, and those to the number
 * itself. One that a provider may have accepted becomes UNKNOWN instead. The ids are read first: given as arrays, they
 * are found by indexes whatever the planner's statistics say.
 */
export async function suppressTextsTo(
  tx: EntityManager,
  tenantId: string,
  number: string,
  contactIds: readonly number[],
): Promise<void> {
  const waiting = sql`channel = 'sms' and category = 'marketing' and status = 'QUEUED'`;
  const found = await rows<{ id: number }>(
    tx,
    sql`
    select id from messages where tenant_id = ${tenantId} and contact_id = any(${[...contactIds]}::bigint[]) and ${waiting}
    union all
    select id from messages where tenant_id = ${tenantId} and contact_id is null and to_address = ${number} and ${waiting}`,
  );
  if (found.length === 0) return;
  const messages = found.map(({ id }) => ({ tenantId, id }));
  await rows(tx, lockMessages(messages));
  await rows(
    tx,
    sql`
    update message_sends set ${setSuppressed('no_consent')}
    where tenant_id = ${tenantId} and message_id = any(${found.map(({ id }) => id)}::bigint[]) and status = 'QUEUED'`,
  );
  await rows(tx, refreshMessages(messages));
}
