import { Campaign, CampaignExecution } from '../../../db/entities/campaigns.ts';
import { Contact } from '../../../db/entities/contacts.ts';
import { EmailCampaign } from '../../../db/entities/email-campaigns.ts';
import { EmailTemplate } from '../../../db/entities/email-templates.ts';
import { Email, type EmailStatus } from '../../../db/entities/emails.ts';
import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { notFound } from '../../../lib/checks/errors.ts';
import { explainEmailIn, type ExplainedGate, type Explanation } from './explain-email.ts';
import { gateJoins, gateOf, refusal } from '../ledger/gates.ts';
import { fromKeyToVerify, unverifiedSenderReason } from '../senders/proven.ts';

/**
 * The explanation of the latest email of a campaign to a contact, with a list of all of them; if there is none, the
 * reasons.
 */
export interface ContactExplanation extends Omit<Explanation, 'emailId' | 'status'> {
  contactId: number;
  campaignId: number | null;
  emailId: number | null;
  status: EmailStatus | null;
  emails: { emailId: number; status: EmailStatus; createdAt: Date }[];
}

const MAX_EMAILS = 100;

/**
 * Explains why a contact got or did not get email of a campaign or email campaign; without a campaign, of any.
 * `mailFrom` is MAIL_FROM. Throws 404.
 */
export async function explainContactEmails(
  em: EntityManager,
  contactId: number,
  campaignId: number | null,
  mailFrom: string,
): Promise<ContactExplanation> {
  return em.transactional(async (tx) => {
    const contact = await tx.findOne(Contact, { id: contactId });
    if (!contact) throw notFound('contact', contactId);
    const mailing = campaignId === null ? null : await tx.findOne(EmailCampaign, { id: campaignId });
    if (campaignId !== null && !mailing && (await tx.count(Campaign, { id: campaignId })) === 0)
      throw notFound('campaign', campaignId);
    const found = await tx.find(
      Email,
      { contactId, ...(campaignId === null ? {} : { campaignId }) },
      { orderBy: { id: 'desc' }, limit: MAX_EMAILS },
    );
    const emails = found.map(({ id, status, createdAt }) => ({ emailId: id, status: status, createdAt: createdAt }));
    const about = { contactId, campaignId, emails };
    if (found[0]) return { ...about, ...(await explainEmailIn(tx, found[0].id, mailFrom)) };
    const gates = await (mailing
      ? explainMissingCampaignEmail(tx, mailing, contactId, mailFrom)
      : campaignId === null
        ? []
        : explainMissingStepEmail(tx, campaignId, contactId));
    return { ...about, emailId: null, status: null, gates, attempts: [] };
  });
}

/**
 * Why an email campaign has no email for a contact: it has not started, the contact is not in its segment, or a gate
 * refuses it.
 */
async function explainMissingCampaignEmail(
  tx: EntityManager,
  { tenantId, segmentId, status, nextRunAt, startedAt, templateId, variants }: EmailCampaign,
  contactId: number,
  mailFrom: string,
): Promise<ExplainedGate[]> {
  const at = new Date();
  const mailed = templateId ?? variants?.[0]?.templateId ?? null;
  const template = mailed === null ? null : await tx.findOne(EmailTemplate, { id: mailed });
  const [member] = await rows<{ added_at: Date }>(
    tx,
    sql`
    select added_at from segment_members where tenant_id = ${tenantId} and segment_id = ${segmentId ?? null} and contact_id = ${contactId}`,
  );
  const begun = startedAt != null && nextRunAt == null;
  const membership =
    member && begun
      ? `joined_segment_${segmentId}_too_late`
      : `${member ? '' : 'not_in_'}segment_${segmentId ?? 'deleted'}`;
  const gates: ExplainedGate[] = [
    { gate: 'membership', passed: member !== undefined && !begun, reason: membership, at: member?.added_at ?? at },
    { gate: 'campaign', passed: begun, reason: `campaign_${status.toLowerCase()}`, at },
  ];
  const [judged] = await rows<{ reason: string | null }>(
    tx,
    sql`
    with asked as (select ${tenantId}::text as tenant_id, ${contactId}::bigint as contact_id, ${mailed}::bigint as template_id,
      null::bigint as campaign_id, null::bigint as execution_id, null::text as to_key)
    select coalesce(${refusal}, ${unverifiedSenderReason(sql`e.tenant_id`, sql`${fromKeyToVerify(template?.fromEmail, mailFrom)}::text`)}) as reason from asked e ${gateJoins}`,
  );
  const stop = gateOf(judged!.reason);
  return stop ? [...gates, { gate: stop, passed: false, reason: judged!.reason, at }] : gates;
}

/** Why a campaign has no email for a contact: the contact has not entered it, or has not reached an EMAIL step. */
async function explainMissingStepEmail(
  tx: EntityManager,
  campaignId: number,
  contactId: number,
): Promise<ExplainedGate[]> {
  const execution = await tx.findOne(CampaignExecution, { campaignId, contactId }, { orderBy: { entryNo: 'desc' } });
  if (!execution) return [{ gate: 'membership', passed: false, reason: 'never_entered', at: new Date() }];
  return [
    { gate: 'membership', passed: true, reason: `execution_${execution.id}`, at: execution.startedAt },
    {
      gate: 'step',
      passed: false,
      reason:
        execution.status === 'RUNNING' ? 'no_email_step_yet' : `no_email_step_before_${execution.status.toLowerCase()}`,
      at: execution.finishedAt ?? new Date(),
    },
  ];
}
