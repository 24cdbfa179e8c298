import type { MessageCategory, MessageChannel } from '../../../db/entities/channels.ts';
import type { EmailLane } from '../../../db/entities/emails.ts';
import type { InlineContent, MessageStatus, PushDelivery } from '../../../db/entities/messages.ts';
import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { touchOutbox } from '../../../events/outbox.ts';
import { messageGateJoins, messageRefusal } from '../../delivery/gates/message-gates.ts';

export interface MessageRequest {
  /** Identifies the message within the tenant: a repeated request with the same key is the same message. */
  sendKey: string;
  channel: MessageChannel;
  /** Absent: the template's, or marketing; of two the stricter one counts. */
  category?: MessageCategory | null;
  /** 1 to 9; 5 if absent. */
  priority?: number | null;
  templateId?: number | null;
  /** What is sent if there is no template; or what is said instead of the template. */
  content?: InlineContent | PushDelivery | null;
  data?: Record<string, unknown> | null;
  /** Null for a text to a number without a contact (`toAddress`), and for a device that has none. */
  contactId: number | null;
  /** E.164. */
  toAddress?: string | null;
  /** A push to this device only. */
  subscriptionId?: number | null;
  /** The only provider that may send it. */
  providerId?: number | null;
  campaignId?: number | null;
  executionId?: number | null;
  stepId?: string | null;
  lane: EmailLane;
  requestId: string | null;
  /** A reason to suppress the message in addition to the gates. */
  refusal?: string | null;
}

export interface QueuedMessage {
  sendKey: string;
  messageId: number;
  status: MessageStatus;
  reason: string | null;
  isNew: boolean;
}

interface LedgerRow {
  id: number;
  send_key: string;
  status: MessageStatus;
  reason: string | null;
}

/**
 * Writes text messages and pushes to the ledger in the transaction `tx` (of the tenant or the engine): one message per
 * send key, even if requested twice. Messages that a gate refuses are SUPPRESSED with its reason; the others are QUEUED,
 * with one send for a text, and one per active device for a push, and senders may take them as soon as this commits.
 * Returns one entry per request, in order; for a known send key, its current state.
 */
export async function queueMessages(
  tx: EntityManager,
  tenantId: string,
  requests: readonly MessageRequest[],
): Promise<QueuedMessage[]> {
  if (requests.length === 0) return [];
  const made = await insertMessages(tx, tenantId, requests);
  const isNew = new Set(made.map((row) => row.send_key));
  const known = [...new Set(requests.map((request) => request.sendKey))].filter((key) => !isNew.has(key));
  const found =
    known.length === 0
      ? []
      : await rows<LedgerRow>(
          tx,
          sql`
    select id, send_key, status, reason from messages where tenant_id = ${tenantId} and send_key = any(${known})`,
        );
  const byKey = new Map([...made, ...found].map((row) => [row.send_key, row]));
  const open = new Set(made.filter(({ status }) => status === 'QUEUED').map(({ send_key }) => send_key));
  const lanes = requests.filter(({ sendKey }) => open.has(sendKey)).map(({ lane }) => lane);
  if (lanes.length > 0) touchOutbox(tx, 'message_sends', [...new Set(lanes)]);
  return requests.map(({ sendKey }) => {
    const row = byKey.get(sendKey)!;
    return { sendKey, messageId: row.id, status: row.status, reason: row.reason, isNew: isNew.has(sendKey) };
  });
}

/**
 * Inserts the missing messages with their sends and returns them. Waits for concurrent inserts of the same send key,
 * whose message exists then.
 */
async function insertMessages(
  tx: EntityManager,
  tenantId: string,
  requests: readonly MessageRequest[],
): Promise<LedgerRow[]> {
  const payload = JSON.stringify(
    requests.map((request, ord) => ({
      ord,
      tenant_id: tenantId,
      send_key: request.sendKey,
      channel: request.channel,
      category: request.category,
      priority: request.priority,
      template_id: request.templateId,
      // Undefined, not null: null would be stored as a JSON null.
      content: request.content ?? undefined,
      data: request.data ?? undefined,
      contact_id: request.contactId,
      to_address: request.toAddress,
      subscription_id: request.subscriptionId,
      provider_id: request.providerId,
      campaign_id: request.campaignId,
      execution_id: request.executionId,
      step_id: request.stepId,
      lane: request.lane,
      request_id: request.requestId,
      refusal: request.refusal ?? undefined,
    })),
  );
  return rows<LedgerRow>(
    tx,
    sql`
    with asked as (
      select distinct on (r.send_key) r.ord, r.tenant_id, r.send_key, r.channel, case when 'marketing' in (r.category, t.category) then 'marketing' else coalesce(r.category, t.category, 'marketing') end as category,
        coalesce(r.priority, 5) as priority, r.template_id, r.content, r.data, r.contact_id, r.to_address, r.subscription_id, r.provider_id,
        r.campaign_id, r.execution_id, r.step_id, r.lane, r.request_id, r.refusal
      from jsonb_to_recordset(${payload}::jsonb) as r(
        ord int, tenant_id text, send_key text, channel text, category text, priority smallint, template_id bigint, content jsonb, data jsonb,
        contact_id bigint, to_address text, subscription_id bigint, provider_id bigint, campaign_id bigint, execution_id bigint, step_id text,
        lane text, request_id text, refusal text)
      left join channel_templates t on t.tenant_id = r.tenant_id and t.id = r.template_id
      order by r.send_key, r.ord
    ), judged as (
      select e.*, coalesce(e.to_address, case when e.channel = 'sms' then a.address end) as number, coalesce(${messageRefusal}, e.refusal) as reason from asked e ${messageGateJoins}
    ), made as (
      insert into messages (tenant_id, send_key, channel, category, priority, template_id, content, data, contact_id, to_address,
                            subscription_id, provider_id, campaign_id, execution_id, step_id, request_id, status, reason)
      select tenant_id, send_key, channel, category, priority, template_id, content, data, contact_id, number,
             subscription_id, provider_id, campaign_id, execution_id, step_id, request_id,
             case when reason is null then 'QUEUED' else 'SUPPRESSED' end, reason
      from judged order by ord
      on conflict (tenant_id, send_key) do nothing
      returning id, tenant_id, send_key, channel, contact_id, subscription_id, status, reason
    ), sends as (
      insert into message_sends (tenant_id, message_id, type, subscription_id, lane)
      select m.tenant_id, m.id, coalesce(p.type, 'sms'), p.id, a.lane
      from made m join asked a on a.send_key = m.send_key
      left join lateral (
        select d.id, d.type from push_subscriptions d
        where m.channel = 'push' and m.subscription_id is null and d.tenant_id = m.tenant_id and d.contact_id = m.contact_id and d.status = 'active'
        union all
        select d.id, d.type from push_subscriptions d
        where m.channel = 'push' and d.tenant_id = m.tenant_id and d.id = m.subscription_id and d.status = 'active' offset 0) p on true
      where m.status = 'QUEUED' and (m.channel = 'sms' or p.id is not null)
      order by m.id, p.id
    )
    select id, send_key, status, reason from made`,
  );
}
