import { Campaign } from '../../../db/entities/campaigns.ts';
import {
  ChannelTemplate,
  PushSubscription,
  type MessageCategory,
  type MessageChannel,
} from '../../../db/entities/channels.ts';
import { Contact } from '../../../db/entities/contacts.ts';
import type { InlineContent, PushDelivery } from '../../../db/entities/messages.ts';
import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import type { Origin } from '../../../events/outbox.ts';
import { AppError, assertNoneMissing, assertValid, type Missing, type Violation } from '../../../lib/checks/errors.ts';
import { phoneE164 } from '../../../lib/addresses/phone.ts';
import { callId } from '../../idempotency/hash-request.ts';
import { isNoticeDue } from '../../delivery/gates/opt-out-notice.ts';
import type { Additions } from '../content/assert-fits.ts';
import { assertFitsInThread } from '../content/in-thread.ts';
import { contentViolations } from '../templates/template-violations.ts';
import { queueMessages, type QueuedMessage } from '../queue/queue-messages.ts';
import { lockReferenced } from '../../common/references.ts';

/** A call that sends one message. */
export interface SendInput extends Partial<InlineContent> {
  recipientId?: number;
  /** sms only: a number. */
  to?: string;
  /** push only. */
  subscriptionId?: number;
  templateId?: number;
  data?: Record<string, unknown>;
  /** Absent: the template's, or marketing. */
  category?: MessageCategory;
  providerId?: number;
  campaignId?: number;
  priority?: number;
}

type Given = { readonly [K in keyof SendInput]?: unknown };

/** All violations of a call: `given` is the unchecked body, `input` what of it is of the right type. */
export async function sendViolations(
  tenantId: string,
  channel: MessageChannel,
  given: Given,
  input: Partial<SendInput>,
): Promise<Violation[]> {
  const violations: Violation[] = [];
  const other = channel === 'sms' ? 'to' : 'subscriptionId';
  if ((given.recipientId === undefined) === (given[other] === undefined))
    violations.push({ path: '/recipientId', code: 'required', message: `give either recipientId or ${other}` });
  if ((given.templateId === undefined) === (given.body === undefined))
    violations.push({ path: '/templateId', code: 'required', message: 'give either templateId or the content' });
  if (channel === 'push' && given.templateId === undefined && given.title === undefined)
    violations.push({ path: '/title', code: 'required', message: 'a push needs a title' });
  if (given.templateId !== undefined)
    for (const field of ['title', 'url', 'iconUrl', 'imageUrl', 'actions'] as const)
      if (given[field] !== undefined)
        violations.push({ path: `/${field}`, code: 'not_allowed', message: 'is of the template' });
  if (input.to !== undefined && phoneE164(input.to) === null)
    violations.push({
      path: '/to',
      code: 'format',
      message: 'must be a valid phone number in E.164, such as +442079460958',
    });
  return [...violations, ...(await contentViolations(tenantId, input))];
}

const DELIVERY = ['ttlSeconds', 'urgency', 'collapseKey'] as const;
const CONTENT = ['body', 'title', 'url', 'iconUrl', 'imageUrl', 'actions', ...DELIVERY] as const;

/** What the call gives of the content: all of it, or what it changes of the template's; null if that is nothing. */
function contentOf(input: SendInput): InlineContent | PushDelivery | null {
  const fields = (input.templateId === undefined ? CONTENT : DELIVERY).filter((field) => input[field] !== undefined);
  return fields.length === 0 ? null : Object.fromEntries(fields.map((field) => [field, input[field]]));
}

/**
 * Queues one message. With a `callKey` (from the Idempotency-Key), repeating the same call queues no second one. Throws
 * 400, 404 that names everything that is missing, 409 `no_provider`, 422 `template_limit`.
 */
