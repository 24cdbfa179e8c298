import { rows, sql, type EntityManager } from '../../db/orm.ts';
import type { EmailStatus } from '../../db/entities/emails.ts';
import { notFound } from '../errors.ts';
import { GATES, gateJoins, gateOf, refusal } from './gates.ts';
import { addressKey } from './queue-emails.ts';

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
  status: EmailStatus;
  reason: string | null;
  content_version: number | null;
  to_address: string | null;
  accepted_at: Date | null;
  created_at: Date;
  updated_at: Date;
  now: Date;
}

/**
 * What an email passed and where it stopped, in order: the gates, its intake (a send request was taken in), and the
 * provider. Of an email that is still to go the gates are judged as they are now; of the others as they were at its end.
 * Throws 404.
 */
export async function explainEmail(em: EntityManager, id: number): Promise<Explanation> {
  return em.transactional(async (tx) => {
    const [email] = await rows<ExplainedRow>(tx, sql`
      select status, reason, content_version, to_address, accepted_at, created_at, updated_at, now() as now from emails where id = ${id}`);
    if (!email) throw notFound('email', id);
    const attempts = await rows<{ provider: string; at: Date; reply: string | null }>(tx, sql`
      select provider, at, reply from email_attempts where email_id = ${id} order by attempt`);
    const open = email.status === 'QUEUED' || email.status === 'SENDING';
    const stoppedBy = open ? await refusalNow(tx, id, email.to_address) : email.status === 'SUPPRESSED' ? email.reason : null;
    const gates = explainGates(stoppedBy, open ? email.now : email.updated_at, email.content_version);
    if (stoppedBy === null || open) gates.push(...explainDelivery(email));
    return { emailId: id, status: email.status, gates, attempts };
  });
}

/** Every gate up to the one that stopped it. A reason of no gate (a stopped campaign) is told after those it passed. */
function explainGates(stoppedBy: string | null, at: Date, contentVersion: number | null): ExplainedGate[] {
  const stop = gateOf(stoppedBy);
  const passed = stop === null ? GATES : GATES.slice(0, GATES.indexOf(stop));
  const gates: ExplainedGate[] = passed.map((gate) => (
    { gate, passed: true, reason: gate === 'template' && contentVersion !== null ? `content_version_${contentVersion}` : null, at }));
  if (stoppedBy !== null) gates.push({ gate: stop ?? 'campaign', passed: false, reason: stoppedBy, at });
  return gates;
}

function explainDelivery({ status, reason, accepted_at: acceptedAt, created_at: createdAt, updated_at: updatedAt }: ExplainedRow): ExplainedGate[] {
  if (acceptedAt === null) return status === 'QUEUED' ? [{ gate: 'intake', passed: false, reason: 'waiting', at: createdAt }] : [];
  const intake = { gate: 'intake', passed: true, reason: null, at: acceptedAt };
  if (status === 'QUEUED' || status === 'SENDING') return [intake];
  const accepted = status !== 'FAILED' && status !== 'UNKNOWN';
  return [intake, { gate: 'provider', passed: accepted, reason: accepted ? null : reason, at: updatedAt }];
}

async function refusalNow(tx: EntityManager, id: number, toAddress: string | null): Promise<string | null> {
  const [row] = await rows<{ reason: string | null }>(tx, sql`
    with asked as (select m.*, ${toAddress === null ? null : addressKey(toAddress)}::text as to_key from emails m where m.id = ${id})
    select ${refusal} as reason from asked e ${gateJoins}`);
  return row?.reason ?? null;
}
