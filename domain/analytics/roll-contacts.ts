import { engineEm, preparedHint, rows, sql, type EntityManager, type Orm } from '../../db/orm.ts';
import { contactMetric, dimensionIds, hasContact, type Dimension } from './contacts/dimensions.ts';
import { addToSets, bitsWith, chunkOf, setsLock } from './contacts/sets.ts';

/** An hour is made into sets when it has been over for so long, or unchanged for a minute; a day when it has been over. */
const SETTLED = sql`interval '5 minutes'`;
const AT_ONCE = 1_000;

interface Due {
  tenant_id: string;
  minutes: 60 | 1440;
  at: Date;
}

/**
 * Makes the sets of contacts of all hours that changed, from their events, and of all days, from their hours. Figures are
 * right without this, but take longer to read. Any number of processes may do this at once.
 */
export async function rollContacts(orm: Orm): Promise<void> {
  for (const minutes of [60, 1440] as const) {
    for (let rolled = 1; rolled > 0;) {
      const due = await dueOf(engineEm(orm), minutes);
      rolled = 0;
      for (const one of due) if (await engineEm(orm).transactional((tx) => roll(tx, one))) rolled += 1;
      if (due.length < AT_ONCE) break;
    }
  }
}

const dueOf = (em: EntityManager, minutes: number): Promise<Due[]> =>
  em.transactional((tx) =>
    rows<Due>(
      tx,
      sql`
      select tenant_id, minutes, at from analytics_rollups r where minutes = ${minutes}::smallint and rolled_changes <> changes
        and (at < now() - ${SETTLED} - make_interval(mins => minutes) or minutes = 60 and changed_at < now() - interval '1 minute')
        and ${hoursAreRolled}
      order by at, tenant_id limit ${AT_ONCE}`,
    ),
  );

/** Whether `r` is an hour, or a day without hours that are not rolled. */
const hoursAreRolled = sql`(r.minutes = 60 or not exists (
  select 1 from analytics_rollups h where h.tenant_id = r.tenant_id and h.minutes = 60 and h.at >= r.at and h.at < r.at + interval '1 day'
    and h.rolled_changes <> h.changes))`;

/**
 * Makes the sets of an hour or a day. Returns false if another process changes sets of the tenant. Reads the number of
 * changes and what they were in one statement, so what comes meanwhile is another change.
 */
async function roll(tx: EntityManager, { tenant_id: tenantId, minutes, at }: Due): Promise<boolean> {
  const [lock] = await rows<{ taken: boolean }>(
    tx,
    sql`select pg_try_advisory_xact_lock(${setsLock(tenantId)}) as taken`,
  );
  if (!lock!.taken) return false;
  const rolled = await rows(
    tx,
    sql`${preparedHint}
    with due as materialized (
      select r.tenant_id, r.minutes, r.at, r.changes from analytics_rollups r
      where r.tenant_id = ${tenantId} and r.minutes = ${minutes}::smallint and r.at = ${at}::timestamptz and ${hoursAreRolled}),
    made as (
      insert into analytics_contact_sets (tenant_id, dimension, minutes, at, dimension_id, metric, chunk, bits)
      ${minutes === 60 ? fromEvents(tenantId, at) : fromHours(tenantId, at)} ${addToSets})
    update analytics_rollups r set rolled_changes = due.changes from due
    where r.tenant_id = due.tenant_id and r.minutes = due.minutes and r.at = due.at returning 1`,
  );
  return rolled.length > 0;
}

const dimensions = sql`values ${sql.join(
  Object.entries(dimensionIds).map(([dimension, id]) => sql`(${sql.lit(dimension as Dimension)}, ${id})`),
)}`;

const fromEvents = (tenantId: string, at: Date) => sql`
  select e.tenant_id, d.dimension, 60, ${at}::timestamptz, d.id, ${contactMetric}, ${chunkOf(sql`e.contact_id`)},
    bit_or(${bitsWith(sql`e.contact_id`)})
  from due cross join analytics_events e cross join lateral (${dimensions}) d(dimension, id)
  where e.tenant_id = ${tenantId} and e.at >= ${at}::timestamptz and e.at < ${at}::timestamptz + interval '1 hour'
    and ${hasContact} and d.id is not null
  group by 1, 2, 5, 6, 7`;

const fromHours = (tenantId: string, at: Date) => sql`
  select s.tenant_id, s.dimension, 1440, ${at}::timestamptz, s.dimension_id, s.metric, s.chunk, bit_or(s.bits)
  from due cross join analytics_contact_sets s
  where s.tenant_id = ${tenantId} and s.minutes = 60 and s.at >= ${at}::timestamptz and s.at < ${at}::timestamptz + interval '1 day'
  group by 1, 2, 5, 6, 7`;