export async function sendMessage(
  em: EntityManager,
  additions: Pick<Additions, 'base' | 'token'>,
  origin: Origin,
  channel: MessageChannel,
  input: SendInput,
  callKey: string | null,
): Promise<QueuedMessage> {
  const { tenantId, requestId } = origin;
  assertValid(await sendViolations(tenantId, channel, input, input));
  const sendKey = `api:${await callId(callKey, [channel, input])}`;
  return em.transactional(async (tx) => {
    if (input.templateId !== undefined) await lockReferenced(tx, 'channel_templates', tenantId, [input.templateId]);
    const template =
      input.templateId === undefined ? null : await tx.findOne(ChannelTemplate, { id: input.templateId, channel });
    assertNoneMissing(await missing(tx, tenantId, channel, input, template));
    const categories = [input.category, template?.category];
    // A call cannot make marketing of a template something else.
    const category =
      categories.includes('transactional') && !categories.includes('marketing') ? 'transactional' : 'marketing';
    if (input.body !== undefined) {
      const optOutText = channel === 'sms' && category === 'marketing' ? await noticeTo(tx, tenantId, input) : null;
      const { body, title, url, iconUrl, imageUrl, actions } = input;
      const source = { channel, body, title, url, iconUrl, imageUrl, actions, smartEncoding: true };
      await assertFitsInThread(tenantId, source, { ...additions, optOutText });
    }
    await assertProvider(tx, tenantId, channel, input);
    const [queued] = await queueMessages(tx, tenantId, [
      {
        sendKey,
        channel,
        category,
        priority: input.priority ?? null,
        templateId: template?.id ?? null,
        content: contentOf(input),
        data: input.data ?? null,
        contactId: input.recipientId ?? (await ownerOf(tx, input.subscriptionId)),
        toAddress: input.to === undefined ? null : phoneE164(input.to),
        subscriptionId: input.subscriptionId ?? null,
        providerId: input.providerId ?? null,
        campaignId: input.campaignId ?? null,
        lane: category === 'transactional' ? 'transactional' : 'journey',
        requestId,
      },
    ]);
    return queued!;
  });
}

async function missing(
  tx: EntityManager,
  tenantId: string,
  channel: MessageChannel,
  { templateId, recipientId, subscriptionId, providerId, campaignId }: SendInput,
  template: ChannelTemplate | null,
): Promise<Missing[]> {
  const found: Missing[] = [];
  if (templateId !== undefined && !template) found.push({ path: '/templateId', what: 'template', id: templateId });
  if (recipientId !== undefined && (await tx.count(Contact, { id: recipientId })) === 0)
    found.push({ path: '/recipientId', what: 'contact', id: recipientId });
  if (subscriptionId !== undefined && (await tx.count(PushSubscription, { id: subscriptionId })) === 0)
    found.push({ path: '/subscriptionId', what: 'subscription', id: subscriptionId });
  const ofChannel = sql`channel = ${channel}`;
  if (
    providerId !== undefined &&
    !(await lockReferenced(tx, 'channel_providers', tenantId, [providerId], ofChannel)).has(providerId)
  )
    found.push({ path: '/providerId', what: 'provider', id: providerId });
  if (campaignId !== undefined && (await tx.count(Campaign, { id: campaignId })) === 0)
    found.push({ path: '/campaignId', what: 'campaign', id: campaignId });
  return found;
}

/** The text on how to opt out, if the number of the message has to be told now. */
async function noticeTo(tx: EntityManager, tenantId: string, { to, recipientId }: SendInput): Promise<string | null> {
  const number =
    to === undefined
      ? sql`(select phone_e164 from contacts where tenant_id = ${tenantId} and id = ${recipientId})`
      : sql`${phoneE164(to)}`;
  const [found] = await rows<{ text: string | null }>(
    tx,
    sql`select opt_out_text as text from channel_settings where tenant_id = ${tenantId} and ${isNoticeDue(tenantId, number)}`,
  );
  return found?.text ?? null;
}

/** The contact of a device; null if it has none. */
async function ownerOf(tx: EntityManager, subscriptionId: number | undefined): Promise<number | null> {
  if (subscriptionId === undefined) return null;
  const device = await tx.findOne(PushSubscription, { id: subscriptionId });
  return device?.contactId ?? null;
}

/** Throws 409 `no_provider` if no active provider may send it. Web Push needs none. */
async function assertProvider(
  tx: EntityManager,
  tenantId: string,
  channel: MessageChannel,
  { providerId, recipientId, subscriptionId }: SendInput,
): Promise<void> {
  const active = await rows(
    tx,
    sql`select 1 from channel_providers where tenant_id = ${tenantId} and channel = ${channel} and active
      ${providerId === undefined ? sql`` : sql`and id = ${providerId}`} limit 1`,
  );
  if (active.length > 0) return;
  if (channel === 'push') {
    const devices = await rows<{ type: string }>(
      tx,
      sql`select distinct type from push_subscriptions where tenant_id = ${tenantId} and status = 'active'
        and ${subscriptionId === undefined ? sql`contact_id = ${recipientId ?? null}` : sql`id = ${subscriptionId}`}`,
    );
    if (devices.length === 0 || devices.some(({ type }) => type === 'webpush')) return;
  }
  throw new AppError(
    'no_provider',
    `There is no active provider that can send this ${channel === 'sms' ? 'text message' : 'push'}`,
  );
}
