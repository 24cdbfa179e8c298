import { sql, type RawBuilder } from 'kysely';
import { eventField } from './filter-fields.ts';
import type { EventLeaf } from './filter.ts';
import { compareOperand, type Condition, type Operand } from './operand.ts';

export interface EventContext {
  /** Alias of the row of `contacts` that is judged. */
  alias: string;
  now: Date;
  /** In a campaign: the execution that asks. */
  execution?: { id: number; startedAt: Date };
}

const DAY_MS = 86_400_000;
const data = sql.ref('happened.data');

/**
 * An event leaf as SQL: how many recorded activities of the contact it means, compared with its count. Automated ones do
 * not count, and of EMAIL_SENT only emails that were sent (the event also tells of failed and suppressed ones). There is
 * no upper bound in time: an event that another machine's clock puts slightly ahead would be missed for good.
 */
export function compileEvent(leaf: EventLeaf, context: EventContext): Condition {
  const { alias, now, execution } = context;
  const since = leaf.withinDays === undefined ? execution?.startedAt : new Date(now.getTime() - leaf.withinDays * DAY_MS);
  const conditions = [
    sql`happened.tenant_id = ${sql.ref(`${alias}.tenant_id`)}`,
    sql`happened.contact_id = ${sql.ref(`${alias}.id`)}`,
    sql`happened.type = ${leaf.event}`,
    sql`not happened.automated`,
    ...(since ? [sql`happened.occurred_at >= ${since}::timestamptz`] : []),
    ...(leaf.event === 'EMAIL_SENT' ? [sql`happened.data ->> 'status' = 'SENT'`] : []),
    ...(leaf.where ?? []).map((where) => compareOperand(dataOperand(where.field, leaf, execution), where, now)),
  ];
  const found = sql`from contact_activities happened where ${sql.join(conditions, sql` and `)}`;
  const { operator, count = 1 } = leaf;
  if (operator === 'none' || (operator === 'atMost' && count === 0)) return sql`not exists (select 1 ${found})`;
  if (operator === 'atMost') return sql`(${countUpTo(found, count + 1)} <= ${count}::int)`;
  return count === 1 ? sql`exists (select 1 ${found})` : sql`(${countUpTo(found, count)} >= ${count}::int)`;
}

/** Counting stops where the answer is known. */
function countUpTo(found: RawBuilder<unknown>, limit: number): RawBuilder<unknown> {
  return sql`(select count(*) from (select 1 ${found} limit ${limit}::int) counted)`;
}

/** Ids are compared as the text that they are in JSON. */
function dataOperand(field: string, leaf: EventLeaf, execution: EventContext['execution']): Operand {
  if (field === 'stepId') {
    const step = execution
      ? sql`(case when ${data} ->> 'executionId' = ${String(execution.id)}::text then ${data} ->> 'stepId' end)`
      : sql`null::text`;
    return { stored: 'text', value: step };
  }
  const known = eventField(leaf.event, field);
  return { stored: 'text', value: known ? sql`(${data} ->> ${sql.lit(field)})` : sql`null::text` };
}
