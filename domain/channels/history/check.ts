import type { Channel, MessageCategory } from '../../../db/entities/channels.ts';
import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { assertNoneMissing, assertValid, type Missing } from '../../../lib/checks/errors.ts';
import { GATES as EMAIL_GATES, gateJoins, gateOf, refusalAtStart } from '../../emails/ledger/gates.ts';
import { fromKeyToVerify } from '../../emails/senders/proven.ts';
import { nextOpening } from '../../delivery/gates/hours.ts';
import { judgeCaps, judgeMessage, type AskedMessage } from '../../delivery/gates/judge.ts';
import { MESSAGE_GATES, messageGateOf } from '../../delivery/gates/message-gates.ts';

const HOUR_MS = 3_600_000;

export interface CheckInput {
  contactId: number;
  channel: Channel;
  templateId?: number;
  category?: MessageCategory;
  topicId?: number;
  at?: Date;
}

export interface CheckedGate {
  gate: string;
  passed: boolean;
  reason: string | null;
}

export interface Checked {
  /** Whether it would be sent at that time. */
  allowed: boolean;
  /** The gates up to the one that stops it. What must wait for its hours is asked for its caps only then. */
  gates: CheckedGate[];
  /** When it would be sent, if it only has to wait. */
  opensAt: Date | null;
}

/**
 * What the gate would say about a message to a contact that is queued now; changes nothing. With `at`, hours are those
 * at that time. `mailFrom` is MAIL_FROM. Throws 404, and 400 for an unknown topic.
 */
export async function checkMessage(
  em: EntityManager,
  tenantId: string,
  input: CheckInput,
  mailFrom: string,
): Promise<Checked> {
  return em.transactional(async (tx) => {
    const asked = await readAsked(tx, tenantId, input);
    const isEmail = asked.channel === 'email';
    // An email's template is no template of texts or pushes, some of which have the same id.
    const { refusal, hours } = await judgeMessage(tx, tenantId, isEmail ? { ...asked, templateId: null } : asked);
    const early = isEmail ? await judgeEmail(tx, tenantId, asked, mailFrom) : refusal;
    if (early !== null || hours === null) return checked(asked.channel, early, null);
    const at = input.at ?? new Date();
    const opening = nextOpening(hours, at);
    // Caps are asked when it is due.
    if (opening?.getTime() === at.getTime()) return checked(asked.channel, await judgeCaps(tx, tenantId, asked), null);
    const isLate = opening === null || opening.getTime() > at.getTime() + hours.maxHoldHours * HOUR_MS;
    return isLate
      ? checked(asked.channel, 'expired', null)
      : checked(asked.channel, `opens_${opening.toISOString()}`, opening);
  });
}

const OF_CAPS: readonly string[] = ['frequency_cap', 'priority'];

/** The gates of a channel up to the one that gives the reason. */
function checked(channel: Channel, reason: string | null, opensAt: Date | null): Checked {
  const all: readonly string[] = channel === 'email' ? [...EMAIL_GATES, 'send_window'] : MESSAGE_GATES;
  const ofReason = channel === 'email' ? gateOf(reason) : messageGateOf(reason);
  const stop = reason === null ? null : (ofReason ?? 'send_window');
  const isHeld = stop === 'send_window';
  const asked = all.filter((gate) => gate !== 'campaign' && !(isHeld && OF_CAPS.includes(gate)));
  const passed = stop === null ? asked : asked.slice(0, asked.indexOf(stop));
  const gates = passed.map((gate): CheckedGate => ({ gate, passed: true, reason: null }));
  return {
    allowed: stop === null,
    gates: stop === null ? gates : [...gates, { gate: stop, passed: false, reason }],
    opensAt,
  };
}

/** The message that is asked about, with its category. */
async function readAsked(tx: EntityManager, tenantId: string, input: CheckInput): Promise<AskedMessage> {
  const { contactId, channel, templateId, topicId } = input;
  const template =
    channel === 'email'
      ? sql`select category from email_templates where tenant_id = ${tenantId} and id = ${templateId ?? null} and system_key is null`
      : sql`select category from channel_templates where tenant_id = ${tenantId} and id = ${templateId ?? null} and channel = ${channel}`;
  const [found] = await rows<{ contact: boolean; category: MessageCategory | null }>(
    tx,
    sql`select exists (select 1 from contacts where tenant_id = ${tenantId} and id = ${contactId}) as contact, (${template}) as category`,
  );
  const missing: Missing[] = found!.contact ? [] : [{ path: '/contactId', what: 'contact', id: contactId }];
  if (templateId !== undefined && found!.category === null)
    missing.push({ path: '/templateId', what: `template of ${channel}`, id: templateId });
  assertNoneMissing(missing);
  assertValid(await topicViolations(tx, tenantId, topicId));
  // The category of an email is that of its template, if it has one. Of others, the stricter one counts.
  const [first, second] = channel === 'email' ? [found!.category, input.category] : [input.category, found!.category];
  const category = first ?? second ?? 'marketing';
  return { channel, category, contactId, templateId: templateId ?? null, topicId: topicId ?? null };
}

/** The violation of a topic that does not exist. */
export async function topicViolations(tx: EntityManager, tenantId: string, topicId: unknown) {
  if (typeof topicId !== 'number' || !Number.isSafeInteger(topicId)) return [];
  const [topic] = await rows(tx, sql`select 1 from email_topics where tenant_id = ${tenantId} and id = ${topicId}`);
  return topic ? [] : [{ path: '/topicId', code: 'not_found', message: `there is no topic ${topicId}` }];
}

/** Why an email would be SUPPRESSED, besides its caps. */
async function judgeEmail(
  tx: EntityManager,
  tenantId: string,
  { category, contactId, templateId, topicId }: AskedMessage,
  mailFrom: string,
): Promise<string | null> {
  const [template] = await rows<{ from: string | null; topic: number | null }>(
    tx,
    sql`select from_email as "from", topic_id as topic from email_templates where tenant_id = ${tenantId} and id = ${templateId}`,
  );
  const fromKey = sql`${fromKeyToVerify(template?.from, mailFrom)}::text`;
  const [judged] = await rows<{ reason: string | null }>(
    tx,
    sql`
    with email_templates as (
      select ${tenantId}::text as tenant_id, 0::bigint as id, ${category}::text as category, ${topicId ?? template?.topic ?? null}::bigint as topic_id
    ), e as (select ${tenantId}::text as tenant_id, 0::bigint as template_id, ${contactId}::bigint as contact_id, null::bigint as campaign_id, null::bigint as execution_id, null::text as to_key)
    select ${refusalAtStart(fromKey)} as reason from e ${gateJoins}`,
  );
  return judged!.reason;
}
