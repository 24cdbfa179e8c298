import type { Form } from '../../db/entities/forms.ts';
import { formatTags } from '../contact-values/tags-text.ts';
import type { EntityManager } from '../../db/orm.ts';
import { queueEmails } from '../emails/ledger/queue-emails.ts';
import { NOTIFICATION_KEY, notificationTemplate } from '../emails/system-mail/notification-template.ts';
import { submissionKey } from '../emails/system-mail/notice-keys.ts';
import { upsertSystemTemplate } from '../emails/templates/keep-system-template.ts';

/** Characters of one value; the submission has the whole. */
const MAX_VALUE = 2000;

export interface NotifiedSubmission {
  id: number;
  contactId: number;
  email: string;
  values: Record<string, unknown>;
}

/**
 * Queues an email with the values of a submission to each address in `notifyEmails`, in the transaction `tx`. Answers
 * to it go to the submitter.
 */
export async function notifySubmission(
  tx: EntityManager,
  form: Form,
  { id, contactId, email, values }: NotifiedSubmission,
): Promise<void> {
  const addresses = form.notifyEmails ?? [];
  if (addresses.length === 0) return;
  const { tenantId } = form;
  const templateId = await upsertSystemTemplate(tx, tenantId, NOTIFICATION_KEY, notificationTemplate());
  const lines = form.fields.flatMap(({ name, label }) => {
    const value = Object.hasOwn(values, name) ? textOf(values[name]) : '';
    return value === '' ? [] : [`${label}: ${value.slice(0, MAX_VALUE)}`];
  });
  // It is not asked of a known contact.
  if (!Object.values(values).includes(email)) lines.push(`Email: ${email}`);
  const body = lines.join('\n').toWellFormed();
  // The contact is named for its erasure, which must find the email also when form and submission are gone.
  const data = { subject: `${form.name}: new submission`, body, replyTo: email, contactId };
  await queueEmails(
    tx,
    tenantId,
    addresses.map((toAddress, index) => ({
      sendKey: submissionKey(id, index),
      templateId,
      contactId: null,
      toAddress,
      // Anybody can cause any number of them, which must not delay the emails of accounts.
      lane: 'journey',
      data,
      requestId: null,
      accepted: true,
    })),
  );
}

function textOf(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return formatTags(value as string[]);
  if (typeof value === 'object' && value !== null) return (value as { fileName?: string }).fileName ?? '';
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
