import { rows, sql, type EntityManager, type RawBuilder } from '../../../db/orm.ts';
import type { ScheduledTrigger } from '../../campaign-definitions/trigger-schedule.ts';
import { dueDates, momentDays } from './due-dates.ts';
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

/** Which contacts are due: those whose moment of the trigger is later than `after` and not later than `until`. */
export interface Due {
  tenantId: string;
  trigger: DateTrigger;
  after: Date;
  until: Date;
}

/**
 * A query of those among `contacts` that are due, with the columns contact_id and day. A moment is the field's date
 * plus the offset, at the trigger's time in the contact's timezone; UTC if it has none, or one that Postgres does not
 * know. Of a local time that occurs twice, Postgres takes the one in standard time; one that is skipped is later by
 * what the clocks skip. Contacts that were created after their moment are left out.
 */
function dueAmong(contacts: RawBuilder<unknown>, { tenantId, trigger, after, until }: Due): RawBuilder<unknown> {
  const { field, time, annual = false } = trigger;
  const dates = dueDates(trigger, { after, until });
  const date = dateOf(field);
  const column = annual
    ? sql`true`
    : within(
        field,
        dates.map((due) => due.date),
      );
  // The known names are read once, because that takes Postgres some 20 ms.
  return sql`
    with zones as materialized (select lower(name) as name from pg_timezone_names)
    select c.id as contact_id, d.day
    from ${contacts} c
    cross join lateral (
      select case when lower(c.timezone) in (select name from zones) then c.timezone else 'UTC' end as zone) z
    join jsonb_to_recordset(${JSON.stringify(dates)}::jsonb) as d(day text, date text, latest text)
      on d.date = ${annual ? sql`substr(${date}, 6)` : date}
    cross join lateral (select (d.day::date + ${time}::time) at time zone z.zone as moment) m
    where c.tenant_id = ${tenantId} and ${column} and ${date} <= d.latest
      and m.moment > ${after}::timestamptz and m.moment <= ${until}::timestamptz and m.moment >= c.created_at`;
}

/** Whether a contact is due. */
export async function isAnyoneDue(tx: EntityManager, due: Due): Promise<boolean> {
  // An aggregate, and not the first row found: so all cores search, for mostly there is none.
  const [found] = await rows<{ first: number | null }>(
    tx,
    sql`select min(contact_id) as first from (${dueAmong(sql`contacts`, due)}) due`,
  );
  return found!.first !== null;
}

/** How many contacts one page looks at, at most. */
const SEARCHED = 20_000;

/** A part of the contacts that are due, in the order of their ids, and the last id that was looked at. */
export interface DuePage {
  entrants: Entrant[];
  cursor: number;
  done: boolean;
}

/** The contacts after the id `after` that are due: the next `limit`, or those among the next 20,000 contacts. */
export async function dueContacts(tx: EntityManager, due: Due, after: number, limit: number): Promise<DuePage> {
  const { tenantId } = due;
  const [next] = await rows<{ last: number | null; count: number }>(
    tx,
    sql`
    select max(id) as last, count(*) as count from (
      select id from contacts where tenant_id = ${tenantId} and id > ${after} order by id limit ${SEARCHED}) next`,
  );
  const { last, count } = next!;
  if (last === null) return { entrants: [], cursor: after, done: true };
  // OFFSET 0: these contacts first, and then those of them that are due.
  const searched = sql`(
    select * from contacts where tenant_id = ${tenantId} and id > ${after} and id <= ${last} order by id offset 0)`;
  const found = await rows<{ contact_id: number; day: string }>(
    tx,
    sql`select * from (${dueAmong(searched, due)}) due order by contact_id limit ${limit}`,
  );
  const entrants = found.map((row) => ({ contactId: row.contact_id, entryKey: `date/${row.day}` }));
  if (entrants.length === limit) return { entrants, cursor: entrants.at(-1)!.contactId, done: false };
  return { entrants, cursor: last, done: count < SEARCHED };
}

/** A contact's date for a DATE trigger, in which timezone it is read, and the moments that follow from it, in order. */
export interface Moments {
  date: string | null;
  zone: string;
  moments: { day: string; at: Date }[];
}

/** The moments of one contact, whether they are past or not, as `dueContacts` finds them. */
export async function momentsOf(
  tx: EntityManager,
  { tenantId, trigger, contactId }: { tenantId: string; trigger: DateTrigger; contactId: number },
  now: Date,
): Promise<Moments> {
  const [found] = await rows<{ date: string | null; zone: string }>(
    tx,
    sql`
    select ${dateOf(trigger.field)} as date, z.zone from contacts c
    cross join lateral (
      select case when lower(c.timezone) in (select lower(name) from pg_timezone_names) then c.timezone else 'UTC' end as zone) z
    where c.tenant_id = ${tenantId} and c.id = ${contactId}`,
  );
  const { date, zone } = found!;
  // Of a field that is no date any more, old values may be anything.
  if (date === null || !/^\d{4}-\d{2}-\d{2}$/.test(date)) return { date: null, zone, moments: [] };
  const moments = await rows<{ day: string; at: Date }>(
    tx,
    sql`
    select d.day, (d.day::date + ${trigger.time}::time) at time zone ${zone} as at
    from unnest(${momentDays(trigger, date, now)}::text[]) as d(day) order by at`,
  );
  return { date, zone, moments };
}
