import { rows, sql, type EntityManager } from '../../db/orm.ts';
import { Company, Contact } from '../../db/entities/contacts.ts';
import { ScoringSettings, DEFAULT_LEVELS } from '../../db/entities/scoring.ts';
import { notFound } from '../common/errors.ts';
import { qualificationOf } from './match-rule.ts';
import { NO_RULE } from './score-events.ts';

const HISTORY = 100;

export interface HistoryRow {
  at: Date;
  event_type: string;
  /** Null if no rule has awarded the points. */
  rule_id: number | null;
  points: number;
  total: number;
  event_id: string;
}

export async function readLevels(em: EntityManager): Promise<{ warm: number; hot: number }> {
  return (await em.findOne(ScoringSettings, { tenantId: { $ne: null } })) ?? DEFAULT_LEVELS;
}

const totalOf = async (tx: EntityManager, subject: string, id: number): Promise<number> =>
  (
    await rows<{ total: number }>(
      tx,
      sql`select total from score_totals where subject = ${subject} and subject_id = ${id}`,
    )
  )[0]?.total ?? 0;

const historyOf = (tx: EntityManager, subject: string, id: number): Promise<HistoryRow[]> =>
  rows<HistoryRow>(
    tx,
    sql`
    select at, event_type, nullif(rule_id, ${NO_RULE}) as rule_id, points, total, event_id from score_history
    where subject = ${subject} and subject_id = ${id} order by id desc limit ${HISTORY}`,
  );

/** The score of a contact with its latest 100 changes; 0 and cold if nothing was scored. Throws 404. */
export async function readContactScore(em: EntityManager, contactId: number) {
  return em.transactional(async (tx) => {
    if (!(await tx.findOne(Contact, { id: contactId }, { fields: ['id'] }))) throw notFound('contact', contactId);
    const totalScore = await totalOf(tx, 'contact', contactId);
    return {
      contactId,
      totalScore,
      qualification: qualificationOf(totalScore, await readLevels(tx)),
      rules: await rows<{ rule_id: number | null; score: number }>(
        tx,
        sql`
        select rule_id, score from scores_by_rule where subject = 'contact' and subject_id = ${contactId}
        union all
        select null, sum(points) from score_history
        where subject = 'contact' and subject_id = ${contactId} and rule_id = ${NO_RULE} having count(*) > 0
        order by rule_id nulls last`,
      ),
      thresholds: await rows<{ id: number; at: Date | null }>(
        tx,
        sql`
        select t.id, h.at from score_thresholds t
        left join score_threshold_hits h on h.tenant_id = t.tenant_id and h.threshold_id = t.id and h.contact_id = ${contactId} order by t.score, t.id`,
      ),
      history: await historyOf(tx, 'contact', contactId),
    };
  });
}

/** A company's own score, from rules with target company, and the sum of its contacts' scores. Throws 404. */
export async function readCompanyScore(em: EntityManager, companyId: number) {
  return em.transactional(async (tx) => {
    if (!(await tx.findOne(Company, { id: companyId }, { fields: ['id'] }))) throw notFound('company', companyId);
    const totalScore = await totalOf(tx, 'company', companyId);
    const [sum] = await rows<{ total: number }>(
      tx,
      sql`
      select coalesce(sum(s.total), 0)::bigint as total from contacts c
      join score_totals s on s.tenant_id = c.tenant_id and s.subject = 'contact' and s.subject_id = c.id where c.company_id = ${companyId}`,
    );
    return {
      companyId,
      totalScore,
      contactsTotal: sum!.total,
      qualification: qualificationOf(totalScore, await readLevels(tx)),
      history: await historyOf(tx, 'company', companyId),
    };
  });
}

/** The highest totals. Equal totals share a rank and are ordered by id. */
export async function readLeaderboard(em: EntityManager, subject: 'contact' | 'company', limit: number) {
  return em.transactional(async (tx) => {
    const levels = await readLevels(tx);
    const name =
      subject === 'contact'
        ? sql`(select coalesce(nullif(concat_ws(' ', nullif(first_name, ''), nullif(last_name, '')), ''), email) from contacts c where c.tenant_id = s.tenant_id and c.id = s.subject_id)`
        : sql`(select name from companies c where c.tenant_id = s.tenant_id and c.id = s.subject_id)`;
    const found = await rows<{ rank: number; subject_id: number; name: string | null; total: number }>(
      tx,
      sql`
      select rank() over (order by s.total desc)::int as rank, s.subject_id, ${name} as name, s.total
      from score_totals s where s.subject = ${subject} order by s.total desc, s.subject_id limit ${limit}`,
    );
    return found.map((row) => ({
      rank: row.rank,
      id: row.subject_id,
      name: row.name ?? '',
      totalScore: row.total,
      qualification: qualificationOf(row.total, levels),
    }));
  });
}
