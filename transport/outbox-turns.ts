import type pg from 'pg';
import type { EventBatch } from '../events/contracts.ts';

/** About the most rows, and the most tenants, that are taken together. */
const ROWS = 500;
/** Nothing more is taken once the events of the rows have so many bytes in the table: some 2,000 events. */
const BYTES = 256 * 1024;

export interface OutboxRow {
  id: number;
  batch_id: string;
  tenant_id: string;
  type: EventBatch['type'];
  occurred_at: Date;
  request_id: string | null;
  events: EventBatch['events'];
}

interface TakenRow extends OutboxRow {
  /** Its place among those that were found, and how many these are. */
  place: number;
  found: number;
  oldest: Date;
}

interface Turn {
  /** By id. */
  rows: OutboxRow[];
  /** The time of the oldest first row of a tenant, of these rows and those that wait; null if there are none. */
  oldest: Date | null;
  /** Whether there are more rows. */
  more: boolean;
}

/**
 * Deletes and returns rows. `walk` goes from one tenant that has rows to the next by name, beginning after $1, then from
 * the first one up to $1. Of each, as many rows as its share of $2 are taken in their order, until all have $3 bytes.
 * Tenants are compared by bytes, so one with large rows does not get more than one with many small ones. All of this is
 * one statement, because it must see all rows at the same moment: else one could overtake an earlier one.
 */
const TAKE = `
  with recursive walk as (
    select $1::text as tenant, 0::bigint as id, null::timestamptz(3) as at, false as again, 0 as place
    union all
    select next.tenant, next.id, next.at, next.again, walk.place + 1 from walk cross join lateral (
      (select tenant_id as tenant, id, occurred_at as at, walk.again from outbox_events
        where tenant_id > walk.tenant order by tenant_id, id limit 1)
      union all
      (select tenant_id, id, occurred_at, true from outbox_events where not walk.again order by tenant_id, id limit 1)
      limit 1) next
    where not next.again or next.tenant <= $1
  ), tenants as (
    select tenant, id, place, ceil($2::numeric / count(*) over ())::int as share from walk where place between 1 and $2
  ), oldest as (
    select r.tenant_id, r.id, r.bytes, t.place, row_number() over own <= t.share as is_in_share, sum(r.bytes) over own - r.bytes as before
    from tenants t cross join lateral (
      select tenant_id, id, pg_column_size(events) as bytes from outbox_events
      where tenant_id = t.tenant and id >= t.id order by id limit t.share + 1) r
    window own as (partition by r.tenant_id order by r.id)
  ), found as (
    select tenant_id, id, is_in_share, row_number() over turns as place, sum(bytes) over turns - bytes as before, count(*) over () as found
    from oldest window turns as (order by before, place, id)
  )
  delete from outbox_events o using found f
  where o.tenant_id = f.tenant_id and o.id = f.id and f.is_in_share and f.before < $3
  returning o.id, o.batch_id, o.tenant_id, o.type, o.occurred_at, o.request_id, o.events, f.place, f.found,
    (select min(at) from walk) as oldest`;

/**
 * Takes rows out of `outbox_events`: of each tenant the oldest ones, so that nobody waits for what another tenant has
 * written in bulk. Tenants take turns, from one call to the next.
 */
export class OutboxTurns {
  /** The tenant that had the last turn. */
  #last = '';

  /** Deletes the rows in the transaction of `client`. */
  async take(client: pg.ClientBase): Promise<Turn> {
    const { rows } = await client.query<TakenRow>(TAKE, [this.#last, ROWS, BYTES]);
    const [first] = rows;
    if (!first) return { rows, oldest: null, more: false };
    const { found, oldest } = first;
    this.#last = rows.reduce((last, row) => (row.place > last.place ? row : last)).tenant_id;
    return { rows: rows.sort((a, b) => a.id - b.id), oldest, more: rows.length < found || rows.length >= ROWS };
  }
}
