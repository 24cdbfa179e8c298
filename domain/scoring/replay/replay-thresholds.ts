import type { ReplayFigures } from '../../../db/entities/scoring.ts';
import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { hasFired, mayFire } from '../thresholds/fire-thresholds.ts';

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
  const payload = JSON.stringify(changes.map(({ id: c, before, after: total }) => ({ t: tenantId, c, before, total })));
  const found = await rows<Thresholds[number]>(
    tx,
    sql`
    select s.id as "thresholdId", s.name, s.score, (count(*) filter (where ${mayFire}))::int as fires,
      (count(*) filter (where ${hasFired} and r.before < s.score))::int as "firedBefore"
    from jsonb_to_recordset(${payload}::jsonb) as r(t text, c bigint, before bigint, total bigint)
    join score_thresholds s on s.tenant_id = r.t and s.score <= r.total
    group by s.id, s.name, s.score order by s.score, s.id`,
  );
  return found.filter(isSeen);
}

const isSeen = ({ fires, firedBefore }: Thresholds[number]): boolean => fires > 0 || firedBefore > 0;

/** What these contacts reached, with those for whom thresholds have really fired. */
export const withHits = (
  reached: Thresholds,
  hits: readonly { thresholdId: number; name: string; score: number }[],
): Thresholds =>
  addThresholds(
    reached.map((threshold) => ({ ...threshold, fires: 0 })),
    hits.map(({ thresholdId, name, score }) => ({ thresholdId, name, score, fires: 1, firedBefore: 0 })),
  ).filter(isSeen);

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
