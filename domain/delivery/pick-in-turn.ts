import { sql, type RawBuilder } from '../../db/orm.ts';

/** A table whose rows are leased: emails, sends of messages, lanes of webhooks. The conditions are about its alias `l`. */
export interface LeasedTable {
  name: 'emails' | 'message_sends' | 'webhook_lanes';
  /** The column that identifies a row within its tenant. */
  key: 'id' | 'endpoint_id';
  /** What waits, leased rows included: an index finds the tenants that have some. */
  isWaiting: RawBuilder<unknown>;
  /** What of that may be leased now. */
  isFree: RawBuilder<unknown>;
  /** By what the oldest comes first: columns of the index. */
  order: RawBuilder<unknown>;
}

/**
 * Common table expressions up to `picked (tenant_id, <key>)`: at most `limit` free rows, locked, an equal number of
 * every tenant that has some, oldest first. To follow `with recursive`.
 *
 * The tenants are read from the index one by one, because a list of all waiting rows would be as long as the queue. Of
 * more tenants than `limit`, some get none, so their order is random. A tenant whose rows are all leased takes no
 * share from others; if only one tenant waits, it is not asked whether it has free rows.
 *
 * `except`: tenants of which nothing is picked. `most`: the most that is picked of some.
 */
export function pickInTurn(
  { name, key, isWaiting, isFree, order }: LeasedTable,
  {
    limit,
    except = [],
    most = {},
  }: { limit: number; except?: readonly string[]; most?: Readonly<Record<string, number>> },
): RawBuilder<unknown> {
  const table = sql.table(name);
  const mostOfTenant = sql`(${JSON.stringify(most)}::jsonb ->> tenants.tenant_id)::int`;
  const isFreeOf = (tenant: RawBuilder<unknown>) => sql`${isWaiting} and l.tenant_id = ${tenant} and ${isFree}`;
  return sql`
    tenants as (
      (select l.tenant_id from ${table} l where ${isWaiting} order by l.tenant_id limit 1)
      union all
      select (select l.tenant_id from ${table} l where ${isWaiting} and l.tenant_id > tenants.tenant_id order by l.tenant_id limit 1)
      from tenants where tenants.tenant_id is not null
    ), chosen as materialized (
      select tenant_id, least(ceil(${limit}::numeric / count(*) over ())::int, ${mostOfTenant}) as share
      -- Looked up per tenant: a join would read all waiting rows.
      from tenants cross join lateral (
        (select 1 where (select count(tenant_id) from tenants) = 1) union all
        (select 1 from ${table} l where ${isFreeOf(sql`tenants.tenant_id`)} order by ${order} limit 1) limit 1) free
      where tenants.tenant_id is not null and tenants.tenant_id <> all(${except}::text[]) and coalesce(${mostOfTenant}, 1) > 0
      order by random()
    ), picked as materialized (
      select p.* from chosen cross join lateral (
        select l.tenant_id, l.${sql.ref(key)} from ${table} l where ${isFreeOf(sql`chosen.tenant_id`)}
        order by ${order} limit chosen.share
        for update skip locked) p
      limit ${limit}
    )`;
}
