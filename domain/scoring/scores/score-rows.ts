import { preparedHint, rows, sql, type EntityManager } from '../../../db/orm.ts';
import { changesAt, totalOf, type Portion } from './decay.ts';

export type Subject = 'contact' | 'company';

/** What a score belongs to. */
export interface ScoreKey {
  tenantId: string;
  subject: Subject;
  subjectId: number;
}

/** The points of a subject by rule and half-life. */
export interface Score extends ScoreKey {
  portions: Portion[];
  /** The total as it was last written, and so told to others; decay may have changed it since. */
  told: number;
}

export const keyOf = ({ tenantId, subject, subjectId }: ScoreKey): string => `${tenantId}/${subject}/${subjectId}`;

/** The portion of a rule with this half-life; added with 0 points if the score has none. */
export function portionOf({ portions }: Score, ruleId: number, halfLifeDays: number): Portion {
  const found = portions.find((one) => one.ruleId === ruleId && one.halfLifeDays === halfLifeDays);
  if (found) return found;
  const portion = { ruleId, halfLifeDays, points: 0, worth: 0, at: -Infinity, events: 0 };
  portions.push(portion);
  return portion;
}

const recordsOf = (keys: readonly ScoreKey[]) => {
  const asked = keys.map(({ tenantId: t, subject: s, subjectId: id }) => ({ t, s, id }));
  return sql`jsonb_to_recordset(${JSON.stringify(asked)}::jsonb) as r(t text, s text, id bigint)`;
};

/** Reads the scores of these subjects, by `keyOf`; those without points have no portions, and a total of 0. */
export async function readScores(tx: EntityManager, keys: readonly ScoreKey[]): Promise<Map<string, Score>> {
  const scores = new Map<string, Score>(keys.map((key) => [keyOf(key), { ...key, portions: [], told: 0 }]));
  if (keys.length === 0) return scores;
  const found = await rows<ScoreKey & Omit<Portion, 'at'> & { at: Date; told: number | null }>(
    tx,
    // Looked up one by one: a plan made for a small table would read all of it when it has grown.
    sql`${preparedHint}
    select b.tenant_id as "tenantId", b.subject, b.subject_id as "subjectId", b.rule_id as "ruleId",
      b.half_life_days as "halfLifeDays", b.score as points, b.worth, b.worth_at as at, b.events, t.total as told
    from ${recordsOf([...scores.values()])}
    left join lateral (
      select total from score_totals where tenant_id = r.t and subject = r.s and subject_id = r.id offset 0) t on true
    cross join lateral (
      select * from scores_by_rule
      where tenant_id = r.t and subject = r.s and subject_id = r.id offset 0) b`,
  );
  for (const { tenantId, subject, subjectId, at, told, ...portion } of found) {
    const score = scores.get(keyOf({ tenantId, subject, subjectId }))!;
    score.portions.push({ ...portion, at: at.getTime() });
    score.told = told ?? 0;
  }
  return scores;
}

/**
 * Writes these portions and the totals at `now` (ms since 1970) of their scores, whose subjects the transaction has
 * locked.
 */
export async function saveScores(
  tx: EntityManager,
  changed: ReadonlyMap<Score, ReadonlySet<Portion>>,
  now: number,
): Promise<void> {
  const portions = [...changed].flatMap(([{ tenantId: t, subject: s, subjectId: id }, some]) =>
    [...some].map(({ ruleId: r, halfLifeDays: h, points: p, worth: w, at, events: n }) => ({
      ...{ t, s, id, r, h, p, w, n },
      at: new Date(at).toISOString(),
    })),
  );
  await rows(
    tx,
    sql`${preparedHint}
    insert into scores_by_rule (tenant_id, subject, subject_id, rule_id, half_life_days, score, worth, worth_at, events)
    select t, s, id, r, h, p, w, at, n
    from jsonb_to_recordset(${JSON.stringify(portions)}::jsonb)
      as r(t text, s text, id bigint, r bigint, h float8, p bigint, w float8, at timestamptz, n int)
    order by t, s, id, r, h
    on conflict (tenant_id, subject, subject_id, rule_id, half_life_days) do update
    set score = excluded.score, worth = excluded.worth, worth_at = excluded.worth_at, events = excluded.events`,
  );
  await saveTotals(tx, [...changed.keys()], now);
}

/** Writes the totals of these scores at `now` (ms since 1970), and when they change next. */
export async function saveTotals(tx: EntityManager, scores: readonly Score[], now: number): Promise<void> {
  const totals = scores.map(({ tenantId: t, subject: s, subjectId: id, portions }) => {
    const at = changesAt(portions, now);
    return { t, s, id, total: totalOf(portions, now), c: at === null ? null : new Date(at).toISOString() };
  });
  await rows(
    tx,
    sql`${preparedHint}
    insert into score_totals (tenant_id, subject, subject_id, total, changes_at, updated_at)
    select t, s, id, total, c, now()
    from jsonb_to_recordset(${JSON.stringify(totals)}::jsonb) as r(t text, s text, id bigint, total bigint, c timestamptz)
    order by t, s, id
    on conflict (tenant_id, subject, subject_id)
    do update set total = excluded.total, changes_at = excluded.changes_at, updated_at = excluded.updated_at`,
  );
}
