import { IsolationLevel } from '@mikro-orm/core';
import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { Company, Contact } from '../../../db/entities/contacts.ts';
import { ScoringSettings, DEFAULT_LEVELS } from '../../../db/entities/scoring.ts';
import { notFound } from '../../../lib/checks/errors.ts';
import { keyset, type ListQuery, type Page } from '../../common/paging.ts';
import { NO_RULE } from './apply-changes.ts';
import { scoreOf, totalOf, worthOf } from './decay.ts';
import { qualificationOf } from '../rules/qualification.ts';
import { keyOf, readScores, type ScoreKey, type Subject } from './score-rows.ts';

export interface HistoryRow {
  at: Date;
  eventType: string;
  /** Null if no rule has awarded the points. */
  ruleId: number | null;
  points: number;
  /** What is left of the points now, to two decimals. */
  worth: number;
  /** The total after the change. */
  total: number;
  eventId: string;
}

export interface RuleScore {
  /** Null for points that campaigns have given. */
  ruleId: number | null;
  name: string | null;
  /** What the rule's points are worth now. */
  score: number;
  /** The points as they were awarded. */
  points: number;
  events: number;
  deleted: boolean;
}

export async function readLevels(em: EntityManager): Promise<{ warm: number; hot: number }> {
  return (await em.findOne(ScoringSettings, { tenantId: { $ne: null } })) ?? DEFAULT_LEVELS;
}

/** Reads in one snapshot, so that the parts of a score add up while events are scored. */
const inSnapshot = <T>(em: EntityManager, read: (tx: EntityManager) => Promise<T>): Promise<T> =>
  em.transactional(read, { isolationLevel: IsolationLevel.REPEATABLE_READ });

async function historyOf(tx: EntityManager, key: ScoreKey, query: ListQuery, now: number): Promise<Page<HistoryRow>> {
  const page = keyset(query, { id: { column: sql`h.id`, type: 'bigint' } });
  const found = await rows<HistoryRow & { id: number; sort_value: number; halfLifeDays: number }>(
    tx,
    sql`
    select h.id, ${page.sortValue}, at, event_type as "eventType", nullif(rule_id, ${NO_RULE}) as "ruleId", points,
      half_life_days as "halfLifeDays", total, event_id as "eventId"
    from score_history h
    where tenant_id = ${key.tenantId} and subject = ${key.subject} and subject_id = ${key.subjectId} and ${page.where}
    order by ${page.orderBy} limit ${page.fetch}`,
  );
  return page.toPage(found, ({ at, eventType, ruleId, points, halfLifeDays, total, eventId }) => {
    const worth = Math.round(worthOf(points, halfLifeDays, at.getTime(), now) * 100) / 100;
    return { at, eventType, ruleId, points, worth, total, eventId };
  });
}

/**
 * The score of a contact now, with a page of its history, the latest change first; 0 and cold if nothing was scored.
 * The scores of `rules` add up to `totalScore`. Throws 404.
 */
export async function readContactScore(em: EntityManager, contactId: number, query: ListQuery = {}) {
  return inSnapshot(em, async (tx) => {
    const contact = await tx.findOne(Contact, { id: contactId }, { fields: ['id', 'tenantId'] });
    if (!contact) throw notFound('contact', contactId);
    const key = { tenantId: contact.tenantId, subject: 'contact', subjectId: contactId } as const;
    const now = Date.now();
    const { portions } = (await readScores(tx, [key])).get(keyOf(key))!;
    const totalScore = totalOf(portions, now);
    // A replay may have left nothing of a rule's points.
    const byRule = Map.groupBy(
      portions.filter(({ events }) => events > 0),
      ({ ruleId }) => ruleId,
    );
    const names = await rows<{ id: number; name: string; deleted: boolean }>(
      tx,
      sql`select id, name, deleted_at is not null as deleted from scoring_rules where id = any(${[...byRule.keys()]}::bigint[])`,
    );
    const { data: history, page } = await historyOf(tx, key, query, now);
    return {
      contactId,
      totalScore,
      qualification: qualificationOf(totalScore, await readLevels(tx)),
      rules: [...byRule]
        .sort(([one], [other]) => (one || Infinity) - (other || Infinity))
        .map(([ruleId, some]): RuleScore => {
          const rule = names.find(({ id }) => id === ruleId);
          return {
            ruleId: ruleId === NO_RULE ? null : ruleId,
            name: rule?.name ?? null,
            score: scoreOf(some, now),
            points: some.reduce((sum, { points }) => sum + points, 0),
            events: some.reduce((sum, { events }) => sum + events, 0),
            deleted: ruleId !== NO_RULE && (rule?.deleted ?? true),
          };
        }),
      thresholds: await rows<{ id: number; at: Date | null }>(
        tx,
        sql`
        select t.id, h.at from score_thresholds t
        left join score_threshold_hits h on h.tenant_id = t.tenant_id and h.threshold_id = t.id and h.contact_id = ${contactId} order by t.score, t.id`,
      ),
      history,
      page,
    };
  });
}

