import { LockMode } from '@mikro-orm/core';
import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { ScoreThreshold } from '../../../db/entities/scoring.ts';
import { appendAudit, type Author } from '../../audit/audit.ts';
import { assertValid, notFound } from '../../../lib/checks/errors.ts';
import type { CheckUrl } from '../../outbound/check-url.ts';
import { actionViolations, type ThresholdAction } from './threshold-action.ts';

export interface ThresholdInput {
  name: string;
  score: number;
  action: ThresholdAction;
}

const contentOf = ({ name, score, action }: ScoreThreshold) => ({ name, score, action });
const resourceOf = (id: number) => ({ resourceType: 'scoring_threshold', resourceId: id });

/** Creates a threshold. It fires for contacts when a later score change leaves their total at or above it. */
export async function createThreshold(
  em: EntityManager,
  author: Author,
  input: ThresholdInput,
  checkUrl: CheckUrl,
): Promise<ScoreThreshold> {
  const { tenantId } = author;
  return em.transactional(async (tx) => {
    assertValid(await actionViolations(tx, tenantId, input.action, checkUrl));
    const threshold = tx.create(ScoreThreshold, { ...input, tenantId });
    await tx.flush();
    await appendAudit(tx, author, {
      action: 'scoring_threshold.created',
      ...resourceOf(threshold.id),
      after: contentOf(threshold),
    });
    return threshold;
  });
}

/** A threshold with the number of contacts for which it has fired. */
export interface CountedThreshold {
  threshold: ScoreThreshold;
  triggeredCount: number;
}

const counted = async (tx: EntityManager, threshold: ScoreThreshold): Promise<CountedThreshold> => ({
  threshold,
  triggeredCount: (await triggeredCounts(tx, [threshold.id])).get(threshold.id) ?? 0,
});

/** Throws 404. */
export async function readThreshold(em: EntityManager, id: number): Promise<CountedThreshold> {
  return em.transactional(async (tx) => {
    const threshold = await tx.findOne(ScoreThreshold, { id });
    if (!threshold) throw notFound('score threshold', id);
    return counted(tx, threshold);
  });
}

/** Changes a threshold; contacts for which it has fired stay that way. Throws 404. */
export async function updateThreshold(
  em: EntityManager,
  author: Author,
  id: number,
  input: Partial<ThresholdInput>,
  check: (current: ScoreThreshold) => void,
  checkUrl: CheckUrl,
): Promise<CountedThreshold> {
  return em.transactional(async (tx) => {
    const threshold = await tx.findOne(ScoreThreshold, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (!threshold) throw notFound('score threshold', id);
    check(threshold);
    assertValid(await actionViolations(tx, threshold.tenantId, input.action, checkUrl));
    const before = contentOf(threshold);
    tx.assign(threshold, input);
    await tx.flush();
    await appendAudit(tx, author, {
      action: 'scoring_threshold.updated',
      ...resourceOf(id),
      before,
      after: contentOf(threshold),
    });
    return counted(tx, threshold);
  });
}

export async function deleteThreshold(
  em: EntityManager,
  author: Author,
  id: number,
  check: (current: ScoreThreshold) => void,
): Promise<void> {
  await em.transactional(async (tx) => {
    const threshold = await tx.findOne(ScoreThreshold, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (!threshold) throw notFound('score threshold', id);
    check(threshold);
    const before = contentOf(threshold);
    await tx.remove(threshold).flush();
    await appendAudit(tx, author, { action: 'scoring_threshold.deleted', ...resourceOf(id), before });
  });
}

/** The number of contacts for which each of these thresholds has fired. */
export async function triggeredCounts(em: EntityManager, ids: number[]): Promise<Map<number, number>> {
  const found = await em.transactional((tx) =>
    rows<{ threshold_id: number; n: number }>(
      tx,
      sql`
    select threshold_id, count(*)::int as n from score_threshold_hits where threshold_id = any(${ids}::bigint[]) group by threshold_id`,
    ),
  );
  return new Map(found.map((row) => [row.threshold_id, row.n]));
}
