import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { totalOf } from '../scores/decay.ts';
import type { Awarded } from './replay-score.ts';
import type { RuleRow } from '../scores/score-events.ts';
import type { Score } from '../scores/score-rows.ts';

/** How many rows a statement writes: their JSON is built in memory. */
const AT_ONCE = 5_000;

/** The history rows of the rule, by contact or company. */
export async function storedAwards(
  tx: EntityManager,
  tenantId: string,
  { id, target }: RuleRow,
  ids: readonly number[],
): Promise<Map<number, Awarded[]>> {
  const found = await rows<Omit<Awarded, 'at'> & { at: Date; subjectId: number }>(
    tx,
    sql`
    select id, subject_id as "subjectId", event_id as "eventId", at, points, half_life_days as "halfLifeDays"
    from score_history
    where tenant_id = ${tenantId} and subject = ${target} and subject_id = any(${[...ids]}::bigint[]) and rule_id = ${id}`,
  );
  return Map.groupBy(
    found.map(({ at, ...row }) => ({ ...row, at: at.getTime() })),
    ({ subjectId }) => subjectId,
  );
}

/** The changes of a rule's history. */
export interface HistoryWrites {
  removed: number[];
  updated: Awarded[];
  added: (Awarded & { score: Score })[];
}

/** Notes how the history of a score changes. Returns whether it does. */
export function noteChanges(
  writes: HistoryWrites,
  score: Score,
  before: readonly Awarded[],
  after: readonly Awarded[],
): boolean {
  const left = new Map(before.map((row) => [row.id, row]));
  let changes = false;
  for (const row of after) {
    const old = left.get(row.id);
    left.delete(row.id);
    if (old?.points === row.points && old.halfLifeDays === row.halfLifeDays) continue;
    changes = true;
    if (old) writes.updated.push(row);
    else writes.added.push({ ...row, score });
  }
  for (const { id } of left.values()) writes.removed.push(id!);
  return changes || left.size > 0;
}

/**
 * Writes the changes of a rule's history. The totals of rows that are there stay, as they tell what was told then; new
 * rows have the total at `now` (ms since 1970), after the replay.
 */
export async function saveReplayedHistory(
  tx: EntityManager,
  { id: ruleId, event_type: eventType }: RuleRow,
  { removed, updated, added }: HistoryWrites,
  now: number,
): Promise<void> {
  for (const some of partsOf(removed)) await rows(tx, sql`delete from score_history where id = any(${some}::bigint[])`);
  for (const some of partsOf(updated))
    await rows(
      tx,
      sql`
      update score_history h set points = r.points, half_life_days = r."halfLifeDays"
      from jsonb_to_recordset(${JSON.stringify(some)}::jsonb) as r(id bigint, points int, "halfLifeDays" float8)
      where h.id = r.id`,
    );
  const totals = new Map([...new Set(added.map(({ score }) => score))].map((one) => [one, totalOf(one.portions, now)]));
  for (const some of partsOf(added.toSorted((one, other) => one.at - other.at))) {
    const payload = some.map(({ score, eventId: e, points: p, halfLifeDays: h, at }) => ({
      ...{ t: score.tenantId, s: score.subject, id: score.subjectId, e, p, h },
      total: totals.get(score),
      at: new Date(at).toISOString(),
    }));
    await rows(
      tx,
      sql`
      insert into score_history (tenant_id, subject, subject_id, rule_id, half_life_days, event_id, event_type, points, total, at)
      select t, s, id, ${ruleId}, h, e, ${eventType}, p, total, at
      from jsonb_to_recordset(${JSON.stringify(payload)}::jsonb)
        as r(t text, s text, id bigint, h float8, e uuid, p int, total bigint, at timestamptz)
      order by at`,
    );
  }
}

const partsOf = <T>(all: readonly T[]): T[][] =>
  Array.from({ length: Math.ceil(all.length / AT_ONCE) }, (_, n) => all.slice(n * AT_ONCE, (n + 1) * AT_ONCE));