/** A company's own score, from rules with target company, and the sum of its contacts' scores. Throws 404. */
export async function readCompanyScore(em: EntityManager, companyId: number, query: ListQuery = {}) {
  return inSnapshot(em, async (tx) => {
    const company = await tx.findOne(Company, { id: companyId }, { fields: ['id', 'tenantId'] });
    if (!company) throw notFound('company', companyId);
    const key = { tenantId: company.tenantId, subject: 'company', subjectId: companyId } as const;
    const now = Date.now();
    const totalScore = totalOf((await readScores(tx, [key])).get(keyOf(key))!.portions, now);
    const ofContacts = sql`
      contacts c join score_totals s on s.tenant_id = c.tenant_id and s.subject = 'contact' and s.subject_id = c.id
      where c.company_id = ${companyId}`;
    const [sum] = await rows<{ total: number }>(
      tx,
      sql`select coalesce(sum(s.total), 0)::bigint as total from ${ofContacts} and ${isRightAt(now)}`,
    );
    let contactsTotal = sum!.total;
    for await (const { total } of outdatedTotals(tx, sql`select s.* from ${ofContacts}`, now)) contactsTotal += total;
    const { data: history, page } = await historyOf(tx, key, query, now);
    return {
      companyId,
      totalScore,
      contactsTotal,
      qualification: qualificationOf(totalScore, await readLevels(tx)),
      history,
      page,
    };
  });
}

/** Whether a row `s` of score_totals has the total of `now`: no points have lost worth since. */
const isRightAt = (now: number) => sql`(s.changes_at is null or s.changes_at > ${new Date(now)}::timestamptz)`;

/** How many outdated totals are computed at once: all of a large tenant's are, when the upkeep has been away for long. */
const AT_ONCE = 5_000;

/** The totals at `now` of those rows of score_totals that are outdated; `source` is a query of such rows of a tenant. */
async function* outdatedTotals(
  tx: EntityManager,
  source: ReturnType<typeof sql>,
  now: number,
): AsyncGenerator<{ subjectId: number; total: number }> {
  // A list of ids in one text, because there may be a million.
  const found = await rows<ScoreKey & { ids: string }>(
    tx,
    sql`
    select s.tenant_id as "tenantId", s.subject, string_agg(s.subject_id::text, ',') as ids from (${source}) s
    where s.changes_at <= ${new Date(now)}::timestamptz group by s.tenant_id, s.subject`,
  );
  for (const { ids, tenantId, subject } of found) {
    const keys = ids.split(',').map((id) => ({ tenantId, subject, subjectId: Number(id) }));
    for (let from = 0; from < keys.length; from += AT_ONCE) {
      const scores = await readScores(tx, keys.slice(from, from + AT_ONCE));
      for (const { subjectId, portions } of scores.values()) yield { subjectId, total: totalOf(portions, now) };
    }
  }
}

/**
 * The highest totals now. Equal totals share a rank and are ordered by id. Totals that are outdated, because the
 * upkeep has not come to them yet, are computed.
 */
export async function readLeaderboard(em: EntityManager, subject: Subject, limit: number) {
  return inSnapshot(em, async (tx) => {
    const now = Date.now();
    let found = await rows<{ subjectId: number; total: number }>(
      tx,
      sql`
      select s.subject_id as "subjectId", s.total from score_totals s
      where s.subject = ${subject} and ${isRightAt(now)}
      order by s.total desc, s.subject_id limit ${limit}`,
    );
    const highest = (): typeof found =>
      found.toSorted((one, other) => other.total - one.total || one.subjectId - other.subjectId).slice(0, limit);
    const ofSubject = sql`select * from score_totals where subject = ${subject}`;
    for await (const one of outdatedTotals(tx, ofSubject, now)) {
      found.push(one);
      if (found.length >= limit + AT_ONCE) found = highest();
    }
    found = highest();
    const names = await namesOf(
      tx,
      subject,
      found.map(({ subjectId }) => subjectId),
    );
    const levels = await readLevels(tx);
    return found.map(({ subjectId, total }) => ({
      rank: found.findIndex((other) => other.total === total) + 1,
      id: subjectId,
      name: names.get(subjectId) ?? '',
      totalScore: total,
      qualification: qualificationOf(total, levels),
    }));
  });
}

async function namesOf(tx: EntityManager, subject: Subject, ids: number[]): Promise<Map<number, string>> {
  const found = await rows<{ id: number; name: string }>(
    tx,
    subject === 'contact'
      ? sql`
      select id, coalesce(nullif(concat_ws(' ', nullif(first_name, ''), nullif(last_name, '')), ''), email, '') as name
      from contacts where id = any(${ids}::bigint[])`
      : sql`select id, name from companies where id = any(${ids}::bigint[])`,
  );
  return new Map(found.map(({ id, name }) => [id, name]));
}
