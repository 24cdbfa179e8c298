import type { Channel, MessageCategory, MessageChannel } from '../../../db/entities/channels.ts';
import { rows, sql, type EntityManager, type RawBuilder } from '../../../db/orm.ts';
import { askCaps, DEFAULT_PRIORITY } from './caps.ts';
import type { HoursRules } from './hours.ts';
import { messageGateJoins, messageHours, messageHoursJoin, messageRefusal } from './message-gates.ts';

/** A message to a contact that is not written. */
export interface AskedMessage {
  channel: Channel;
  category: MessageCategory;
  contactId: number;
  /** Null: no template. */
  templateId: number | null;
  /** Null: that of the template. */
  topicId: number | null;
  priority?: number;
}

export interface JudgedMessage {
  /** Why it would be SUPPRESSED when it is queued. */
  refusal: string | null;
  /** Null for transactional messages, which hours do not concern. */
  hours: HoursRules | null;
}

/** Asks the gates up to the topic about a text message or a push; for an email only its hours are right. Reads only. */
export async function judgeMessage(tx: EntityManager, tenantId: string, asked: AskedMessage): Promise<JudgedMessage> {
  const { channel, category, contactId, templateId, topicId } = asked;
  const [judged] = await rows<JudgedMessage>(
    tx,
    sql`
    with channel_templates as (
      -- A message without a template has one of no content.
      select ${tenantId}::text as tenant_id, coalesce(${templateId}::bigint, 0) as id,
        coalesce((select category from channel_templates where tenant_id = ${tenantId} and id = ${templateId}), ${category}::text) as category,
        coalesce(${topicId}::bigint, (select topic_id from channel_templates where tenant_id = ${tenantId} and id = ${templateId})) as topic_id
    ), e as (
      select ${tenantId}::text as tenant_id, ${channel}::text as channel, ${category}::text as category, coalesce(${templateId}::bigint, 0) as template_id,
        ${contactId}::bigint as contact_id, null::text as to_address, null::bigint as subscription_id, null::bigint as execution_id)
    select ${messageRefusal} as refusal, ${messageHours} as hours from e ${messageGateJoins} ${messageHoursJoin}`,
  );
  return judged!;
}

/**
 * What the tenant's caps would say about a marketing message that is queued now, after all others: `frequency_cap`,
 * `outranked` or null.
 */
export async function judgeCaps(
  tx: EntityManager,
  tenantId: string,
  { channel, contactId, priority = DEFAULT_PRIORITY }: Pick<AskedMessage, 'channel' | 'contactId' | 'priority'>,
): Promise<string | null> {
  const [said] = await rows<{ reason: string | null }>(
    tx,
    askCaps({
      kind: 'message',
      id: sql`${Number.MAX_SAFE_INTEGER}::bigint`,
      tenantId: sql`${tenantId}::text`,
      contactId: sql`${contactId}::bigint`,
      channel: sql`${channel}::text`,
      priority: sql`${priority}::int`,
      queuedAt: sql`now()`,
    }),
  );
  return said?.reason ?? null;
}

/** What the gates say about a text message or push of a template that is not written, besides caps and hours. */
export interface JudgedTemplate {
  refusal: string | null;
  /** All gates are asked at once; only emails have one that is asked later. */
  refusalAtStart: null;
  /** Caps count and limit marketing messages. */
  isMarketing: boolean;
}

/** The contacts as they are stored, but with these numbers. */
const withNumbers = (numbers: ReadonlyMap<number, string | null>): RawBuilder<unknown> => sql`
  contacts as (
    select c.tenant_id, c.id, c.status, c.email_key, c.timezone,
      case when n.numbers -> c.id::text is null then c.phone_e164 else n.numbers ->> c.id::text end as phone_e164
    from contacts c cross join (select ${JSON.stringify(Object.fromEntries(numbers))}::jsonb as numbers) n),`;

/**
 * Asks the gates about a template to each of these contacts, by one statement; reads only. By contact ids. `numbers` are
 * those (E.164) that contacts would have instead of the stored ones.
 */
export async function judgeMessages(
  tx: EntityManager,
  tenantId: string,
  { channel, templateId }: { channel: MessageChannel; templateId: number },
  contactIds: readonly number[],
  numbers: ReadonlyMap<number, string | null> = new Map(),
): Promise<Map<number, JudgedTemplate>> {
  const judged = await rows<{ id: number; refusal: string | null; isMarketing: boolean }>(
    tx,
    sql`
    with ${numbers.size === 0 ? sql`` : withNumbers(numbers)} e as (
      select ${tenantId}::text as tenant_id, ${channel}::text as channel, coalesce(
          (select category from channel_templates where tenant_id = ${tenantId} and id = ${templateId}), 'marketing') as category,
        ${templateId}::bigint as template_id, id as contact_id, null::text as to_address, null::bigint as subscription_id, null::bigint as execution_id
      from unnest(${[...contactIds]}::bigint[]) as id)
    select e.contact_id as id, ${messageRefusal} as refusal, e.category = 'marketing' as "isMarketing" from e ${messageGateJoins}`,
  );
  return new Map(judged.map(({ id, refusal, isMarketing }) => [id, { refusal, refusalAtStart: null, isMarketing }]));
}

/**
 * The rules of hours for a marketing message of a channel, emails among them, to each of these contacts, by one
 * statement; reads only. By contact ids. `numbers` as for `judgeMessages`.
 */
export async function readHours(
  tx: EntityManager,
  tenantId: string,
  channel: Channel,
  contactIds: readonly number[],
  numbers: ReadonlyMap<number, string | null> = new Map(),
): Promise<Map<number, HoursRules>> {
  const found = await rows<{ id: number; hours: HoursRules }>(
    tx,
    sql`
    with ${numbers.size === 0 ? sql`` : withNumbers(numbers)} e as (
      select ${tenantId}::text as tenant_id, ${channel}::text as channel, 'marketing'::text as category, null::bigint as template_id,
        id as contact_id, null::text as to_address, null::bigint as subscription_id, null::bigint as execution_id
      from unnest(${[...contactIds]}::bigint[]) as id)
    select e.contact_id as id, ${messageHours} as hours from e ${messageGateJoins} ${messageHoursJoin}`,
  );
  return new Map(found.map(({ id, hours }) => [id, hours]));
}
