import type { ReplayFigures } from '../../db/entities/scoring.ts';
import { rows, sql, type EntityManager } from '../../db/orm.ts';

type Thresholds = ReplayFigures['thresholds'];

/**
 * The thresholds that these contacts reach with their new totals: for how many they fire, and for how many they have
 * fired before and so do not fire again.
 */
export async function reachedThresholds(
  tx: EntityManager,
  tenantId: string,
  changes: readonly { id: number; before: number; after: number }[],
): Promise<Thresholds> {
  if (changes.length === 0) return [];
  return rows<Thresholds[number]>(
    tx,
    sql`
    select t.id as "thresholdId", t.name, t.score, (count(*) filter (where h.at is null))::int as fires,
      (count(*) filter (where h.at is not null))::int as "firedBefore"
    from jsonb_to_recordset(${JSON.stringify(changes)}::jsonb) as r(id bigint, before bigint, after bigint)
    join score_thresholds t on t.tenant_id = ${tenantId} and t.score <= r.after
    left join score_threshold_hits h on h.tenant_id = t.tenant_id and h.threshold_id = t.id and h.contact_id = r.id
    where h.at is null or r.before < t.score
    group by t.id, t.name, t.score order by t.score, t.id`,
  );
}

/** Adds the counts of a page. */
export function addThresholds(all: Thresholds, more: Thresholds): Thresholds {
  const byId = new Map(all.map((threshold) => [threshold.thresholdId, threshold]));
  for (const { fires, firedBefore, ...threshold } of more) {
    const known = byId.get(threshold.thresholdId);
    byId.set(threshold.thresholdId, {
      ...threshold,
      fires: (known?.fires ?? 0) + fires,
      firedBefore: (known?.firedBefore ?? 0) + firedBefore,
    });
  }
  return [...byId.values()].sort((one, other) => one.score - other.score || one.thresholdId - other.thresholdId);
}
