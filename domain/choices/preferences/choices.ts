import type { Channel } from '../../../db/entities/channels.ts';
import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { erasedKey } from '../../addresses/digest.ts';
import type { DailySpan } from '../../../lib/time/local-time.ts';

/** The addresses that a person's choices hang on: email and push on the keys of email addresses, texts on the number. */
export interface ChoiceKeys {
  emailKeys: readonly string[];
  number: string | null;
}

export type TopicRow = { topicId: number; name: string; description: string | null } & Record<Channel, boolean>;

export interface PersonRules {
  quietHours: DailySpan | null;
  preferredChannel: Channel | null;
}

const keysOf = ({ emailKeys, number }: ChoiceKeys, channel: Channel): string[] =>
  channel === 'sms' ? (number === null ? [] : [number]) : [...emailKeys];

/** The keys, and what an erasure has left of them. */
const withErased = (tenantId: string, keys: readonly string[]): string[] =>
  keys.flatMap((key) => [key, erasedKey(tenantId, key)]);

/** All topics, with what is wanted on each channel: everything until the person chooses. */
export async function readTopics(tx: EntityManager, tenantId: string, keys: ChoiceKeys): Promise<TopicRow[]> {
  const wanted = (channel: Channel) => sql`not exists (
    select 1 from topic_opt_outs o where o.tenant_id = t.tenant_id and o.topic_id = t.id and o.channel = ${channel}
      and o.address = any(${withErased(tenantId, keysOf(keys, channel))}::text[]))`;
  return rows<TopicRow>(
    tx,
    sql`
    select t.id as "topicId", t.name, t.description, ${wanted('email')} as email, ${wanted('sms')} as sms, ${wanted('push')} as push
    from email_topics t where t.tenant_id = ${tenantId} order by t.name, t.id`,
  );
}

/** Stores which of these topics are wanted on a channel, and which are not. Topics that do not exist are ignored. */
export async function saveTopics(
  tx: EntityManager,
  tenantId: string,
  keys: ChoiceKeys,
  channel: Channel,
  { wanted, unwanted }: { wanted: readonly number[]; unwanted: readonly number[] },
): Promise<void> {
  const addresses = keysOf(keys, channel);
  await rows(
    tx,
    sql`
    delete from topic_opt_outs where tenant_id = ${tenantId} and channel = ${channel}
      and address = any(${withErased(tenantId, addresses)}::text[]) and topic_id = any(${[...wanted]}::bigint[])`,
  );
  await rows(
    tx,
    sql`
    with off as (select id from email_topics where tenant_id = ${tenantId} and id = any(${[...unwanted]}::bigint[]) order by id for key share)
    insert into topic_opt_outs (tenant_id, address, topic_id, channel)
    select ${tenantId}, address, id, ${channel} from off, unnest(${addresses}::text[]) address order by address, id
    on conflict do nothing`,
  );
}

export async function readRules(
  tx: EntityManager,
  tenantId: string,
  emailKeys: readonly string[],
): Promise<PersonRules> {
  const [found] = await rows<PersonRules>(
    tx,
    sql`
    select nullif(quiet_hours, 'null') as "quietHours", preferred_channel as "preferredChannel" from channel_preferences
    where tenant_id = ${tenantId} and address = any(${withErased(tenantId, emailKeys)}::text[])
    order by updated_at desc limit 1`,
  );
  return found ?? { quietHours: null, preferredChannel: null };
}

export async function saveRules(
  tx: EntityManager,
  tenantId: string,
  emailKeys: readonly string[],
  { quietHours, preferredChannel }: PersonRules,
): Promise<void> {
  await rows(
    tx,
    sql`
    insert into channel_preferences (tenant_id, address, quiet_hours, preferred_channel, updated_at)
    select ${tenantId}, key, ${quietHours === null ? null : JSON.stringify(quietHours)}::jsonb, ${preferredChannel}, now()
    from unnest(${[...emailKeys]}::text[]) key order by key
    on conflict (tenant_id, address) do update set quiet_hours = excluded.quiet_hours, preferred_channel = excluded.preferred_channel, updated_at = now()`,
  );
}
