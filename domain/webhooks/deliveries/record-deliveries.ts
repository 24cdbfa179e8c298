import { preparedHint, rows, sql, type EntityManager } from '../../../db/orm.ts';
import { touchOutbox } from '../../../events/outbox.ts';
import { subjectOf } from '../content/subject.ts';
import type { Match } from './endpoint-cache.ts';
import { MOST_ATTEMPTS } from './schedule.ts';

/** A match, and the contact that its event is about: the one it was merged into, if it was. */
export type MatchAbout = Match & { contactId: number | null };

interface Numbered {
  endpoint_id: number;
  /** The number before its first new one. */
  before: number;
  at: string;
}

/**
 * Numbers the deliveries of events for each endpoint that wants them, and stores events and deliveries, in the engine
 * transaction `tx`. The lane of an endpoint is locked until the commit, so its numbers have no gaps and become visible
 * in their order. An endpoint that was deleted meanwhile gets none. What is about a person whose erasure was requested is
 * numbered, but not kept, and FAILED. Returns the number of deliveries.
 */
export async function recordDeliveries(tx: EntityManager, matches: readonly MatchAbout[]): Promise<number> {
  const lanes = await number(tx, matches);
  const last = new Map(lanes.map((lane) => [lane.endpoint_id, lane.before]));
  const deliveries = matches.flatMap(({ event, endpointIds }) =>
    endpointIds.flatMap((id) => {
      const before = last.get(id);
      if (before === undefined) return [];
      last.set(id, before + 1);
      return [{ e: id, s: before + 1, v: event.id }];
    }),
  );
  if (deliveries.length === 0) return 0;
  await store(tx, lanes[0]!.at, matches, deliveries, await erasedAmong(tx, matches));
  touchOutbox(
    tx,
    'webhook_lanes',
    [...last].map(([id, sequence]) => `${id}:${sequence}`),
  );
  return deliveries.length;
}

/**
 * Locks the lanes and takes as many numbers as each needs. All get one time, which is not before those of their last
 * deliveries: so an endpoint's times are in the order of its numbers, even if the clock steps back.
 */
async function number(tx: EntityManager, matches: readonly MatchAbout[]): Promise<Numbered[]> {
  const wanted = new Map<number, { t: string; e: number; n: number }>();
  for (const { event, endpointIds } of matches) {
    for (const e of endpointIds) {
      const one = wanted.get(e) ?? { t: event.tenantid, e, n: 0 };
      one.n += 1;
      wanted.set(e, one);
    }
  }
  if (wanted.size === 0) return [];
  return rows<Numbered>(
    tx,
    sql`${preparedHint}
    with asked as materialized (
      select * from json_to_recordset(${JSON.stringify([...wanted.values()])}::json) as r(t text, e bigint, n int)
    ), locked as materialized (
      select l.tenant_id, l.endpoint_id, l.last_at, a.n from asked a
      join webhook_lanes l on l.tenant_id = a.t and l.endpoint_id = a.e and l.deleted_at is null
      order by l.endpoint_id for update of l
    ), moment as materialized (
      -- Materialized, because otherwise it is computed from all lanes again for each lane.
      select greatest(now(), max(last_at))::timestamptz(3) as at from locked
    )
    update webhook_lanes l set last_sequence = l.last_sequence + k.n, last_at = m.at,
      -- A holder looks for itself; an endpoint that is not active has nothing due.
      due_at = case when l.active and l.holder is null then least(coalesce(l.due_at, now()), now()) else l.due_at end
    from locked k, moment m where l.tenant_id = k.tenant_id and l.endpoint_id = k.endpoint_id
    returning l.endpoint_id, l.last_sequence - k.n as before, m.at::text as at`,
  );
}

/** The contacts that were or will be erased, as `tenant/id`. */
async function erasedAmong(tx: EntityManager, matches: readonly MatchAbout[]): Promise<Set<string>> {
  const contacts = [...new Set(matches.flatMap(({ contactId }) => contactId ?? []))];
  if (contacts.length === 0) return new Set();
  const tenants = [...new Set(matches.map(({ event }) => event.tenantid))];
  const found = await rows<{ contact: string }>(
    tx,
    sql`${preparedHint}
    select tenant_id || '/' || contact_id as contact from erasures
    where tenant_id = any(${tenants}::text[]) and contact_id = any(${contacts}::bigint[]) and status <> 'FAILED'`,
  );
  return new Set(found.map(({ contact }) => contact));
}

async function store(
  tx: EntityManager,
  at: string,
  matches: readonly MatchAbout[],
  deliveries: readonly { e: number; s: number; v: string }[],
  erased: ReadonlySet<string>,
): Promise<void> {
  const told = new Set(deliveries.map(({ v }) => v));
  const events = matches
    .filter(({ event }) => told.has(event.id))
    .map(({ event, contactId }) => ({
      ...{ v: event.id, t: event.tenantid, y: event.type, i: event.time, q: event.requestid, c: contactId },
      u: subjectOf(event, contactId),
      d: erased.has(`${event.tenantid}/${contactId}`) ? null : event.data,
    }));
  await rows(
    tx,
    sql`${preparedHint}
    with event as materialized (
      select nextval('webhook_events_id_seq') as id, r.*
      from json_to_recordset(${JSON.stringify(events)}::json)
        as r(v uuid, t text, y text, i timestamptz, q text, c bigint, u text, d json)
    ), told as (
      insert into webhook_events (id, day, tenant_id, event_id, type, time, request_id, contact_id, data)
      select id, (${at}::timestamptz)::date, t, v, y, i, q, c, d from event order by id
    )
    insert into webhook_deliveries (endpoint_id, sequence, day, tenant_id, event, type, subject, at, status, reason, most_attempts)
    select r.e, r.s, (${at}::timestamptz)::date, event.t, event.id, event.y, event.u, ${at}::timestamptz,
      case when event.d is null then 'FAILED' else 'PENDING' end, case when event.d is null then 'erased' end, ${MOST_ATTEMPTS}
    from json_to_recordset(${JSON.stringify(deliveries)}::json) as r(e bigint, s bigint, v uuid) join event on event.v = r.v
    order by r.e, r.s`,
  );
}
