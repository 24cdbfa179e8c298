import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { stableId } from '../../../lib/text/stable-id.ts';

/** Identifies the call of a threshold's webhook. */
export interface ThresholdCallKey {
  tenantId: string;
  thresholdId: number;
  contactId: number;
}

/** A call of a URL; `body` is JSON. Each attempt has the same id and body. */
export interface ThresholdCall {
  tenantId: string;
  id: string;
  url: string;
  body: string;
}

interface CallRow {
  url: string;
  name: string;
  score: number;
  total: number;
  at: string;
}

const of = ({ tenantId, thresholdId, contactId }: ThresholdCallKey) =>
  sql`tenant_id = ${tenantId} and threshold_id = ${thresholdId} and contact_id = ${contactId}`;

/** A call that has not ended; null if it has, or if its threshold was deleted or its contact erased. */
export async function readThresholdCall(em: EntityManager, key: ThresholdCallKey): Promise<ThresholdCall | null> {
  const [row] = await em.transactional((tx) =>
    rows<CallRow>(tx, sql`select url, name, score, total, at from threshold_calls where ${of(key)}`),
  );
  if (!row) return null;
  const { tenantId, thresholdId, contactId } = key;
  const { url, name, score, total: totalScore } = row;
  const data = { thresholdId, name, score, contactId, totalScore, tenantId };
  const body = JSON.stringify({ type: 'SCORE_THRESHOLD_REACHED', timestamp: new Date(row.at).toISOString(), data });
  return { tenantId, id: stableId(`threshold:${thresholdId}:${contactId}`), url, body };
}

/** Forgets a call that has ended. */
export async function endThresholdCall(em: EntityManager, key: ThresholdCallKey): Promise<void> {
  await em.transactional((tx) => rows(tx, sql`delete from threshold_calls where ${of(key)}`));
}
