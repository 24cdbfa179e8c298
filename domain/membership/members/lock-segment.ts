import { preparedHint, rows, sql, type EntityManager } from '../../../db/orm.ts';

export interface LockedSegment {
  type: 'dynamic' | 'static';
  status: 'BUILDING' | 'READY';
}

/**
 * Locks a segment or list against deletion until the transaction ends, before creating a reference to it, which
 * `deleteUnused` then finds. Returns null if it does not exist.
 */
export async function lockSegment(tx: EntityManager, tenantId: string, id: number): Promise<LockedSegment | null> {
  const [found] = await rows<LockedSegment>(
    tx,
    sql`${preparedHint}
    select type, status from segments where tenant_id = ${tenantId} and id = ${id} for key share`,
  );
  return found ?? null;
}
