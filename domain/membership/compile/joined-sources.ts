import type { FilterEvent } from '../../../events/contracts.ts';
import { sql, type RawBuilder } from 'kysely';
import { timeline } from '../../contact-values/timeline.ts';
import type { Condition } from '../filter/operand.ts';
import { qualificationOf, type Sources } from './sources.ts';
import type { SimulatedContact } from './simulated-contact.ts';
import { simulatedParts } from './simulated-parts.ts';

/** `Sources` that look up everything once per contact, however many leaves use it. */
export interface JoinedSources extends Sources {
  /** The number of activities that meet `wanted`. */
  counted: (event: FilterEvent, wanted: readonly Condition[]) => RawBuilder<unknown>;
  /** The ids of the contact's segments and lists. */
  members: RawBuilder<unknown>;
  lists: RawBuilder<unknown>;
  /** `from contacts c` with joins for everything that was requested so far. */
  from: () => RawBuilder<unknown>;
}

/** What is stored, for `from`; joins of a contact `c`. */
const STORED = {
  contacts: sql`contacts c`,
  companies: sql`left join companies k on k.tenant_id = c.tenant_id and k.id = c.company_id`,
  score: sql`coalesce(t.total, 0)`,
  memberships: sql`select b.segment_id from segment_members b where b.tenant_id = c.tenant_id and b.contact_id = c.id`,
  events: timeline,
};

/**
 * Creates sources for few contacts and many filters. Planning a hundred subqueries takes far longer than running them,
 * so the activities of a contact are read once, and each event leaf adds one count over them. With `simulated`, `from`
 * has these contacts, as they would be.
 */
export function createJoinedSources(simulated?: readonly SimulatedContact[]): JoinedSources {
  const events = new Set<FilterEvent>();
  const counts: RawBuilder<unknown>[] = [];
  const parts = simulated ? simulatedParts(simulated) : STORED;
  const score = parts.score;
  const counted = (event: FilterEvent, wanted: readonly Condition[]): RawBuilder<unknown> => {
    events.add(event);
    counts.push(sql`count(*) filter (where ${sql.join([sql`happened.type = ${event}`, ...wanted], sql` and `)})`);
    return sql`e.n[${sql.lit(counts.length)}]`;
  };
  const static_ = sql`array(select s.id from segments s where s.tenant_id = c.tenant_id and s.id = any(m.ids) and s.type = 'static' order by s.id)`;
  return {
    company: (column) => sql`k.${sql.ref(column)}`,
    score: () => score,
    qualification: () => qualificationOf(score, sql`l.warm`, sql`l.hot`),
    memberOf: (ids) => sql`(m.ids && ${[...ids]}::bigint[])`,
    memberOfAny: (kind) => (kind === 'all' ? sql`(cardinality(m.ids) > 0)` : sql`(cardinality(${static_}) > 0)`),
    counted,
    atLeast: (event, wanted, count) => sql`(${counted(event, wanted)} >= ${count}::int)`,
    members: sql`m.ids`,
    lists: static_,
    from: () => sql`from ${parts.contacts}
      ${parts.companies}
      left join score_totals t on t.tenant_id = c.tenant_id and t.subject = 'contact' and t.subject_id = c.id
      left join scoring_settings l on l.tenant_id = c.tenant_id
      cross join lateral (
        select array(${parts.memberships} order by 1) as ids) m
      ${
        counts.length === 0
          ? sql``
          : sql`cross join lateral (
        select array[${sql.join(counts)}]::bigint[] as n from ${parts.events} happened
        where happened.tenant_id = c.tenant_id and happened.contact_id = c.id and happened.type = any(${[...events]}::text[]) and not happened.automated) e`
      }`,
  };
}
