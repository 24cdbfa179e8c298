import { randomBytes } from 'node:crypto';
import { domainToASCII } from 'node:url';
import { LockMode } from '@mikro-orm/core';
import { EmailSender } from '../../../db/entities/email-senders.ts';
import { freshEm, rows, sql, type EntityManager } from '../../../db/orm.ts';
import { appendAudit, type Author } from '../../auth/audit.ts';
import { sealSecret, type BoxSecrets } from '../../auth/secret-box.ts';
import { normaliseEmail } from '../../contacts/email.ts';
import { isViolation } from '../../contacts/violation.ts';
import { AppError, assertNotInUse, assertValid, notFound, type User, type Violation } from '../../errors.ts';
import { addressKey } from '../queue-emails.ts';
import { keyOwner, makeKey, readKey, type DkimKey } from './keys.ts';
import { checkRecord, recordName, recordValue, type ResolveTxt } from './record.ts';

/** Asks for a key: one that is given, or one that is made here. */
export interface DkimInput {
  domain?: string;
  selector?: string;
  /** PEM. */
  privateKey?: string;
}

export interface SenderInput {
  email: string;
  name?: string | null;
  replyTo?: string | null;
  /** Null: mail is not signed. */
  dkim?: DkimInput | null;
}

/** A key as its owner sees it. */
export interface DkimShown {
  domain: string;
  selector: string;
  publicKey: string;
  dnsName: string;
  dnsValue: string;
  verifiedAt: Date | null;
}

