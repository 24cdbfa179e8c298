import { rows, sql, type EntityManager, type RawBuilder } from '../../../db/orm.ts';
import { suppressed } from './suppress-emails.ts';

/**
 * Moves the emails of one contact to another. QUEUED emails of an email campaign of which the other contact also has an
 * email are SUPPRESSED as `merged`, so that nobody gets a campaign twice.
 */
export async function moveEmails(
  tx: EntityManager,
  tenantId: string,
  { from, to }: { from: number; to: number },
): Promise<void> {
  await rows(
    tx,
    sql`
    update emails e set ${suppressed('merged')}
    where e.tenant_id = ${tenantId} and e.contact_id = ${from} and e.status = 'QUEUED' and e.execution_id is null and e.campaign_id is not null
      and exists (select 1 from emails t where t.tenant_id = e.tenant_id and t.contact_id = ${to} and t.campaign_id = e.campaign_id and t.execution_id is null)`,
  );
  await rows(tx, sql`update emails set contact_id = ${to} where tenant_id = ${tenantId} and contact_id = ${from}`);
}

/**
 * A statement that removes personal data from emails and suppresses those still QUEUED. `ids` is SQL for an array of
 * ids.
 */
export const eraseEmails = (tenantId: string, ids: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  update emails set to_address = null, data = null, reply = null, reason = 'erased', updated_at = now(), status = case when status = 'QUEUED' then 'SUPPRESSED' else status end
  where tenant_id = ${tenantId} and id = any(${ids})`;
