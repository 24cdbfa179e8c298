import { randomUUID } from 'node:crypto';
import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import type { Origin } from '../../../events/outbox.ts';
import { appendNewTotals, NO_RULE } from '../../scoring/scores/apply-changes.ts';
import { mergeIntoPortion, totalOf, type Portion } from '../../scoring/scores/decay.ts';
import { fireThresholds } from '../../scoring/thresholds/fire-thresholds.ts';
import { removeScores } from '../../scoring/scores/remove-scores.ts';
import { keyOf, portionOf, readScores, saveScores, type Score } from '../../scoring/scores/score-rows.ts';

/**
 * Adds the source's scores to the target's: history, points by rule, and the total, which remains the sum of both.
 * Thresholds that fired for either count as fired for the target; others that are now reached fire. Writes
 * SCORE_UPDATED.
 */
export async function mergeScores(
  tx: EntityManager,
  origin: Origin,
  targetId: number,
  sourceId: number,
): Promise<void> {
  const { tenantId, requestId } = origin;
  const of = (id: number) => sql`tenant_id = ${tenantId} and subject = 'contact' and subject_id = ${id}`;
  await rows(
    tx,
    sql`
    with gone as (delete from score_threshold_hits where tenant_id = ${tenantId} and contact_id = ${sourceId} returning threshold_id, event_id, at)
    insert into score_threshold_hits (tenant_id, threshold_id, contact_id, event_id, at)
    select ${tenantId}, threshold_id, ${targetId}::bigint, event_id, at from gone on conflict do nothing`,
  );
  const moved = await rows<{ id: number }>(
    tx,
    sql`update score_history set subject_id = ${targetId} where ${of(sourceId)} returning id`,
  );
  if (moved.length === 0) return removeScores(tx, tenantId, 'contact', [sourceId]);
  // The running total of each history row, in id order, over the merged history.
  await rows(
    tx,
    sql`
    update score_history h set total = r.running
    from (select id, sum(points) over (order by id) as running from score_history where ${of(targetId)}) r
    where h.id = r.id and h.total <> r.running and not exists (
      select 1 from score_history d where ${of(targetId)} and d.half_life_days <> 0)`,
  );
  const keys = [targetId, sourceId].map((subjectId) => ({ tenantId, subject: 'contact' as const, subjectId }));
  const scores = await readScores(tx, keys);
  const [target, source] = keys.map((key) => scores.get(keyOf(key))!) as [Score, Score];
  const now = Date.now();
  const changed = new Set<Portion>();
  for (const added of source.portions) {
    const portion = portionOf(target, added.ruleId, added.halfLifeDays);
    mergeIntoPortion(portion, added);
    changed.add(portion);
  }
  await removeScores(tx, tenantId, 'contact', [sourceId]);
  await saveScores(tx, new Map([[target, changed]]), now);
  const [previous, total] = [target.told, totalOf(target.portions, now)];
  if (total === previous) return;
  await fireThresholds(tx, [{ tenantId, contactId: targetId, total, eventId: randomUUID(), requestId }]);
  await appendNewTotals(tx, [{ tenantId, contactId: targetId, previous, total, ruleId: NO_RULE, requestId }]);
}