/** One label or more (RFC 6376 section 3.1), in lower case. */
const SELECTOR = /^(?!.{64})[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/;

/** The key of a sender without its private half; null where it has none. */
export function shownKey({ dkimDomain: domain, dkimSelector: selector, dkimPublicKey: publicKey, dkimVerifiedAt }: EmailSender): DkimShown | null {
  if (!domain || !selector || !publicKey) return null;
  return { domain, selector, publicKey, dnsName: recordName(domain, selector), dnsValue: recordValue(publicKey), verifiedAt: dkimVerifiedAt ?? null };
}

/** Makes a sender; by `dkim` with a key, which signs its mail from now on. Throws 400 with every mistake, 409 `email_taken`. */
export async function createSender(em: EntityManager, secrets: BoxSecrets, author: Author, input: SenderInput): Promise<EmailSender> {
  assertValid(senderViolations(input));
  const fields = checkFields(input).values;
  const key = input.dkim ? await keyFor(fields.emailKey!, input.dkim) : null;
  return em.transactional(async (tx) => {
    const sender = tx.create(EmailSender, { ...(fields as { email: string; emailKey: string }), tenantId: author.tenantId });
    if (key) setKey(sender, secrets, key);
    await tx.flush();
    await appendAudit(tx, author, { action: 'email_sender.created', resourceType: 'email_sender', resourceId: sender.id, after: audited(sender) });
    return sender;
  });
}

/**
 * Changes the given fields; `check` sees the sender as it is, under its lock. Another selector or private key takes the
 * place of the key that there is. Throws 400, 404, 409 `email_taken`, 409 `in_use` where templates name an address that
 * would be no sender's any more.
 */
export async function updateSender(
  em: EntityManager, secrets: BoxSecrets, author: Author, id: number, input: Partial<SenderInput>, check: (current: EmailSender) => void,
): Promise<EmailSender> {
  const fields = checkFields(input).values;
  const before = await freshEm(em).findOne(EmailSender, { id });
  if (!before) throw notFound('sender', id);
  assertValid(senderViolations(input, before));
  // A key takes a while to make, and no lock is held meanwhile.
  const wanted = input.dkim && isAnotherKey(before, input.dkim) ? await keyFor(fields.emailKey ?? before.emailKey, input.dkim) : null;
  return em.transactional(async (tx) => {
    const sender = await lockSender(tx, id);
    check(sender);
    if (wanted && sender.version !== before.version) throw new AppError('conflict', 'The sender was changed at the same time; try again');
    const was = audited(sender);
    if (fields.emailKey && fields.emailKey !== sender.emailKey) assertNotInUse(await templatesNaming(tx, sender));
    tx.assign(sender, fields);
    if (input.dkim === null) Object.assign(sender, { dkimDomain: null, dkimSelector: null, dkimPrivateKey: null, dkimPublicKey: null, dkimVerifiedAt: null });
    else if (wanted) setKey(sender, secrets, wanted);
    else if (sender.dkimDomain && !isAligned(sender.emailKey, sender.dkimDomain)) {
      assertValid([notAligned(sender.dkimDomain)]);
    }
    await tx.flush();
    await appendAudit(tx, author, { action: 'email_sender.updated', resourceType: 'email_sender', resourceId: id, before: was, after: audited(sender) });
    return sender;
  });
}

/** Deletes a sender with its key. Throws 404, 409 `in_use` with the templates that name its address. */
export async function deleteSender(em: EntityManager, author: Author, id: number, check: (current: EmailSender) => void): Promise<void> {
  await em.transactional(async (tx) => {
    const sender = await lockSender(tx, id);
    check(sender);
    assertNotInUse(await templatesNaming(tx, sender));
    const was = audited(sender);
    await tx.remove(sender).flush();
    await appendAudit(tx, author, { action: 'email_sender.deleted', resourceType: 'email_sender', resourceId: id, before: was });
  });
}

/**
 * Looks the record of a sender's key up and notes whether it is as it should be. Throws 404, 409 `conflict` without a key,
 * 409 `dns_record_invalid` with what is wrong, 503 when the DNS gives no answer.
 */
export async function verifySender(em: EntityManager, resolve: ResolveTxt, id: number): Promise<EmailSender> {
  const before = await freshEm(em).findOne(EmailSender, { id });
  if (!before) throw notFound('sender', id);
  const key = shownKey(before);
  if (!key) throw new AppError('conflict', 'The sender has no DKIM key');
  const violation = await checkRecord(resolve, key);
  const sender = await em.transactional(async (tx) => {
    const found = await lockSender(tx, id);
    if (found.dkimPublicKey !== key.publicKey || found.dkimSelector !== key.selector || found.dkimDomain !== key.domain) {
      throw new AppError('conflict', 'The key was changed at the same time; try again');
    }
    found.dkimVerifiedAt = violation ? null : new Date();
    await tx.flush();
    return found;
  });
  if (violation) throw new AppError('dns_record_invalid', violation.message, { errors: [violation] });
  return sender;
}

async function lockSender(tx: EntityManager, id: number): Promise<EmailSender> {
  const sender = await tx.findOne(EmailSender, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (!sender) throw notFound('sender', id);
  return sender;
}

/** Addresses are compared as everywhere; a tenant has not so many templates with one that they could not be read. */
async function templatesNaming(tx: EntityManager, { tenantId, emailKey }: EmailSender): Promise<User[]> {
  const found = await rows<{ id: number; name: string; from_email: string }>(tx, sql`
    select id, name, from_email from email_templates where tenant_id = ${tenantId} and from_email is not null order by id`);
  return found.filter((template) => addressKey(template.from_email) === emailKey).map(({ id, name }) => ({ kind: 'template', id, name }));
}

const notAligned = (domain: string): Violation => (
  { path: '/email', code: 'not_aligned', message: `is not of ${domain}, whose key signs its mail; give dkim, or null for none` });

/** Everything that is wrong with a sender, or with a change of the one that there is. */
export function senderViolations(input: Partial<SenderInput>, before?: EmailSender): Violation[] {
  const { values, violations } = checkFields(input);
  const emailKey = input.email === undefined ? before?.emailKey : values.emailKey;
  const { dkim } = input;
  if (dkim && (!before || isAnotherKey(before, dkim))) return [...violations, ...checkKey(emailKey, dkim).violations];
  const domain = dkim === null ? null : before?.dkimDomain;
  return domain && emailKey !== undefined && !isAligned(emailKey, domain) ? [...violations, notAligned(domain)] : violations;
}

/** The columns of what is given, and what is wrong with it. */
function checkFields({ email, name, replyTo }: Partial<SenderInput>): { values: Partial<Pick<EmailSender, 'email' | 'emailKey' | 'name' | 'replyTo'>>; violations: Violation[] } {
  const address = email === undefined ? null : normaliseEmail(email);
  const answers = replyTo ? normaliseEmail(replyTo) : null;
  const violations: Violation[] = [];
  if (address && isViolation(address)) violations.push({ path: '/email', ...address });
  if (answers && isViolation(answers)) violations.push({ path: '/replyTo', ...answers });
  // One line: it stands in the From header.
  if (/\p{Cc}/u.test(name ?? '')) violations.push({ path: '/name', code: 'invalid_character', message: 'must not contain control characters' });
  const values = {
    ...(address && !isViolation(address) ? address : {}),
    ...(name === undefined ? {} : { name: name || null }),
    ...(replyTo === undefined ? {} : { replyTo: answers && !isViolation(answers) ? answers.email : null }),
  };
  return { values, violations };
}

/** Receivers ask that who signs is who writes (RFC 7489 section 3.1.1): the address's domain, or one above it. */
function isAligned(emailKey: string, domain: string): boolean {
  return `.${emailKey.slice(emailKey.lastIndexOf('@') + 1)}`.endsWith(`.${domain}`) && domain.includes('.');
}

function isAnotherKey(sender: EmailSender, { domain, selector, privateKey }: DkimInput): boolean {
  const differs = (given: string | undefined, present: string | null | undefined): boolean => given !== undefined && given.toLowerCase() !== present;
  return !sender.dkimPrivateKey || privateKey !== undefined || differs(domain, sender.dkimDomain) || differs(selector, sender.dkimSelector);
}

interface NewKey extends DkimKey {
  domain: string;
  selector: string;
}

/** Reads or makes the key that is asked for. Throws 400 with every mistake. */
async function keyFor(emailKey: string, asked: DkimInput): Promise<NewKey> {
  const { domain, selector, key, violations } = checkKey(emailKey, asked);
  assertValid(violations);
  return { domain: domain!, selector, ...(key ?? (await makeKey())) };
}

/** The key that is asked for, null where it is to be made, and what is wrong with it; an address that is not known is not judged. */
function checkKey(emailKey: string | undefined, { domain: givenDomain, selector: givenSelector, privateKey }: DkimInput) {
  const domain = givenDomain === undefined ? emailKey?.slice(emailKey.lastIndexOf('@') + 1) : domainToASCII(givenDomain.trim().toLowerCase());
  // Another for each key: who changes keys publishes the next record beside the last.
  const selector = givenSelector?.toLowerCase() ?? `perennial-${randomBytes(4).toString('hex')}`;
  const violations: Violation[] = [];
  if (emailKey !== undefined && !isAligned(emailKey, domain!)) violations.push({ path: '/dkim/domain', code: 'not_aligned', message: 'must be the domain of the address, or one above it' });
  if (!SELECTOR.test(selector)) violations.push({ path: '/dkim/selector', code: 'invalid_selector', message: 'must be labels of letters, digits and hyphens, 63 characters at most' });
  const read = privateKey === undefined ? null : readKey(privateKey);
  if (read && isViolation(read)) violations.push({ path: '/dkim/privateKey', ...read });
  return { domain, selector, key: read && !isViolation(read) ? read : null, violations };
}

function setKey(sender: EmailSender, secrets: BoxSecrets, { domain, selector, publicKey, pkcs8 }: NewKey): void {
  Object.assign(sender, { dkimDomain: domain, dkimSelector: selector, dkimPublicKey: publicKey, dkimVerifiedAt: null });
  sender.dkimPrivateKey = sealSecret(secrets, keyOwner(sender), pkcs8);
}

/** What the audit log tells of a sender: its key by what the whole world reads, no addresses. */
const audited = ({ dkimDomain, dkimSelector, dkimPublicKey }: EmailSender): Record<string, unknown> =>
  ({ dkimDomain: dkimDomain ?? null, dkimSelector: dkimSelector ?? null, dkimPublicKey: dkimPublicKey ?? null });
