import { rows, sql, type EntityManager, type RawBuilder } from '../../../db/orm.ts';
import type { ScheduledTrigger } from '../definition/trigger-schedule.ts';
import { dueDates } from './due-dates.ts';
import type { Entrant } from './enter-contacts.ts';

export type DateTrigger = Extract<ScheduledTrigger, { type: 'DATE' }>;

const DAY_MS = 86_400_000;
const COLUMNS: Record<string, string> = { createdAt: 'created_at', updatedAt: 'updated_at' };
const CUSTOM_PREFIX = 'customFields.';

/** The text `YYYY-MM-DD` of a contact's field; a time counts as its date in the contact's timezone. */
function dateOf(field: string): RawBuilder<unknown> {
  const column = COLUMNS[field];
  if (column) return sql`to_char(${sql.ref(`c.${column}`)} at time zone z.zone, 'YYYY-MM-DD')`;
  return sql`(c.custom_fields ->> ${field.slice(CUSTOM_PREFIX.length)}::text)`;
}

/** For times: a range of their column that is surely wide enough, so that an index finds the contacts. */
function within(field: string, days: readonly string[]): RawBuilder<unknown> {
  const column = COLUMNS[field];
  if (!column) return sql`true`;
  const bounds = days.toSorted();
  const from = new Date(Date.parse(bounds[0]!) - DAY_MS);
  const to = new Date(Date.parse(bounds.at(-1)!) + 2 * DAY_MS);
  return sql`${sql.ref(`c.${column}`)} between ${from}::timestamptz and ${to}::timestamptz`;
}

/**
 * The next contacts after the id `after`, ascending, whose moment of a DATE trigger is in the window: later than
 * `after` and not later than `until`. A moment is the field's date plus the offset, at the trigger's time in the
 * contact's timezone; UTC if it has none, or one that Postgres does not know. Of a local time that occurs twice,
 * Postgres takes the one in standard time; one that is skipped is later by what the clocks skip. Contacts that were
 * created after their moment are left out.
 */
export async function dueContacts(
  tx: EntityManager,
  tenantId: string,
  trigger: DateTrigger,
  window: { after: Date; until: Date },
  { after, limit }: { after: number; limit: number },
): Promise<Entrant[]> {
  const { field, time, annual = false } = trigger;
  const dates = dueDates(trigger, window);
  const date = dateOf(field);
  const compared = annual ? sql`substr(${date}, 6)` : date;
  const column = annual
    ? sql`true`
    : within(
        field,
        dates.map((due) => due.date),
      );
  const found = await rows<{ contact_id: number; day: string }>(
    tx,
    sql`
    select c.id as contact_id, d.day
    from contacts c
    cross join lateral (
      select case when lower(c.timezone) in (select lower(name) from pg_timezone_names) then c.timezone else 'UTC' end as zone) z
    join jsonb_to_recordset(${JSON.stringify(dates)}::jsonb) as d(day text, date text, latest text) on d.date = ${compared}
    cross join lateral (select (d.day::date + ${time}::time) at time zone z.zone as moment) m
    where c.tenant_id = ${tenantId} and c.id > ${after} and ${column} and ${date} <= d.latest
      and m.moment > ${window.after}::timestamptz and m.moment <= ${window.until}::timestamptz and m.moment >= c.created_at
    order by c.id limit ${limit}`,
  );
  return found.map((row) => ({ contactId: row.contact_id, entryKey: `date/${row.day}` }));
}
