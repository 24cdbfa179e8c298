import { LockMode } from '@mikro-orm/core';
import { rows, sql, type EntityManager } from '../../db/orm.ts';
import { Campaign } from '../../db/entities/campaigns.ts';
import { Segment } from '../../db/entities/contacts.ts';
import { ScoreThreshold } from '../../db/entities/scoring.ts';
import { assertValid, notFound } from '../errors.ts';
import type { ThresholdAction } from './fire-thresholds.ts';

export interface ThresholdInput {
  name: string;
  score: number;
  action: ThresholdAction;
}

/** What the action names must exist in the tenant; a list must be static. */
async function assertActionTarget(tx: EntityManager, action: ThresholdAction | undefined): Promise<void> {
  if (action?.type === 'ADD_TO_LIST' && !(await tx.findOne(Segment, { id: action.listId, type: 'static' }))) {
    assertValid([{ path: '/action/listId', code: 'not_found', message: 'is not a list' }]);
  }
  if (action?.type === 'START_CAMPAIGN' && !(await tx.findOne(Campaign, { id: action.campaignId }))) {
    assertValid([{ path: '/action/campaignId', code: 'not_found', message: 'is not a campaign' }]);
  }
}

/** Creates a threshold; it fires for contacts whose total reaches it from now on. */
export async function createThreshold(em: EntityManager, tenantId: string, input: ThresholdInput): Promise<ScoreThreshold> {
  return em.transactional(async (tx) => {
    await assertActionTarget(tx, input.action);
    const threshold = tx.create(ScoreThreshold, { ...input, tenantId });
    await tx.flush();
    return threshold;
  });
}

/** Changes a threshold; for whom it has fired it stays fired. Throws 404. */
export async function updateThreshold(em: EntityManager, id: number, input: Partial<ThresholdInput>, check: (current: ScoreThreshold) => Promise<void>): Promise<ScoreThreshold> {
  return em.transactional(async (tx) => {
    const threshold = await tx.findOne(ScoreThreshold, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (!threshold) throw notFound('score threshold', id);
    await check(threshold);
    await assertActionTarget(tx, input.action);
    tx.assign(threshold, input);
    await tx.flush();
    return threshold;
  });
}

export async function deleteThreshold(em: EntityManager, id: number, check: (current: ScoreThreshold) => void): Promise<void> {
  await em.transactional(async (tx) => {
    const threshold = await tx.findOne(ScoreThreshold, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (!threshold) throw notFound('score threshold', id);
    check(threshold);
    await tx.remove(threshold).flush();
  });
}

/** For how many contacts each of these thresholds has fired. */
export async function triggeredCounts(em: EntityManager, ids: number[]): Promise<Map<number, number>> {
  const found = await em.transactional((tx) => rows<{ threshold_id: number; n: number }>(tx, sql`
    select threshold_id, count(*)::int as n from score_threshold_hits where threshold_id = any(${ids}::bigint[]) group by threshold_id`));
  return new Map(found.map((row) => [row.threshold_id, row.n]));
}
