import { sql, type RawBuilder } from 'kysely';
import type { CustomFieldType } from '../../contacts/values/custom-values.ts';
import { isEventLeaf, isGroup, type Filter } from './filter.ts';
import { momentBefore } from './relative-time.ts';

/** A leaf whose verdict time alone can change: events leave its window, or a time comes into it and leaves it again. */
type ClockLeaf = { event: string; days: number } | { field: string; days: number };

/**
 * The leaves of a filter that hang on the clock. All others compare what is stored with what the filter says, which time
 * does not touch: a date that has passed is as much before the first of May as it ever was.
 */
export function clockLeaves(filter: Filter): ClockLeaf[] {
  if (isGroup(filter)) return filter.conditions.flatMap(clockLeaves);
  if (isEventLeaf(filter))
    return filter.withinDays === undefined ? [] : [{ event: filter.event, days: filter.withinDays }];
  return filter.operator === 'withinLastDays' ? [{ field: filter.field, days: Number(filter.value) }] : [];
}

const COLUMNS: Record<string, string> = { createdAt: 'created_at', updatedAt: 'updated_at' };

/**
 * A query of the contacts (`contact_id`, repeated) for whom a leaf's verdict may change between two times without anything
 * being written: whatever the groups around it say, nobody else's does. Null when there can be none.
 *
 * An event counts until `withinDays` after it happened, so those count no more that happened in [from - N d, to - N d); there
 * is no upper bound that one could come under. A time is `withinLastDays` from when it is reached until N d later. A date
 * of a custom field does so by the day in UTC, so nothing changes before midnight.
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
    return sql`select contact_id from contact_activities where tenant_id = ${tenantId} and type = ${leaf.event} and not automated
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
