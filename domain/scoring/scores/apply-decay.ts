import { randomUUID } from 'node:crypto';
import { engineEm, freshTransaction, rows, sql, type EntityManager, type Orm } from '../../../db/orm.ts';
import { appendNewTotals, NO_RULE } from './apply-changes.ts';
import { totalOf } from './decay.ts';
import { fireThresholds } from '../thresholds/fire-thresholds.ts';
import { lockCompanies, lockScoredContacts } from './lock-subjects.ts';
import { keyOf, readScores, saveTotals, type ScoreKey } from './score-rows.ts';

const AT_ONCE = 500;

/**
 * Brings up to date the totals that have changed because points lose worth, with SCORE_UPDATED for contacts, in
 * transactions of 500. Where negative points lose worth, totals rise, and may reach thresholds. Any number of processes
 * may do this at once; `now` (ms since 1970) is for tests.
 */
export async function applyDecay(orm: Orm, now = Date.now()): Promise<void> {
  while ((await freshTransaction(engineEm(orm), (tx) => applyOnce(tx, now))) === AT_ONCE);
}

/** Returns how many totals were due. */
async function applyOnce(tx: EntityManager, now: number): Promise<number> {
  const due = await rows<ScoreKey>(
    tx,
    sql`
    select tenant_id as "tenantId", subject, subject_id as "subjectId" from score_totals
    where changes_at <= ${new Date(now)}::timestamptz order by changes_at limit ${AT_ONCE}`,
  );
  if (due.length === 0) return 0;
  const idsOf = (wanted: string) =>
    due.flatMap(({ tenantId, subject, subjectId: id }) => (subject === wanted ? [{ tenantId, id }] : []));
  await lockScoredContacts(tx, idsOf('contact'));
  await lockCompanies(tx, idsOf('company'));
  const scores = await readScores(tx, due);
  // Read again: another process may have brought them up to date before they were locked.
  const stored = await rows<ScoreKey & { total: number }>(
    tx,
    sql`
    select t.tenant_id as "tenantId", t.subject, t.subject_id as "subjectId", t.total
    from jsonb_to_recordset(${JSON.stringify(due)}::jsonb) as r("tenantId" text, subject text, "subjectId" bigint)
    join score_totals t on t.tenant_id = r."tenantId" and t.subject = r.subject and t.subject_id = r."subjectId"
    where t.changes_at <= ${new Date(now)}::timestamptz`,
  );
  const changes = stored.map(({ total: previous, ...key }) => {
    const score = scores.get(keyOf(key))!;
    return { score, previous, total: totalOf(score.portions, now) };
  });
  await saveTotals(
    tx,
    changes.map(({ score }) => score),
    now,
  );
  const ofContacts = changes
    .filter(({ score, previous, total }) => score.subject === 'contact' && previous !== total)
    .map(({ score: { tenantId, subjectId: contactId }, previous, total }) => ({
      ...{ tenantId, contactId, previous, total },
      ruleId: NO_RULE,
      requestId: null,
    }));
  await fireThresholds(
    tx,
    ofContacts
      .filter(({ previous, total }) => total > previous)
      .map(({ tenantId, contactId, total }) => ({
        tenantId,
        contactId,
        total,
        eventId: randomUUID(),
        requestId: null,
      })),
  );
  await appendNewTotals(tx, ofContacts);
  return due.length;
}
