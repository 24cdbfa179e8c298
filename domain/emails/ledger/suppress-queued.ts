import { rows, sql, type EntityManager } from '../../../db/orm.ts';

/** Suppresses the mail to a contact that has not been started, for a reason that explain shows. */
export async function suppressQueuedEmails(tx: EntityManager, tenantId: string, contactId: number, reason: string): Promise<void> {
  await rows(tx, sql`
    update emails set status = 'SUPPRESSED', reason = ${reason}, holder = null, lease_until = null, updated_at = now()
    where tenant_id = ${tenantId} and contact_id = ${contactId} and status = 'QUEUED'`);
}
