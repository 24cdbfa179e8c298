import { randomBytes } from 'node:crypto';
import { LockMode } from '@mikro-orm/core';
import { EmailSender } from '../../../db/entities/email-senders.ts';
import { freshEm, type EntityManager } from '../../../db/orm.ts';
import { appendAudit, type Author } from '../../audit/audit.ts';
import { sealSecret, type BoxSecrets } from '../../../lib/text/secret-box.ts';
import { asciiDomain, normaliseEmail } from '../../../lib/addresses/email.ts';
import { isViolation } from '../../../lib/checks/violation.ts';
import { AppError, assertNotInUse, assertValid, notFound, type Violation } from '../../../lib/checks/errors.ts';
import type { LinkSigner } from '../../addresses/tokens.ts';
import { mailConfirmation } from './confirm-sender.ts';
import { keyOwner, makeKey, readKey, type DkimKey } from '../senders/keys.ts';
import { isOfDomain, proofsOf, isVerifiedBy, templatesLosingSender } from '../senders/proven.ts';
import { noLiquid } from '../../../lib/text/liquid.ts';
import { notOneLine } from '../../../lib/checks/schema-check.ts';

/** The requested DKIM key: a given one, or one to be generated. */
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
  /** Null: emails are not signed. */
  dkim?: DkimInput | null;
}

