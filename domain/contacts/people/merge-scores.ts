import { randomUUID } from 'node:crypto';
import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { appendEvents, type Origin } from '../../../events/outbox.ts';
import { fireThresholds } from '../../scoring/fire-thresholds.ts';
import { qualificationOf } from '../../scoring/match-rule.ts';
import { readLevels } from '../../scoring/read-scores.ts';

/**
 * Adds the source's scores to the target's: history, points by rule, and the total, which remains the sum of the
 * history. Thresholds that fired for either count as fired for the target; others that are now reached fire. Writes
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
  await rows(
    tx,
    sql`
    with gone as (delete from scores_by_rule where ${of(sourceId)} returning rule_id, score, events)
    insert into scores_by_rule (tenant_id, subject, subject_id, rule_id, score, events)
    select ${tenantId}, 'contact', ${targetId}::bigint, rule_id, score, events from gone
    on conflict (tenant_id, subject, subject_id, rule_id)
    do update set score = scores_by_rule.score + excluded.score, events = scores_by_rule.events + excluded.events`,
  );
  const [total] = await rows<{ now: number; added: number }>(
    tx,
    sql`
    with gone as (delete from score_totals where ${of(sourceId)} returning total), added as (
      insert into score_totals (tenant_id, subject, subject_id, total, updated_at)
      select ${tenantId}, 'contact', ${targetId}::bigint, total, now() from gone
      on conflict (tenant_id, subject, subject_id) do update set total = score_totals.total + excluded.total, updated_at = excluded.updated_at
      returning total
    ) select added.total as now, gone.total as added from added, gone`,
  );
  if (moved.length > 0) {
    // Recompute the running total of each history row, in id order, over the merged history.
    await rows(
      tx,
      sql`
      update score_history h set total = r.running
      from (select id, sum(points) over (order by id) as running from score_history where ${of(targetId)}) r
      where h.id = r.id and h.total <> r.running`,
    );
  }
  if (!total || total.added === 0) return;
  await fireThresholds(tx, [{ tenantId, contactId: targetId, total: total.now, eventId: randomUUID(), requestId }]);
  await appendEvents(tx, origin, [
    {
      type: 'SCORE_UPDATED',
      data: {
        contactId: targetId,
        previousScore: total.now - total.added,
        totalScore: total.now,
        ruleId: null,
        qualification: qualificationOf(total.now, await readLevels(tx)),
      },
    },
  ]);
}
