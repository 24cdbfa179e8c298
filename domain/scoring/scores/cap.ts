import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { addToPortion } from './decay.ts';
import { portionOf, type Score } from './score-rows.ts';

/** The part of an award that the cap still allows: it limits the points of one rule for one contact. */
export function capped(points: number, awarded: number, cap: number | null): number {
  if (cap === null) return points;
  return points >= 0 ? Math.max(0, Math.min(points, cap - awarded)) : Math.min(0, Math.max(points, -cap - awarded));
}

/** Whether points of an event at `at` (ms since 1970) come late: the rule has awarded points for a newer one. */
export const comesLate = (score: Score, ruleId: number, at: number): boolean =>
  score.portions.some((portion) => portion.ruleId === ruleId && portion.points !== 0 && portion.at > at);

/**
 * Takes up to `wanted` points back from events newer than `at` (ms since 1970), the newest first, for an event that
 * came late: a cap leaves points to the earliest events, in whatever order they come. That matters when points lose
 * worth, as an earlier event's points are worth less. Returns how many points it took, with the sign of `wanted`.
 */
export async function takeBackFromNewer(
  tx: EntityManager,
  score: Score,
  ruleId: number,
  at: number,
  wanted: number,
): Promise<number> {
  const newer = await rows<{ id: number; points: number; halfLifeDays: number; at: Date }>(
    tx,
    sql`
    select id, points, half_life_days as "halfLifeDays", at from score_history
    where tenant_id = ${score.tenantId} and subject = ${score.subject} and subject_id = ${score.subjectId}
      and rule_id = ${ruleId} and at > ${new Date(at)}::timestamptz and sign(points) = ${Math.sign(wanted)}
    order by at desc, event_id desc`,
  );
  let taken = 0;
  const left: { id: number; points: number }[] = [];
  for (const row of newer) {
    if (taken === wanted) break;
    const part = Math.sign(wanted) * Math.min(Math.abs(row.points), Math.abs(wanted - taken));
    taken += part;
    left.push({ id: row.id, points: row.points - part });
    const portion = portionOf(score, ruleId, row.halfLifeDays);
    addToPortion(portion, -part, row.at.getTime(), part === row.points ? -1 : 0);
  }
  await rows(
    tx,
    sql`
    with changed as (select * from jsonb_to_recordset(${JSON.stringify(left)}::jsonb) as r(id bigint, points int)),
      emptied as (delete from score_history h using changed c where h.id = c.id and c.points = 0)
    update score_history h set points = c.points from changed c where h.id = c.id and c.points <> 0`,
  );
  return taken;
}
