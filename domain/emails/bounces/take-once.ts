import { createHash } from 'node:crypto';
import { rows, sql, type EntityManager } from '../../../db/orm.ts';

/**
 * Marks a webhook token as used. Returns false if it was used before. The inbox keeps used tokens for 30 days, in
 * partitions by the day of `at`, which must be the same for each call.
 */
export async function markWebhookUsed(tx: EntityManager, { token, at }: { token: string; at: Date }): Promise<boolean> {
  const id = createHash('sha256').update(token).digest('hex').slice(0, 32);
  const taken = await rows(
    tx,
    sql`
    insert into inbox (tenant_id, consumer, event_id, day) values ('', 'webhook', ${id}::uuid, ${at.toISOString().slice(0, 10)}::date)
    on conflict do nothing returning 1`,
  );
  return taken.length > 0;
}
