import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import type { EmailCampaignStatus } from '../../../db/entities/email-campaigns.ts';
import type { BounceKind, EmailLane, EmailStatus } from '../../../db/entities/emails.ts';
import { notFound } from '../../../lib/checks/errors.ts';
import { GATES, capJoin, gateJoins, gateOf, refusalAtStart } from '../ledger/gates.ts';
import { addressKey } from '../../addresses/address-key.ts';
import { fromKeyToVerify } from '../senders/proven.ts';

export interface ExplainedGate {
  gate: string;
  passed: boolean;
  reason: string | null;
  at: Date;
}

export interface Explanation {
  emailId: number;
  status: EmailStatus;
  gates: ExplainedGate[];
  attempts: { provider: string; at: Date; reply: string | null }[];
}

interface ExplainedRow {
  lane: EmailLane;
  from_email: string | null;
  segment_id: number | null;
  campaign_status: EmailCampaignStatus | null;
  held_until: Date | null;
  status: EmailStatus;
  reason: string | null;
  content_version: number | null;
  to_address: string | null;
  accepted_at: Date | null;
  created_at: Date;
  updated_at: Date;
  sent_at: Date | null;
  now: Date;
}

/** Reasons why there was no message to give to a provider. */
const UNWRITTEN: readonly string[] = [
  'template_failed',
  'template_limit',
  'address_invalid',
  'not_rendered',
  'attachment_gone',
];

interface BounceRow {
  kind: BounceKind;
  status_code: string | null;
  at: Date;
}

/**
 * Explains which gates an email passed and where it stopped, in order: the gates, the intake (a send request was
 * accepted), the provider, and later reports (delivery, bounces, complaints). The gates of an email not sent yet are
 * evaluated now; for others the stored result counts. `mailFrom` is MAIL_FROM. Throws 404.
 */
export async function explainEmail(em: EntityManager, id: number, mailFrom: string): Promise<Explanation> {
  return em.transactional((tx) => explainEmailIn(tx, id, mailFrom));
}

/** The same within a transaction. */
export async function explainEmailIn(tx: EntityManager, id: number, mailFrom: string): Promise<Explanation> {
  const [email] = await rows<ExplainedRow>(
    tx,
    sql`
    select e.lane, t.from_email, k.segment_id, k.status as campaign_status, case when e.held_until = e.next_attempt_at then e.held_until end as held_until, e.status, e.reason, e.content_version, e.to_address,
      coalesce(e.accepted_at, b.released_at) as accepted_at, e.created_at, e.updated_at, e.sent_at, now() as now
    from emails e left join email_campaigns k on k.tenant_id = e.tenant_id and k.id = e.campaign_id
    left join email_templates t on t.tenant_id = e.tenant_id and t.id = e.template_id
    left join email_batches b on b.tenant_id = e.tenant_id and b.campaign_id = e.campaign_id and e.id = any(b.email_ids) and k.status <> 'PAUSED'
    where e.id = ${id}`,
  );
  if (!email) throw notFound('email', id);
  const attempts = await rows<{ provider: string; at: Date; reply: string | null }>(
    tx,
    sql`
    select provider, at, reply from (
      select attempt, provider, at, reply from email_attempts where email_id = ${id}
      union all
      select attempt, provider, sent_at, reply from emails e where id = ${id} and sent_at is not null
        and not exists (select 1 from email_attempts a where a.email_id = e.id and a.attempt = e.attempt)) tried
    order by attempt`,
  );
  const bounces = await rows<BounceRow>(
    tx,
    // The reply to an attempt is what the gate `provider` tells already.
    sql`select kind, status_code, at from email_bounces where email_id = ${id} and source <> 'smtp' order by at, id`,
  );
  const open = email.status === 'QUEUED' || email.status === 'SENDING';
  const stoppedBy = open
    ? await refusalNow(tx, id, email.to_address, fromKeyToVerify(email.from_email, mailFrom))
    : email.status === 'SUPPRESSED'
      ? email.reason
      : null;
  const gates = [...explainMembership(email), ...explainGates(email, stoppedBy, open ? email.now : email.updated_at)];
  if (stoppedBy === null || open) gates.push(...explainDelivery(email));
  gates.push(...bounces.map(explainBounce));
  return { emailId: id, status: email.status, gates, attempts };
}

