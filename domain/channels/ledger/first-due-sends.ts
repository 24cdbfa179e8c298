import { sql, type RawBuilder } from '../../../db/orm.ts';

/** More than the senders of a lane hold at once: six processes with the default number of connections. */
const MOST = 5_000;

/**
 * A query of the open sends that are due, the first of each tenant and lane. Senders take what was due first, so what
 * they hold, or leave alone, is among these: this reads little, however many wait.
 */
export const firstDueSends: RawBuilder<unknown> = sql`
  with recursive queues as (
    (select lane, tenant_id from message_sends where is_open order by lane, tenant_id limit 1)
    union all
    select n.lane, n.tenant_id from queues q cross join lateral (
      select lane, tenant_id from message_sends where is_open and (lane, tenant_id) > (q.lane, q.tenant_id)
      order by lane, tenant_id limit 1) n
  )
  select f.* from queues q cross join lateral (
    select * from message_sends where is_open and lane = q.lane and tenant_id = q.tenant_id and next_attempt_at <= now()
    order by next_attempt_at, id limit ${sql.lit(MOST)}) f`;
