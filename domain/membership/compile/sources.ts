import type { FilterEvent } from '../../../events/contracts.ts';
import { sql, type RawBuilder } from 'kysely';
import { timeline } from '../../contact-values/timeline.ts';
import type { Condition } from '../filter/operand.ts';
import { DEFAULT_LEVELS } from '../../../db/entities/scoring.ts';

/** SQL for the data of a filter that is not on the contact's own row. */
export interface Sources {
  /** A column of the contact's company; null without a company. */
  company: (column: string) => RawBuilder<unknown>;
  score: () => RawBuilder<unknown>;
  qualification: () => RawBuilder<unknown>;
  /** Whether the contact is a member of any of these segments or lists. */
  memberOf: (ids: readonly number[]) => Condition;
  memberOfAny: (kind: 'list' | 'all') => Condition;
  /** Whether at least `count` non-automated activities (alias `happened`) of the event meet all of `wanted`. */
  atLeast: (event: FilterEvent, wanted: readonly Condition[], count: number) => Condition;
}

export const qualificationOf = (
  score: RawBuilder<unknown>,
  warm: RawBuilder<unknown>,
  hot: RawBuilder<unknown>,
): RawBuilder<unknown> => sql`
  (case when ${score} >= coalesce(${hot}, ${sql.lit(DEFAULT_LEVELS.hot)}) then 'hot' when ${score} >= coalesce(${warm}, ${sql.lit(DEFAULT_LEVELS.warm)}) then 'warm' else 'cold' end)`;

/**
 * Sources for many contacts and one filter: looks everything up by subqueries on the row `alias` of contacts. `offset
 * 0` keeps the planner from turning them into joins, which it runs row by row over whole segments if these are newer
 * than its statistics: a page took half a minute that way.
 */
export function subqueries(alias: string): Sources {
  const at = (column: string) => sql.ref(`${alias}.${column}`);
  const score = sql`coalesce((select t.total from score_totals t
    where t.tenant_id = ${at('tenant_id')} and t.subject = 'contact' and t.subject_id = ${at('id')}), 0)`;
  const level = (name: 'warm' | 'hot') =>
    sql`(select s.${sql.ref(name)} from scoring_settings s where s.tenant_id = ${at('tenant_id')})`;
  const member = sql`from segment_members m where m.tenant_id = ${at('tenant_id')} and m.contact_id = ${at('id')}`;
  return {
    company: (column) => sql`(
      select k.${sql.ref(column)} from companies k where k.tenant_id = ${at('tenant_id')} and k.id = ${at('company_id')})`,
    score: () => score,
    qualification: () => sql`(select ${qualificationOf(sql`q.score`, sql`q.warm`, sql`q.hot`)}
      from (select ${score} as score, ${level('warm')} as warm, ${level('hot')} as hot) q)`,
    memberOf: (ids) => sql`exists (select 1 ${member} and m.segment_id = any(${[...ids]}::bigint[]) offset 0)`,
    memberOfAny: (kind) =>
      kind === 'all'
        ? sql`exists (select 1 ${member} offset 0)`
        : sql`exists (select 1 ${member} and exists (
      select 1 from segments s where s.tenant_id = m.tenant_id and s.id = m.segment_id and s.type = 'static') offset 0)`,
    atLeast: (event, wanted, count) => {
      const conditions = [
        sql`happened.tenant_id = ${at('tenant_id')}`,
        sql`happened.contact_id = ${at('id')}`,
        sql`happened.type = ${event}`,
        sql`not happened.automated`,
        ...wanted,
      ];
      const found = sql`from ${timeline} happened where ${sql.join(conditions, sql` and `)}`;
      if (count === 1) return sql`exists (select 1 ${found} offset 0)`;
      // The limit stops counting as soon as the result is known.
      return sql`((select count(*) from (select 1 ${found} limit ${count}::int) counted) >= ${count}::int)`;
    },
  };
}
