import { preparedHint, rows, sql, type EntityManager } from '../../../db/orm.ts';
import { DEFAULT_LEVELS } from '../../../db/entities/scoring.ts';
import { appendEventsOfTenants, type NewEvent } from '../../../events/outbox.ts';
import type { Change, Changed } from './award.ts';
import { fireThresholds } from '../thresholds/fire-thresholds.ts';
import { qualificationOf } from '../rules/qualification.ts';
import { saveScores } from './score-rows.ts';

/** The rule id, in history and scores by rule, of points that no rule has awarded; the API and events show null. */
export const NO_RULE = 0;

/** A changed total of a contact, for SCORE_UPDATED. */
export interface NewTotal {
  tenantId: string;
  contactId: number;
  previous: number;
  total: number;
  /** NO_RULE also if several rules have changed it. */
  ruleId: number;
  requestId: string | null;
}

/**
 * Writes changes of scores at `now` (ms since 1970), whose subjects are locked, and what follows from them: history,
 * thresholds and SCORE_UPDATED. What a cause changes is one change of the total: a threshold, or a trigger of a campaign,
 * is judged on the total after all rules.
 */
export async function applyChanges(
  tx: EntityManager,
  changes: readonly Change[],
  changed: Changed,
  now: number,
): Promise<void> {
  if (changes.length === 0) return;
  await saveHistory(tx, changes);
  await saveScores(tx, changed, now);
  const ofContacts = changes.filter(({ score }) => score.subject === 'contact');
  const byCause = Map.groupBy(
    ofContacts,
    ({ score, contactId, cause }) => `${score.tenantId}/${contactId}/${cause.id}`,
  );
  const totals = [...byCause.values()].map((some) => {
    const [first, last] = [some[0]!, some.at(-1)!];
    return {
      tenantId: last.score.tenantId,
      contactId: last.contactId,
      previous: first.previous,
      total: last.total,
      ruleId: some.length === 1 ? last.ruleId : NO_RULE,
      eventId: last.cause.id,
      requestId: last.cause.requestid ?? null,
    };
  });
  await fireThresholds(tx, totals);
  await appendNewTotals(tx, totals);
}

async function saveHistory(tx: EntityManager, changes: readonly Change[]): Promise<void> {
  const payload = JSON.stringify(
    changes.map(({ score: { tenantId: t, subject: s, subjectId: id }, cause, ...change }) => ({
      ...{ t, s, id },
      r: change.ruleId,
      h: change.halfLifeDays,
      e: cause.id,
      ty: cause.type,
      p: change.points,
      total: change.total,
      at: cause.time,
    })),
  );
  await rows(
    tx,
    sql`${preparedHint}
    insert into score_history (tenant_id, subject, subject_id, rule_id, half_life_days, event_id, event_type, points, total, at)
    select t, s, id, r, h, e, ty, p, total, at
    from jsonb_to_recordset(${payload}::jsonb)
      as r(t text, s text, id bigint, r bigint, h float8, e uuid, ty text, p int, total bigint, at timestamptz)`,
  );
}

/** Writes SCORE_UPDATED for changed totals of contacts. */
export async function appendNewTotals(tx: EntityManager, totals: readonly NewTotal[]): Promise<void> {
  if (totals.length === 0) return;
  const tenants = [...new Set(totals.map(({ tenantId }) => tenantId))];
  const levels = new Map(
    (
      await rows<{ tenant_id: string; warm: number; hot: number }>(
        tx,
        sql`${preparedHint}select tenant_id, warm, hot from scoring_settings where tenant_id = any(${tenants})`,
      )
    ).map((row) => [row.tenant_id, row]),
  );
  await appendEventsOfTenants(
    tx,
    totals.map(
      ({ tenantId, contactId, previous, total, ruleId, requestId }): { tenantId: string; event: NewEvent } => ({
        tenantId,
        event: {
          type: 'SCORE_UPDATED',
          requestId,
          data: {
            contactId,
            previousScore: previous,
            totalScore: total,
            ruleId: ruleId === NO_RULE ? null : ruleId,
            qualification: qualificationOf(total, levels.get(tenantId) ?? DEFAULT_LEVELS),
          },
        },
      }),
    ),
  );
}
