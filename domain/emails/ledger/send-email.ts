import { randomUUID } from 'node:crypto';
import { Campaign } from '../../../db/entities/campaigns.ts';
import { Contact } from '../../../db/entities/contacts.ts';
import { EmailTemplate } from '../../../db/entities/email-templates.ts';
import type { EntityManager } from '../../../db/orm.ts';
import type { Origin } from '../../../events/outbox.ts';
import { normaliseEmail, type NormalisedEmail } from '../../../lib/addresses/email.ts';
import { isViolation } from '../../../lib/checks/violation.ts';
import { assertNoneMissing, assertValid, notFound, type Missing, type Violation } from '../../../lib/checks/errors.ts';
import { callId } from '../../idempotency/hash-request.ts';
import { queueEmails, type QueuedEmail } from './queue-emails.ts';

export interface SendInput {
  templateId: number;
  recipientId?: number;
  to?: string;
  data?: Record<string, unknown>;
  campaignId?: number;
}

/**
 * Queues one email to a contact or to an address. With a `callKey` (from the Idempotency-Key), repeating the same call
 * queues no second email. Throws 400, and 404 that names each missing template, contact and campaign.
 */
export async function sendEmail(
  em: EntityManager,
  origin: Origin,
  input: SendInput,
  callKey: string | null,
): Promise<QueuedEmail> {
  const { templateId, recipientId, to, data, campaignId } = input;
  assertValid(sendViolations(input, to));
  const toAddress = to === undefined ? null : keptAddress(to);
  const sendKey = `api:${await callId(callKey, [input])}`;
  return em.transactional(async (tx) => {
    const template = await tx.findOne(EmailTemplate, { id: templateId, systemKey: null });
    const missing: Missing[] = template ? [] : [{ path: '/templateId', what: 'template', id: templateId }];
    if (recipientId !== undefined && (await tx.count(Contact, { id: recipientId })) === 0)
      missing.push({ path: '/recipientId', what: 'contact', id: recipientId });
    if (campaignId !== undefined && (await tx.count(Campaign, { id: campaignId })) === 0)
      missing.push({ path: '/campaignId', what: 'campaign', id: campaignId });
    assertNoneMissing(missing);
    return queueOne(tx, origin, {
      sendKey,
      templateId,
      contactId: recipientId ?? null,
      toAddress,
      campaignId: campaignId ?? null,
      data: data ?? null,
      lane: template!.category === 'transactional' ? 'transactional' : 'journey',
    });
  });
}

/** Queues a test email of a template to an address, rendered with `data`. Throws 400, 404. */
export async function sendTest(
  em: EntityManager,
  origin: Origin,
  templateId: number,
  { to, data }: { to: string; data?: Record<string, unknown> },
): Promise<QueuedEmail> {
  assertValid(addressViolations(to));
  const toAddress = keptAddress(to);
  return em.transactional(async (tx) => {
    if ((await tx.count(EmailTemplate, { id: templateId, systemKey: null })) === 0)
      throw notFound('template', templateId);
    return queueOne(tx, origin, {
      sendKey: `test:${randomUUID()}`,
      templateId,
      contactId: null,
      toAddress,
      data,
      lane: 'transactional',
    });
  });
}

async function queueOne(
  tx: EntityManager,
  { tenantId, requestId }: Origin,
  request: Omit<Parameters<typeof queueEmails>[2][number], 'requestId'>,
): Promise<QueuedEmail> {
  const [queued] = await queueEmails(tx, tenantId, [{ ...request, requestId }]);
  return queued!;
}

/** The violations of a call: `given` is the unchecked body; `to` is the address if it is a string. */
export function sendViolations(
  given: { readonly recipientId?: unknown; readonly to?: unknown },
  to: string | undefined,
): Violation[] {
  const isOne = (given.recipientId === undefined) !== (given.to === undefined);
  const code = given.to === undefined ? 'required' : 'conflict';
  return [
    ...(isOne ? [] : [{ path: '/recipientId', code, message: 'give either recipientId or to' }]),
    ...addressViolations(to),
  ];
}

/** The violations of a test email's address. */
export function addressViolations(to: string | undefined): Violation[] {
  const found = to === undefined ? null : normaliseEmail(to);
  return found && isViolation(found) ? [{ path: '/to', ...found }] : [];
}

/** The form in which a valid address is stored. */
const keptAddress = (to: string): string => (normaliseEmail(to) as NormalisedEmail).email;
