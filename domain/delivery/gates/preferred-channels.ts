import type { Channel } from '../../../db/entities/channels.ts';
import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { addressDigestSql } from '../../addresses/digest.ts';

/** The channel that each of these contacts prefers; those without a preference are absent. */
export async function readPreferredChannels(
  tx: EntityManager,
  tenantId: string,
  contactIds: readonly number[],
): Promise<Map<number, Channel>> {
  const found = await rows<{ id: number; channel: Channel | null }>(
    tx,
    sql`
    select c.id, p.preferred_channel as channel from contacts c cross join lateral (
      select preferred_channel from channel_preferences
      where tenant_id = c.tenant_id and address = any(array[c.email_key, 'erased:' || ${sql.raw(addressDigestSql('c.tenant_id', 'c.email_key'))}])
      order by updated_at desc limit 1) p
    where c.tenant_id = ${tenantId} and c.id = any(${[...contactIds]}::bigint[])`,
  );
  return new Map(found.flatMap(({ id, channel }) => (channel === null ? [] : [[id, channel] as const])));
}
