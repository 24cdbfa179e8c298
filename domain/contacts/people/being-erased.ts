import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { AppError } from '../../common/errors.ts';

/**
 * Throws `conflict` if one of these contacts, whose rows are locked, is being erased: the erasure finds data by the
 * contact.
 */
export async function assertNotBeingErased(
  tx: EntityManager,
  tenantId: string,
  contactIds: readonly number[],
): Promise<void> {
  const [found] = await rows<{ contact_id: number }>(
    tx,
    sql`
    select contact_id from erasures where tenant_id = ${tenantId} and contact_id = any(${[...contactIds]}::bigint[]) and status in ('PENDING', 'RUNNING') limit 1`,
  );
  if (found) throw new AppError('conflict', `Contact ${found.contact_id} is being erased`);
}
