import { rows, sql, type EntityManager } from '../../../db/orm.ts';

export interface LockedSegment {
  type: 'dynamic' | 'static';
  status: 'BUILDING' | 'READY';
}

/**
 * A segment or list that is about to be referred to, or null: until the transaction ends nobody deletes it, and then its
 * new user is there to be seen (`assertUnused`).
 */
export async function lockSegment(tx: EntityManager, tenantId: string, id: number): Promise<LockedSegment | null> {
  const [found] = await rows<LockedSegment>(
    tx,
    sql`
    select type, status from segments where tenant_id = ${tenantId} and id = ${id} for key share`,
  );
  return found ?? null;
}
