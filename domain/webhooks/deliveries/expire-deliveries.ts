import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { LANE_LEASE_SECONDS } from './lanes.ts';

/** How long deliveries are kept, and may be sent. */
export const KEPT_DAYS = 30;
const PAGE = 5_000;

/**
 * Ends deliveries that were not delivered within the days for which they are kept. Returns how many; call it until that
 * is 0. Runs an engine transaction.
 */
export async function expireDeliveries(em: EntityManager): Promise<number> {
  const expired = await em.transactional((tx) =>
    rows(
      tx,
      sql`
      update webhook_deliveries d set status = 'FAILED', reason = 'too_old', next_attempt_at = null from (
        select endpoint_id, sequence, day from webhook_deliveries
        where day <= current_date - ${KEPT_DAYS}::int and at < now() - make_interval(days => ${KEPT_DAYS}) and status in ('PENDING', 'SENDING')
        limit ${PAGE} for update skip locked) p
      where d.endpoint_id = p.endpoint_id and d.sequence = p.sequence and d.day = p.day returning 1`,
    ),
  );
  return expired.length;
}

/**
 * Deletes what was told to endpoints that were deleted. Returns how many deliveries; call it until that is 0. Runs an
 * engine transaction.
 */
export async function deleteAbandoned(em: EntityManager): Promise<number> {
  return em.transactional(async (tx) => {
    const [lane] = await rows<{ tenant_id: string; endpoint_id: number }>(
      tx,
      sql`
      select tenant_id, endpoint_id from webhook_lanes
      -- Not before its holder has given it back: an erasure waits for that.
      where deleted_at is not null and (holder is null or deleted_at < now() - make_interval(secs => ${LANE_LEASE_SECONDS})) order by endpoint_id limit 1 for update skip locked`,
    );
    if (!lane) return 0;
    const deleted = await rows(
      tx,
      sql`
      with gone as (
        delete from webhook_deliveries d using (
          select sequence, day from webhook_deliveries where endpoint_id = ${lane.endpoint_id} limit ${PAGE}) p
        where d.endpoint_id = ${lane.endpoint_id} and d.sequence = p.sequence and d.day = p.day returning d.sequence, d.day, d.attempts
      ), attempts as (
        delete from webhook_attempts a using gone g
        where a.endpoint_id = ${lane.endpoint_id} and a.sequence = g.sequence and a.day = g.day
      )
      select 1 from gone`,
    );
    if (deleted.length === 0)
      await rows(
        tx,
        sql`delete from webhook_lanes where tenant_id = ${lane.tenant_id} and endpoint_id = ${lane.endpoint_id}`,
      );
    return Math.max(1, deleted.length);
  });
}