/** One or more labels (RFC 6376 section 3.1), in lower case. */
const SELECTOR = /^(?!.{64})[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/;

interface Services {
  env: BoxSecrets;
  links: LinkSigner;
}

/**
 * Creates a sender; with `dkim` also a key, which signs its emails from then on, even before its DNS record is found.
 * Emails a link to confirm the address, unless the tenant has already verified its domain. Throws 400 with every
 * violation, 409 `email_taken`, 429.
 */
export async function createSender(
  em: EntityManager,
  { env, links }: Services,
  author: Author,
  input: SenderInput,
): Promise<EmailSender> {
  assertValid(senderViolations(input));
  const fields = checkFields(input).values;
  const key = input.dkim ? await keyFor(fields.emailKey!, input.dkim) : null;
  return em.transactional(async (tx) => {
    const sender = tx.create(EmailSender, {
      ...(fields as { email: string; emailKey: string }),
      tenantId: author.tenantId,
    });
    if (key) setKey(sender, env, key);
    await tx.flush();
    await mailUnlessProven(tx, links, author, sender);
    await appendAudit(tx, author, {
      action: 'email_sender.created',
      resourceType: 'email_sender',
      resourceId: sender.id,
      after: audited(sender),
    });
    return sender;
  });
}

/**
 * Changes the given fields; `check` gets the current sender, locked. Another DKIM domain, selector or private key
 * replaces the current key; another address must be confirmed again, and another domain verified. Throws 400, 404, 409
 * `email_taken`, 409 `in_use` listing the templates whose address would no longer be a verified sender, 429.
 */
export async function updateSender(
  em: EntityManager,
  { env, links }: Services,
  author: Author,
  id: number,
  input: Partial<SenderInput>,
  check: (current: EmailSender) => void,
): Promise<EmailSender> {
  const fields = checkFields(input).values;
  const before = await freshEm(em).findOne(EmailSender, { id });
  if (!before) throw notFound('sender', id);
  assertValid(senderViolations(input, before));
  // Generating a key takes a while, so do it before locking.
  const wanted =
    input.dkim && isAnotherKey(before, input.dkim)
      ? await keyFor(fields.emailKey ?? before.emailKey, input.dkim)
      : null;
  return em.transactional(async (tx) => {
    const sender = await lockSender(tx, id);
    check(sender);
    if (wanted && sender.version !== before.version)
      throw new AppError('conflict', 'The sender was changed at the same time; try again');
    const was = audited(sender);
    const { emailKey, confirmedAt, verifiedDomain } = sender;
    tx.assign(sender, fields);
    const isAnother = sender.emailKey !== emailKey;
    if (isAnother) sender.confirmedAt = null;
    if (input.dkim === null) Object.assign(sender, NO_KEY);
    else if (wanted) setKey(sender, env, wanted);
    else if (sender.dkimDomain && !isOfDomain(sender.emailKey, sender.dkimDomain)) {
      assertValid([notAligned(sender.dkimDomain)]);
    }
    assertNotInUse(await templatesLosingSender(tx, sender, { emailKey, confirmedAt, verifiedDomain }, sender));
    await tx.flush();
    if (isAnother) await mailUnlessProven(tx, links, author, sender);
    await appendAudit(tx, author, {
      action: 'email_sender.updated',
      resourceType: 'email_sender',
      resourceId: id,
      before: was,
      after: audited(sender),
    });
    return sender;
  });
}

/**
 * Deletes a sender with its key. Throws 404, 409 `in_use` listing the templates that use its address, or an address
 * that only this sender verifies.
 */
export async function deleteSender(
  em: EntityManager,
  author: Author,
  id: number,
  check: (current: EmailSender) => void,
): Promise<void> {
  await em.transactional(async (tx) => {
    const sender = await lockSender(tx, id);
    check(sender);
    assertNotInUse(await templatesLosingSender(tx, sender, sender, null));
    const was = audited(sender);
    await tx.remove(sender).flush();
    await appendAudit(tx, author, {
      action: 'email_sender.deleted',
      resourceType: 'email_sender',
      resourceId: id,
      before: was,
    });
  });
}

async function lockSender(tx: EntityManager, id: number): Promise<EmailSender> {
  const sender = await tx.findOne(EmailSender, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (!sender) throw notFound('sender', id);
  return sender;
}

async function mailUnlessProven(
  tx: EntityManager,
  links: LinkSigner,
  author: Author,
  sender: EmailSender,
): Promise<void> {
  if (!isVerifiedBy(await proofsOf(tx, sender.tenantId), sender.emailKey))
    await mailConfirmation(tx, links, author, sender);
}

const notAligned = (domain: string): Violation => ({
  path: '/email',
  code: 'not_aligned',
  message: `must be an address of the DKIM domain ${domain}; otherwise change dkim too, or set it to null`,
});

/** All violations of a new sender, or of a change of `before`. */
export function senderViolations(input: Partial<SenderInput>, before?: EmailSender): Violation[] {
  const { values, violations } = checkFields(input);
  const emailKey = input.email === undefined ? before?.emailKey : values.emailKey;
  const { dkim } = input;
  if (dkim && (!before || isAnotherKey(before, dkim))) return [...violations, ...checkKey(emailKey, dkim).violations];
  const domain = dkim === null ? null : before?.dkimDomain;
  return domain && emailKey !== undefined && !isOfDomain(emailKey, domain)
    ? [...violations, notAligned(domain)]
    : violations;
}

/** The columns of the given fields, and their violations. */
function checkFields({ email, name, replyTo }: Partial<SenderInput>): {
  values: Partial<Pick<EmailSender, 'email' | 'emailKey' | 'name' | 'replyTo'>>;
  violations: Violation[];
} {
  const address = email === undefined ? null : (noLiquid(email) ?? normaliseEmail(email));
  const answers = replyTo ? (noLiquid(replyTo) ?? normaliseEmail(replyTo)) : null;
  const violations: Violation[] = [];
  if (address && isViolation(address)) violations.push({ path: '/email', ...address });
  if (answers && isViolation(answers)) violations.push({ path: '/replyTo', ...answers });
  // The name must be one line, because it is used in the From header.
  const wrong = notOneLine(name) ?? noLiquid(name);
  if (wrong) violations.push({ path: '/name', ...wrong });
  const values = {
    ...(address && !isViolation(address) ? address : {}),
    ...(name === undefined ? {} : { name: name || null }),
    ...(replyTo === undefined ? {} : { replyTo: answers && !isViolation(answers) ? answers.email : null }),
  };
  return { values, violations };
}

function isAnotherKey(sender: EmailSender, { domain, selector, privateKey }: DkimInput): boolean {
  const differs = (given: string | undefined, present: string | null | undefined): boolean =>
    given !== undefined && given.toLowerCase() !== present;
  return (
    !sender.dkimPrivateKey ||
    privateKey !== undefined ||
    differs(domain, sender.dkimDomain) ||
    differs(selector, sender.dkimSelector)
  );
}

interface NewKey extends DkimKey {
  domain: string;
  selector: string;
  /** The key was given, not generated. */
  brought: boolean;
}

const NO_KEY = {
  dkimDomain: null,
  dkimSelector: null,
  dkimPrivateKey: null,
  dkimPublicKey: null,
  dkimVerifiedAt: null,
  dkimBrought: false,
  verifiedDomain: null,
} as const;

/** Parses or generates the requested key. Throws 400 with every violation. */
async function keyFor(emailKey: string, asked: DkimInput): Promise<NewKey> {
  const { domain, selector, key, violations } = checkKey(emailKey, asked);
  assertValid(violations);
  return { domain: domain!, selector, brought: key !== null, ...(key ?? (await makeKey())) };
}

/**
 * The requested key, null if it is to be generated, and its violations. Without a known address, alignment is not
 * checked.
 */
function checkKey(
  emailKey: string | undefined,
  { domain: givenDomain, selector: givenSelector, privateKey }: DkimInput,
) {
  const domain =
    givenDomain === undefined ? emailKey?.slice(emailKey.lastIndexOf('@') + 1) : asciiDomain(givenDomain.trim());
  // A new selector for each key, so that the next record can be published beside the previous one.
  const selector = givenSelector?.toLowerCase() ?? `perennial-${randomBytes(4).toString('hex')}`;
  const violations: Violation[] = [];
  // Receivers require the signing domain to match the From domain (RFC 7489 section 3.1.1).
  if (emailKey !== undefined && !isOfDomain(emailKey, domain!))
    violations.push({
      path: '/dkim/domain',
      code: 'not_aligned',
      message: 'must be the domain of the address or a parent domain',
    });
  if (!SELECTOR.test(selector))
    violations.push({
      path: '/dkim/selector',
      code: 'invalid_selector',
      message: 'must consist of labels of letters, digits and hyphens, at most 63 characters',
    });
  const read = privateKey === undefined ? null : readKey(privateKey);
  if (read && isViolation(read)) violations.push({ path: '/dkim/privateKey', ...read });
  return { domain, selector, key: read && !isViolation(read) ? read : null, violations };
}

function setKey(
  sender: EmailSender,
  secrets: BoxSecrets,
  { domain, selector, publicKey, pkcs8, brought }: NewKey,
): void {
  // A new key for a verified domain keeps the domain verified, although its record is not published yet.
  if (sender.verifiedDomain !== domain) sender.verifiedDomain = null;
  Object.assign(sender, {
    dkimDomain: domain,
    dkimSelector: selector,
    dkimPublicKey: publicKey,
    dkimVerifiedAt: null,
    dkimBrought: brought,
  });
  sender.dkimPrivateKey = sealSecret(secrets, keyOwner(sender), pkcs8);
}

/** A sender in the audit log: its public DKIM record, no addresses. */
const audited = ({ dkimDomain, dkimSelector, dkimPublicKey }: EmailSender): Record<string, unknown> => ({
  dkimDomain: dkimDomain ?? null,
  dkimSelector: dkimSelector ?? null,
  dkimPublicKey: dkimPublicKey ?? null,
});
