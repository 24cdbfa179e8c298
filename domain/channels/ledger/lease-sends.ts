import { preparedHint, rows, sql, type EntityManager } from '../../../db/orm.ts';
import type { MessageCategory, MessageChannel, PushUrgency } from '../../../db/entities/channels.ts';
import type { EmailLane } from '../../../db/entities/emails.ts';
import type { InlineContent, SendType } from '../../../db/entities/messages.ts';
import type { HoursRules } from '../../delivery/gates/hours.ts';
import {
  isMarketing,
  isTooOld,
  messageGateJoins,
  messageHours,
  messageHoursJoin,
} from '../../delivery/gates/message-gates.ts';
import { pickInTurn } from '../../delivery/pick-in-turn.ts';
import { isNoticeDue } from '../../delivery/gates/opt-out-notice.ts';
import { TEST_KEY } from './test-provider.ts';
import { companyJoin, contactColumns, contactOf, type ContactRow } from '../../emails/rendering/template-contact.ts';
import type { ContactValues } from '../../emails/rendering/template-values.ts';

/** A device, as much of it as sending needs. */
export interface LeasedDevice {
  id: number;
  siteId: number | null;
  endpoint: string;
  p256dh: string | null;
  auth: string | null;
}

/** A leased send, with what rendering and sending it need. */
export interface LeasedSend {
  id: number;
  tenantId: string;
  messageId: number;
  lane: EmailLane;
  type: SendType;
  /** How often it was started before. */
  attempt: number;
  channel: MessageChannel;
  category: MessageCategory;
  createdAt: Date;
  /** What its links say of their time: its contact may be another since, which is younger (merge). */
  linksAt: Date;
  contentVersion: number | null;
  /** Of the template, with what the call said instead, or what the call gave; null if the template is gone. */
  content: (Omit<InlineContent, 'urgency'> & { urgency?: PushUrgency; smartEncoding?: boolean }) | null;
  data: Record<string, unknown> | null;
  contactId: number | null;
  contactVersion: number | null;
  contact: ContactValues | null;
  /** The number that a text goes to now; null if there is none. */
  address: string | null;
  device: LeasedDevice | null;
  /** The only provider that may send it; null: any. */
  providerId: number | null;
  /** How that provider was asked before (`askedAs`), if it may have accepted it; empty if nobody knows. */
  boundTo: string | null;
  /** A test of its provider, which need not be active; tried once. */
  isTest: boolean;
  /** Nobody has accepted it for so long that it ends. */
  isTooOld: boolean;
  /** How to opt out, if the text has to say it. */
  optOutText: string | null;
  /** The codes that its short links have since an earlier attempt, by URL: what is sent again is the same. */
  linkCodes: Record<string, string> | null;
  /** Null: hours do not concern it. */
  hours: HoursRules | null;
  /** The contact, if a cap concerns the message. */
  cappedContactId: number | null;
}

interface LeasedRow extends ContactRow {
  id: number;
  tenant_id: string;
  message_id: number;
  lane: EmailLane;
  type: SendType;
  attempt: number;
  channel: MessageChannel;
  category: MessageCategory;
  created_at: Date;
  links_at: Date;
  content_version: number | null;
  has_template: boolean;
  /** Of the call. */
  content: Partial<InlineContent> | null;
  template_id: number | null;
  body: string | null;
  title: string | null;
  url: string | null;
  icon_url: string | null;
  image_url: string | null;
  ttl_seconds: number | null;
  urgency: PushUrgency | null;
  collapse_key: string | null;
  smart_encoding: boolean | null;
  data: Record<string, unknown> | null;
  contact_id: number | null;
  contact_version: number | null;
  address: string | null;
  device_id: number | null;
  site_id: number | null;
  endpoint: string | null;
  p256dh: string | null;
  auth: string | null;
  provider_id: number | null;
  bound_to: string | null;
  is_test: boolean;
  too_old: boolean;
  opt_out_text: string | null;
  link_codes: Record<string, string> | null;
  hours: HoursRules | null;
  capped_contact_id: number | null;
}

/** Columns, not JSON made by Postgres, which would cost it several times as much. */
function contentOf(row: LeasedRow): LeasedSend['content'] {
  if (!row.has_template) return row.content as LeasedSend['content'];
  if (row.template_id === null) return null;
  return {
    body: row.body!,
    title: row.title,
    url: row.url,
    iconUrl: row.icon_url,
    imageUrl: row.image_url,
    ttlSeconds: row.ttl_seconds,
    urgency: row.urgency,
    collapseKey: row.collapse_key,
    smartEncoding: row.smart_encoding,
    ...row.content,
  } as LeasedSend['content'];
}

const deviceOf = ({ device_id: id, site_id: siteId, endpoint, p256dh, auth }: LeasedRow): LeasedDevice | null =>
  id === null ? null : { id, siteId, endpoint: endpoint!, p256dh, auth };

/**
 * Leases open sends of a lane that are due, tenants in turn, without those of some tenants: their leases last for
 * `seconds`. They stay QUEUED. Engine `em`.
 */
