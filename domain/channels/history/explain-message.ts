import type { MessageStatus } from '../../../db/entities/messages.ts';
import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import type { HealthOf } from '../providers/provider-health.ts';
import { TEST_KEY } from '../ledger/test-provider.ts';
import { notFound } from '../../../lib/checks/errors.ts';
import { heldUntil, type HoursRules } from '../../delivery/gates/hours.ts';
import {
  MESSAGE_GATES,
  messageCapJoin,
  messageGateJoins,
  messageGateOf,
  messageHours,
  messageHoursJoin,
  messageRefusal,
} from '../../delivery/gates/message-gates.ts';

export interface ExplainedGate {
  gate: string;
  passed: boolean;
  reason: string | null;
  at: Date;
}

export interface MessageExplanation {
  messageId: number;
  status: MessageStatus;
  gates: ExplainedGate[];
  /** Attempts that were not accepted at once, and those that were. */
  attempts: { sendId: number; providerId: number | null; at: Date; outcome: string; reply: string | null }[];
}

interface MessageRow {
  status: MessageStatus;
  reason: string | null;
  campaign_id: number | null;
  content_version: number | null;
  created_at: Date;
  updated_at: Date;
  sent_at: Date | null;
  delivered_at: Date | null;
  now: Date;
  refused: string | null;
  capped: string | null;
  hours: HoursRules | null;
}

/** A send that waits; `providers`: those that may take it, null for Web Push. */
interface Waiting {
  nextAttemptAt: Date;
  providers: number[] | null;
}

/**
 * Explains which gates a text message or a push passed and where it stopped, in order: the gates, the provider or push
 * service, the delivery. The gates of a message not sent yet are evaluated now; for others the stored result counts.
 * `readHealth` tells the health of providers. Throws 404.
 */
export async function explainMessage(
  em: EntityManager,
  id: number,
  readHealth: (ids: readonly number[]) => Promise<HealthOf>,
): Promise<MessageExplanation> {
  const { message, waiting, attempts } = await readExplained(em, id);
  const gates = explainGates(message);
  const isWaiting = message.status === 'QUEUED' && gates.every(({ passed }) => passed);
  if (isWaiting) {
    const healthOf = await readHealth(waiting.flatMap(({ providers }) => providers ?? []));
    gates.push(...explainWaiting(waiting, healthOf, message.now));
  }
  return { messageId: id, status: message.status, gates, attempts };
}

async function readExplained(em: EntityManager, id: number) {
  return em.transactional(async (tx) => {
    const [message] = await rows<MessageRow>(
      tx,
      sql`
      select e.status, e.reason, e.campaign_id, e.content_version, e.created_at, e.updated_at, e.sent_at, e.delivered_at, now() as now,
        ${messageRefusal} as refused, v.reason as capped, ${messageHours} as hours
      from messages e ${messageGateJoins} ${messageCapJoin} ${messageHoursJoin} where e.id = ${id}`,
    );
    if (!message) throw notFound('message', id);
    const attempts = await rows<MessageExplanation['attempts'][number]>(
      tx,
      sql`
      select "sendId", "providerId", at, outcome, reply from (
        select a.send_id as "sendId", a.attempt, a.provider_id as "providerId", a.at, a.outcome, a.reply
        from message_sends s join message_attempts a on a.tenant_id = s.tenant_id and a.send_id = s.id where s.message_id = ${id}
        union all
        select s.id, s.attempt, s.provider_id, s.sent_at, 'sent', null from message_sends s
        where s.message_id = ${id} and s.sent_at is not null
          and not exists (select 1 from message_attempts a where a.tenant_id = s.tenant_id and a.send_id = s.id and a.attempt = s.attempt)) tried
      order by at, "sendId", attempt`,
    );
    const waiting = await rows<Waiting>(
      tx,
      sql`
      select s.next_attempt_at as "nextAttemptAt", case when s.type <> 'webpush' then array(
        select p.id from channel_providers p where p.tenant_id = s.tenant_id and p.channel = m.channel
          and (p.active or m.send_key like ${`${TEST_KEY}%`}) and p.id = coalesce(s.bound_provider_id, m.provider_id, p.id)) end as providers
      from messages m join message_sends s on s.tenant_id = m.tenant_id and s.message_id = m.id
      where m.id = ${id} and s.status = 'QUEUED' order by s.id`,
    );
    return { message, waiting, attempts };
  });
}

/** Why nobody has taken what passed the gates; nothing if it is on its way. */
function explainWaiting(waiting: readonly Waiting[], healthOf: HealthOf, now: Date): ExplainedGate[] {
  const stopped = (reason: string): ExplainedGate[] => [{ gate: 'provider', passed: false, reason, at: now }];
  if (waiting.some(({ providers }) => providers?.length === 0)) return stopped('no_provider');
  const isDown = (id: number) => healthOf(id).status === 'DOWN';
  if (waiting.some(({ providers }) => providers?.every(isDown))) return stopped('provider_down');
  const next = Math.min(...waiting.map(({ nextAttemptAt }) => nextAttemptAt.getTime()));
  return waiting.length > 0 && next > now.getTime() ? stopped(`next_attempt_${new Date(next).toISOString()}`) : [];
}

function explainGates(message: MessageRow): ExplainedGate[] {
  const { status, now } = message;
  if (status !== 'QUEUED' && status !== 'SENDING') {
    const stopped = status === 'SUPPRESSED' ? message.reason : null;
    const gates = upTo(message, stopped, message.updated_at);
    return stopped === null ? [...gates, ...explainSending(message)] : gates;
  }
  const held = message.hours && status === 'QUEUED' ? heldUntil(message.hours, message.created_at, now) : null;
  const waits = held === null || held === 'expired' ? held : `opens_${held.toISOString()}`;
  // Caps are asked when it is due.
  return upTo(message, message.refused ?? waits ?? message.capped, now);
}

/** All gates up to the one that stopped it. A reason that belongs to no gate (a stopped campaign) follows them. */
function upTo({ campaign_id: campaignId, content_version: version }: MessageRow, reason: string | null, at: Date) {
  const all = MESSAGE_GATES.filter((gate) => gate !== 'campaign' || campaignId !== null);
  const stop = reason?.startsWith('opens_') ? 'send_window' : messageGateOf(reason);
  const isHeld = stop === 'send_window';
  const asked = all.filter((gate) => !(isHeld && (gate === 'frequency_cap' || gate === 'priority')));
  const passed = stop === null ? asked : asked.slice(0, asked.indexOf(stop));
  const gates = passed.map((gate): ExplainedGate => ({
    gate,
    passed: true,
    reason: gate === 'template' && version !== null ? `content_version_${version}` : null,
    at,
  }));
  return reason === null ? gates : [...gates, { gate: stop ?? 'campaign', passed: false, reason, at }];
}

function explainSending(message: MessageRow): ExplainedGate[] {
  const { status, reason, updated_at: at, sent_at: sentAt, delivered_at: deliveredAt } = message;
  const isAccepted = status !== 'FAILED' && status !== 'UNKNOWN';
  const provider = { gate: 'provider', passed: isAccepted, reason: isAccepted ? null : reason, at: sentAt ?? at };
  if (status === 'DELIVERED') return [provider, { gate: 'delivery', passed: true, reason, at: deliveredAt ?? at }];
  return status === 'UNDELIVERED' ? [provider, { gate: 'delivery', passed: false, reason, at }] : [provider];
}
