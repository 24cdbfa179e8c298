import { rows, sql, type EntityManager, type RawBuilder } from '../../../db/orm.ts';
import { erasedKey } from '../../addresses/digest.ts';
import { strictnessOf } from '../../delivery/gates/strictness.ts';
import { ownersOf } from '../queue/opt-out.ts';

/**
 * Copies what the former address of a contact decided to its new one: topic opt-outs, and for keys of email addresses
 * also the suppression of pushes and preferences. Of two suppressions the stricter one holds. What the new address
 * decided itself stays, each preference for itself.
 */
export async function copyChoices(tx: EntityManager, tenantId: string, from: string, to: string): Promise<void> {
  if (from === to) return;
  const old = sql`${[from, erasedKey(tenantId, from)]}::text[]`;
  await rows(
    tx,
    sql`
    insert into topic_opt_outs (tenant_id, address, topic_id, channel)
    select distinct tenant_id, ${to}, topic_id, channel from topic_opt_outs
    where tenant_id = ${tenantId} and address = any(${old}) order by 3, 4
    on conflict do nothing`,
  );
  await rows(
    tx,
    sql`
    insert into channel_suppressions (tenant_id, channel, address, reason, source)
    select tenant_id, channel, ${to}, reason, 'merge' from channel_suppressions
    where tenant_id = ${tenantId} and channel = 'push' and address = any(${old})
    order by ${strictnessOf(sql`reason`)} desc limit 1
    on conflict (tenant_id, channel, address) do update set reason = excluded.reason, source = excluded.source
      where ${strictnessOf(sql`excluded.reason`)} > ${strictnessOf(sql`channel_suppressions.reason`)}`,
  );
  // Of an address and what an erasure has left of it, the later one holds, as everywhere.
  const last = (addresses: RawBuilder<unknown>) => sql`(
    select nullif(quiet_hours, 'null') as quiet_hours, preferred_channel from channel_preferences
    where tenant_id = ${tenantId} and address = any(${addresses}) order by updated_at desc limit 1)`;
  await rows(
    tx,
    sql`
    insert into channel_preferences (tenant_id, address, quiet_hours, preferred_channel)
    select ${tenantId}, ${to}, coalesce(own.quiet_hours, old.quiet_hours), coalesce(own.preferred_channel, old.preferred_channel)
    from ${last(old)} old left join ${last(sql`${[to, erasedKey(tenantId, to)]}::text[]`)} own on true
    on conflict (tenant_id, address) do update
      set quiet_hours = excluded.quiet_hours, preferred_channel = excluded.preferred_channel, updated_at = now()`,
  );
}

/**
 * The opt-out of a merged contact's number holds for the number of the contact that is left too, because it is one
 * person's: the stricter of the two, as with email. Returns the contacts with that number if it was opted out by this.
 */
export async function copyTextOptOut(
  tx: EntityManager,
  tenantId: string,
  from: string | null,
  to: string | null,
): Promise<number[]> {
  if (from === null || to === null || from === to) return [];
  await rows(
    tx,
    sql`
    insert into topic_opt_outs (tenant_id, address, topic_id, channel)
    select distinct tenant_id, ${to}, topic_id, channel from topic_opt_outs
    where tenant_id = ${tenantId} and channel = 'sms' and address = any(${[from, erasedKey(tenantId, from)]}::text[]) order by 3
    on conflict do nothing`,
  );
  const last = (address: string) => sql`(
    select c.status, c.by_text from text_consents c where c.tenant_id = ${tenantId} and c.address = any(${[address, erasedKey(tenantId, address)]}::text[])
    order by c.id desc limit 1)`;
  const added = await rows(
    tx,
    sql`
    insert into text_consents (tenant_id, address, status, source, by_text)
    select ${tenantId}, ${to}, 'unsubscribed', 'merge', f.by_text from ${last(from)} f
    where f.status = 'unsubscribed' and not exists (select 1 from ${last(to)} t where t.status = 'unsubscribed')
    returning id`,
  );
  return added.length === 0 ? [] : (await ownersOf(tx, tenantId, to)).map(({ id }) => id);
}