export async function leaseSends(
  em: EntityManager,
  lease: { holder: string; lane: EmailLane; limit: number; seconds: number; except?: readonly string[] },
): Promise<LeasedSend[]> {
  const ready = {
    name: 'message_sends',
    key: 'id',
    isWaiting: sql`l.lane = ${lease.lane} and l.is_open and l.next_attempt_at <= now()`,
    isFree: sql`l.status = 'QUEUED' and (l.lease_until is null or l.lease_until <= now())`,
    order: sql`l.next_attempt_at, l.id`,
  } as const;
  const found = await em.transactional((tx) =>
    rows<LeasedRow>(
      tx,
      sql`${preparedHint}
    with recursive ${pickInTurn(ready, lease)}, taken as (
      update message_sends s set holder = ${lease.holder}, lease_until = now() + make_interval(secs => ${lease.seconds})
      from picked where s.tenant_id = picked.tenant_id and s.id = picked.id
      returning s.*
    )
    select s.id, s.tenant_id, s.message_id, s.lane, s.type, s.attempt, e.channel, e.category, e.created_at,
      greatest(e.created_at, c.created_at) as links_at,
      case when e.template_id is null then null else t.content_version end as content_version,
      e.template_id is not null as has_template, e.content, t.id as template_id, t.body, t.title, t.url, t.icon_url, t.image_url, t.ttl_seconds,
      t.urgency, t.collapse_key, t.smart_encoding, e.data, e.contact_id, c.version as contact_version, ${contactColumns}, case when e.channel = 'sms' then a.address end as address, coalesce(s.bound_provider_id, e.provider_id) as provider_id,
      case when s.bound_provider_id is not null then coalesce(s.bound_to, '') end as bound_to, e.send_key like ${`${TEST_KEY}%`} as is_test, ${isTooOld} as too_old, ${messageHours} as hours,
      case when ${isMarketing} and e.started_at is null and exists (
        select 1 from jsonb_array_elements(gs.caps) cap where jsonb_exists(cap -> 'channels', e.channel)) then who.contact_id end as capped_contact_id,
      p.id as device_id, p.site_id, p.endpoint, p.p256dh, p.auth,
      case when e.channel = 'sms' and ${isMarketing} and gs.opt_out_text is not null and ${isNoticeDue(sql`e.tenant_id`, sql`a.address`)} then gs.opt_out_text end as opt_out_text,
      case when s.attempt > 0 then (
        select jsonb_object_agg(l.url, l.code order by l.code) from message_links l
        where l.tenant_id = s.tenant_id and l.message_id = s.message_id and l.send_id = s.id) end as link_codes
    from taken s
    join messages e on e.tenant_id = s.tenant_id and e.id = s.message_id
    left join push_subscriptions p on p.tenant_id = s.tenant_id and p.id = s.subscription_id
    ${messageGateJoins} ${messageHoursJoin} ${companyJoin}
    order by s.next_attempt_at, s.id`,
    ),
  );
  return found.map((row) => ({
    id: row.id,
    tenantId: row.tenant_id,
    messageId: row.message_id,
    lane: row.lane,
    type: row.type,
    attempt: row.attempt,
    channel: row.channel,
    category: row.category,
    createdAt: row.created_at,
    linksAt: row.links_at,
    contentVersion: row.content_version,
    content: contentOf(row),
    data: row.data,
    contactId: row.contact_id,
    contactVersion: row.contact_version,
    contact: row.contact_id === null ? null : contactOf(row),
    address: row.address,
    device: deviceOf(row),
    providerId: row.provider_id,
    boundTo: row.bound_to,
    isTest: row.is_test,
    isTooOld: row.too_old,
    optOutText: row.opt_out_text,
    linkCodes: row.link_codes,
    hours: row.hours,
    cappedContactId: row.capped_contact_id,
  }));
}

/** A send that is not started, and when it is due again. */
export interface PutOff {
  id: number;
  delayMs: number;
  /** Why its host may not be called: an attempt that failed. */
  refusal?: string;
}

/** Ends the leases of sends that are not started, and makes them due after a delay. Engine `em`. */
export async function putOffSends(em: EntityManager, holder: string, sends: readonly PutOff[]): Promise<void> {
  if (sends.length === 0) return;
  await em.transactional((tx) =>
    rows(
      tx,
      sql`
    with put_off as (
      update message_sends s set holder = null, lease_until = null, attempt = s.attempt + (r.refusal is not null)::int,
        next_attempt_at = case when r."delayMs" > 0 then now() + make_interval(secs => r."delayMs" / 1000) else s.next_attempt_at end
      from jsonb_to_recordset(${JSON.stringify(sends)}::jsonb) as r(id bigint, "delayMs" float8, refusal text)
      where s.id = r.id and s.status = 'QUEUED' and s.holder = ${holder}
      returning s.tenant_id, s.id, s.attempt, r.refusal
    )
    insert into message_attempts (tenant_id, send_id, attempt, outcome, reply)
    select tenant_id, id, attempt, 'outbound_refused', refusal from put_off where refusal is not null`,
    ),
  );
}
