import type { Campaign } from '../../../db/entities/campaigns.ts';
import { rows, sql, type EntityManager } from '../../../db/orm.ts';

/** The progress of a stop: how many workflows are still to be closed, of how many. */
export interface Closing {
  left: number;
  total: number;
}

/**
 * The progress of stops that have workflows left to close, by campaign id. One query, by an index of what is left; none
 * if no campaign was stopped since its last start.
 */
export async function readClosing(em: EntityManager, campaigns: readonly Campaign[]): Promise<Map<number, Closing>> {
  const totals = new Map(campaigns.flatMap(({ id, closingTotal }) => (closingTotal ? [[id, closingTotal]] : [])));
  if (totals.size === 0) return new Map();
  const found = await em.transactional((tx) =>
    rows<{ id: number; left: number }>(
      tx,
      sql`
    select campaign_id as id, count(*) as left from campaign_executions
    where tenant_id = ${campaigns[0]!.tenantId} and campaign_id = any(${[...totals.keys()]}::bigint[]) and sweep
    group by campaign_id`,
    ),
  );
  return new Map(found.map(({ id, left }) => [id, { left, total: totals.get(id)! }]));
}
