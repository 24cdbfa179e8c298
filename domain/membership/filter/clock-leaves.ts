import { sql, type RawBuilder } from 'kysely';
import { timeline } from '../../contact-values/timeline.ts';
import type { CustomFieldType } from '../../contact-values/custom-values.ts';
import { isEventLeaf, isGroup, type Filter } from './filter.ts';
import { momentBefore } from './relative-time.ts';

/** A leaf whose result can change by time alone: events leave its window, or a date enters the window and leaves it. */
type ClockLeaf = { event: string; days: number } | { field: string; days: number };

/**
 * The leaves of a filter whose result depends on the current time. All others compare stored values with constants of
 * the filter, so their result does not change as time passes.
 */
export function clockLeaves(filter: Filter): ClockLeaf[] {
  if (isGroup(filter)) return filter.conditions.flatMap(clockLeaves);
  if (isEventLeaf(filter))
    return filter.withinDays === undefined ? [] : [{ event: filter.event, days: filter.withinDays }];
  return filter.operator === 'withinLastDays' ? [{ field: filter.field, days: Number(filter.value) }] : [];
}

const COLUMNS: Record<string, string> = { createdAt: 'created_at', updatedAt: 'updated_at' };

/**
 * A query for the contacts (`contact_id`, maybe repeated) for whom a leaf's result may change between two times by time
 * alone. Null if there can be none.
 *
 * An event counts until `withinDays` after it happened, so the events of [from - N d, to - N d) no longer count. There
 * is no upper bound, so no event starts to count. A time matches `withinLastDays` from when it is reached until N d
 * later. Dates of custom fields change by days in UTC, so nothing changes before midnight.
 */
export function crossing(
  tenantId: string,
  leaf: ClockLeaf,
  from: Date,
  to: Date,
  customFields: ReadonlyMap<string, CustomFieldType>,
): RawBuilder<unknown> | null {
  const before = (time: Date, form: 'instant' | 'day') => momentBefore(time, leaf.days, form);
  if ('event' in leaf) {
    return sql`select contact_id from ${timeline} t where tenant_id = ${tenantId} and type = ${leaf.event} and not automated
      and occurred_at >= ${before(from, 'instant')}::timestamptz and occurred_at < ${before(to, 'instant')}::timestamptz`;
  }
  const column = COLUMNS[leaf.field];
  if (column) {
    const at = sql.ref(column);
    return sql`select id as contact_id from contacts where tenant_id = ${tenantId}
        and ${at} >= ${before(from, 'instant')}::timestamptz and ${at} < ${before(to, 'instant')}::timestamptz
      union all select id from contacts where tenant_id = ${tenantId} and ${at} > ${from}::timestamptz and ${at} <= ${to}::timestamptz`;
  }
  const name = leaf.field.slice('customFields.'.length);
  const day = (time: Date) => momentBefore(time, 0, 'day');
  if (!customFields.has(name) || day(from) === day(to)) return null;
  const value = sql`(custom_fields ->> ${name}::text) collate "C"`;
  return sql`select id as contact_id from contacts where tenant_id = ${tenantId} and custom_fields ? ${name}::text and (
    (${value} >= ${before(from, 'day')}::text and ${value} < ${before(to, 'day')}::text) or (${value} > ${day(from)}::text and ${value} <= ${day(to)}::text))`;
}
