import type { Deps } from '../runtime/deps.ts';
import { engineEm, rows, sql } from '../db/orm.ts';
import { KEPT_DAYS } from '../domain/webhooks/deliveries/expire-deliveries.ts';

/**
 * Creates the partitions of the inbox for today and the next days, and of analytics_events for this month and the next
 * ones, and of what webhooks have told, and drops those old enough that nothing is redelivered from them, or asked of them. Each waits for the
 * transactions of consumers, and all others wait behind it, so it gives up soon and is retried the next time. Throws the
 * first error after all were tried.
 */
export async function keepPartitions({ orm, env }: Pick<Deps, 'orm' | 'env'>): Promise<void> {
  const errors: unknown[] = [];
  for (const statement of [
    sql`select ensure_inbox_partition(current_date + n) from generate_series(0, 2) n`,
    sql`select drop_inbox_partitions(current_date - 30)`,
    sql`select ensure_analytics_partition((current_date + make_interval(months => n))::date) from generate_series(0, 2) n`,
    sql`select drop_analytics_partitions(current_date - ${env.ANALYTICS_EVENTS_DAYS}::int)`,
    sql`select ensure_webhook_partitions(current_date + n) from generate_series(0, 2) n`,
    sql`select drop_webhook_partitions(current_date - ${KEPT_DAYS + 1}::int)`,
  ]) {
    try {
      await engineEm(orm).transactional(async (tx) => {
        await rows(tx, sql`set local lock_timeout = '500ms'`);
        await rows(tx, statement);
      });
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
}