/** For an email campaign: the contact was in its segment when the audience was frozen. */
function explainMembership({ lane, segment_id: segmentId, created_at: at }: ExplainedRow): ExplainedGate[] {
  return lane === 'bulk'
    ? [{ gate: 'membership', passed: true, reason: segmentId === null ? null : `segment_${segmentId}`, at }]
    : [];
}

/**
 * All gates up to the one that stopped the email. A reason that belongs to no gate (a stopped campaign) follows the
 * passed gates.
 */
function explainGates(
  { lane, content_version: contentVersion }: ExplainedRow,
  stoppedBy: string | null,
  at: Date,
): ExplainedGate[] {
  const stop = stoppedBy === 'erased' ? 'contact' : gateOf(stoppedBy);
  const all = GATES.filter((gate) => gate !== 'campaign' || lane === 'bulk');
  const passed = stop === null ? all : all.slice(0, all.indexOf(stop));
  const gates: ExplainedGate[] = passed.map((gate) => ({
    gate,
    passed: true,
    reason: gate === 'template' && contentVersion !== null ? `content_version_${contentVersion}` : null,
    at,
  }));
  if (stoppedBy !== null)
    gates.push({
      gate: stop ?? (stoppedBy === 'expired' ? 'send_window' : 'campaign'),
      passed: false,
      reason: stoppedBy,
      at,
    });
  return gates;
}

function explainDelivery(email: ExplainedRow): ExplainedGate[] {
  const {
    status,
    reason,
    accepted_at: acceptedAt,
    created_at: createdAt,
    updated_at: updatedAt,
    sent_at: sentAt,
  } = email;
  if (acceptedAt === null) {
    const waits = email.campaign_status === 'PAUSED' ? 'campaign_paused' : 'waiting';
    return status === 'QUEUED' ? [{ gate: 'intake', passed: false, reason: waits, at: createdAt }] : [];
  }
  const intake = { gate: 'intake', passed: true, reason: null, at: acceptedAt };
  const opens = status === 'QUEUED' ? email.held_until : null;
  if (opens !== null && opens > email.now)
    return [intake, { gate: 'send_window', passed: false, reason: `opens_${opens.toISOString()}`, at: email.now }];
  if (status === 'QUEUED' || status === 'SENDING') return [intake];
  const accepted = status !== 'FAILED' && status !== 'UNKNOWN';
  const confirmed = reason?.startsWith('confirmed_by_') ? reason : null;
  // Emails that could not be rendered or addressed never reached a provider.
  const gate = status === 'FAILED' && UNWRITTEN.includes(reason ?? '') ? 'message' : 'provider';
  const provider = {
    gate,
    passed: accepted,
    reason: accepted && status === 'SENT' ? confirmed : accepted ? null : reason,
    at: (accepted ? sentAt : null) ?? updatedAt,
  };
  return status === 'DELIVERED'
    ? [intake, provider, { gate: 'delivery', passed: true, reason: confirmed, at: updatedAt }]
    : [intake, provider];
}

function explainBounce({ kind, status_code: code, at }: BounceRow): ExplainedGate {
  if (kind === 'complaint') return { gate: 'complaint', passed: false, reason: 'complaint', at };
  return { gate: 'bounce', passed: false, reason: code === null ? `${kind}_bounce` : `${kind}_bounce ${code}`, at };
}

async function refusalNow(
  tx: EntityManager,
  id: number,
  toAddress: string | null,
  fromKey: string | null,
): Promise<string | null> {
  const [row] = await rows<{ reason: string | null }>(
    tx,
    sql`
    with asked as (select m.*, ${toAddress === null ? null : addressKey(toAddress)}::text as to_key from emails m where m.id = ${id})
    select coalesce(${refusalAtStart(sql`${fromKey}::text`)}, v.reason) as reason from asked e ${gateJoins} ${capJoin}`,
  );
  return row?.reason ?? null;
}
