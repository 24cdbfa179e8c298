import { engineEm, freshTransaction, rows, sql, type Orm } from '../../../db/orm.ts';
import { customFieldTypes } from '../../contact-values/custom-field-types.ts';
import { beginBuilds } from './build-segment.ts';
import { clockLeaves, crossing } from '../filter/clock-leaves.ts';
import type { Filter } from '../filter/filter.ts';
import { lockDefinitions } from './lock-definitions.ts';
import { refreshMemberships } from './refresh-memberships.ts';

const DUE_SECONDS = 50;
/** Each sweep overlaps the last one by this much, to find changes that clock skew or long transactions hid from it. */
const OVERLAP_MS = 5 * 60_000;
const AT_ONCE = 500;

interface Due {
  tenantId: string;
  id: number;
  build: number;
  filter: Filter;
  sweptAt: Date | null;
}

/**
 * Updates the members of segments as time passes, with SEGMENT_ENTERED and SEGMENT_LEFT: re-evaluates the contacts for
 * whom an event or date has crossed a time limit since the last sweep. One process at a time; `now` is for tests.
 */
export async function sweepSegments(orm: Orm, now?: Date): Promise<void> {
  await engineEm(orm).transactional(async (alone) => {
    const [turn] = await rows<{ mine: boolean; now: Date }>(
      alone,
      sql`
      select pg_try_advisory_xact_lock(hashtext('sweep of segments'), 0) as mine, clock_timestamp() as now`,
    );
    if (!turn!.mine) return;
    const errors: unknown[] = [];
    for (const due of await dueAt(orm, now ?? turn!.now))
      await sweep(orm, due, now ?? turn!.now, now).catch((error: unknown) => errors.push(error));
    if (errors.length > 0) throw errors[0];
  });
}

/** The segments due for a sweep: their members change with time. Rows older than the column have no `sweptAt`. */
async function dueAt(orm: Orm, now: Date): Promise<Due[]> {
  const found = await engineEm(orm).transactional((tx) =>
    rows<Due>(
      tx,
      sql`
    select tenant_id as "tenantId", id, build, filter, swept_at as "sweptAt" from segments
    where type = 'dynamic' and status = 'READY' and (swept_at <= ${now}::timestamptz - make_interval(secs => ${DUE_SECONDS})
      or (swept_at is null and filter::text ~ 'within(Last)?Days'))
    order by swept_at nulls first, id`,
    ),
  );
  return found.filter(({ filter }) => clockLeaves(filter).length > 0);
}

async function sweep(
  orm: Orm,
  { tenantId, id, build, filter, sweptAt }: Due,
  to: Date,
  now: Date | undefined,
): Promise<void> {
  if (sweptAt === null) {
    await engineEm(orm).transactional(async (tx) => {
      await lockDefinitions(tx, tenantId);
      await beginBuilds(tx, tenantId, (segment) => segment.id === id && segment.sweptAt === null);
    });
    return;
  }
  const from = new Date(sweptAt.getTime() - OVERLAP_MS);
  const contacts = await engineEm(orm).transactional(async (tx) => {
    const customFields = await customFieldTypes(tx, tenantId);
    const queries = clockLeaves(filter).flatMap((leaf) => crossing(tenantId, leaf, from, to, customFields) ?? []);
    if (queries.length === 0) return [];
    return rows<{ contact_id: number }>(
      tx,
      sql`select distinct contact_id from (${sql.join(queries, sql` union all `)}) x order by contact_id`,
    );
  });
  for (let at = 0; at < contacts.length; at += AT_ONCE) {
    const ids = contacts.slice(at, at + AT_ONCE).map((row) => row.contact_id);
    await freshTransaction(engineEm(orm), (tx) =>
      refreshMemberships(tx, tenantId, ids, { causes: [`segment:${id}`], ...(now ? { now } : {}) }),
    );
  }
  await engineEm(orm).transactional((tx) =>
    rows(
      tx,
      sql`
    update segments set swept_at = ${to}::timestamptz where tenant_id = ${tenantId} and id = ${id} and build = ${build} and status = 'READY'`,
    ),
  );
}
