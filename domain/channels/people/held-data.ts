import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { erasedKey } from '../../addresses/digest.ts';
import { inboundTextsOf, messagesOf, type Reached } from './reached.ts';
import { shownEndpoint } from './shown-endpoint.ts';

type Rows = Record<string, unknown>[];

/** What channels keep of a person, oldest first; without keys of devices. */
export interface HeldByChannels {
  messages: Rows;
  inboundTexts: Rows;
  pushSubscriptions: Rows;
  textConsents: Rows;
  channelSuppressions: Rows;
  channelPreferences: Rows;
}

/**
 * Reads what channels keep of a contact, its addresses and its numbers: all that an erasure would erase, and what the
 * contact's own number decided, also if another contact has it too.
 */
export async function heldByChannels(
  tx: EntityManager,
  tenantId: string,
  person: Reached & { addresses: readonly string[] },
  own: string | null,
): Promise<HeldByChannels> {
  const all = (query: ReturnType<typeof sql>) => rows<Record<string, unknown>>(tx, query);
  const keys = (address: string) => [address, erasedKey(tenantId, address)];
  const byEmail = sql`${person.addresses.flatMap(keys)}::text[]`;
  const byNumber = sql`${[...new Set([...person.numbers, ...(own === null ? [] : [own])])].flatMap(keys)}::text[]`;
  const subscriptions = await all(sql`
      select id, type, status, site_id as "siteId", endpoint, expires_at as "expiresAt", platform, timezone, locale, created_at as "createdAt", updated_at as "updatedAt"
      from push_subscriptions where tenant_id = ${tenantId} and contact_id = any(${person.contactIds}::bigint[]) order by id`);
  return {
    messages: await all(sql`
      select m.id, m.channel, m.category, m.template_id as "templateId", t.name as "templateName", m.campaign_id as "campaignId", m.execution_id as "executionId",
        m.to_address as "to", m.content, m.data, m.status, m.reason, m.segments, m.created_at as "createdAt", m.sent_at as "sentAt", m.delivered_at as "deliveredAt", coalesce((
          select jsonb_agg(jsonb_build_object('subscriptionId', s.subscription_id, 'type', s.type, 'status', s.status, 'reason', s.reason, 'at', s.updated_at) order by s.id)
          from message_sends s where s.tenant_id = m.tenant_id and s.message_id = m.id and s.type <> 'sms'), '[]') as devices, coalesce((
          select jsonb_agg(jsonb_build_object('at', c.at, 'url', c.url, 'ip', c.ip, 'userAgent', c.user_agent, 'automated', c.automated) order by c.id)
          from message_clicks c where c.tenant_id = m.tenant_id and c.message_id = m.id), '[]') as clicks
      from (select * from messages where tenant_id = ${tenantId} and ${messagesOf(person)}) m
      left join channel_templates t on t.tenant_id = m.tenant_id and t.id = m.template_id
      -- What was meant for another contact, which had the number before, is not told to this one.
      where m.contact_id is null or m.contact_id = any(${person.contactIds}::bigint[])
        or not exists (select 1 from contacts o where o.tenant_id = m.tenant_id and o.id = m.contact_id)
      order by m.id`),
    inboundTexts: await all(sql`
      select id, from_address as "from", to_address as "to", text, opt_out as "optOut", received_at as "receivedAt" from inbound_texts
      where tenant_id = ${tenantId} and ${inboundTextsOf(person)} order by id`),
    pushSubscriptions: subscriptions.map((one) => ({ ...one, endpoint: shownEndpoint(String(one['endpoint'])) })),
    textConsents: await all(sql`
      select status, source, by_text as "byText", text, ip, at from text_consents
      where tenant_id = ${tenantId} and address = any(${byNumber}) order by id`),
    channelSuppressions: await all(sql`
      select channel, reason, source, created_at as "createdAt" from channel_suppressions
      where tenant_id = ${tenantId} and (channel = 'push' and address = any(${byEmail}) or channel = 'sms' and address = any(${byNumber})) order by id`),
    channelPreferences: await all(sql`
      select quiet_hours as "quietHours", preferred_channel as "preferredChannel", updated_at as "updatedAt" from channel_preferences
      where tenant_id = ${tenantId} and (address = any(${byEmail}) or address = any(${byNumber})) order by address`),
  };
}
