import { sql } from 'kysely';
import { eventField } from '../filter/filter-fields.ts';
import type { EventLeaf } from '../filter/filter.ts';
import { momentBefore, type Now } from '../filter/relative-time.ts';
import { compareOperand, type Condition, type Operand } from '../filter/operand.ts';
import type { Sources } from './sources.ts';

export interface EventContext {
  sources: Sources;
  now: Now;
  /** In a campaign: the execution for which the filter is evaluated. */
  execution?: { id: number; startedAt: Date };
}

const data = sql.ref('happened.data');

/**
 * Compiles an event leaf to SQL: compares the number of matching activities of the contact with `count`. Automated
 * activities do not count; EMAIL_SENT and MESSAGE_SENT count only what was sent, not what failed. There is no upper bound in time: an
 * event whose time is slightly ahead, because of another machine's clock, would be missed for good.
 */
export function compileEvent(leaf: EventLeaf, context: EventContext): Condition {
  const { sources } = context;
  const wanted = wantedActivities(leaf, context);
  const { operator, count = 1 } = leaf;
  if (operator === 'none' || (operator === 'atMost' && count === 0))
    return sql`not ${sources.atLeast(leaf.event, wanted, 1)}`;
  if (operator === 'atMost') return sql`not ${sources.atLeast(leaf.event, wanted, count + 1)}`;
  return sources.atLeast(leaf.event, wanted, count);
}

/** The conditions on activities (`happened`, already limited to the event and not automated) that a leaf counts. */
export function wantedActivities(leaf: EventLeaf, { now, execution }: Omit<EventContext, 'sources'>): Condition[] {
  const since = leaf.withinDays === undefined ? execution?.startedAt : momentBefore(now, leaf.withinDays, 'instant');
  return [
    ...(since ? [sql<boolean>`happened.occurred_at >= ${since}::timestamptz`] : []),
    ...(leaf.event === 'EMAIL_SENT' || leaf.event === 'MESSAGE_SENT' ? [sql<boolean>`happened.status = 'SENT'`] : []),
    ...(leaf.where ?? []).map((where) => compareOperand(dataOperand(where.field, leaf, execution), where, now)),
  ];
}

/** A data field of an activity. Ids are compared as text, as they appear in JSON. */
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
