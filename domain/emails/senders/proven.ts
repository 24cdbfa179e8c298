import type { EmailSender } from '../../../db/entities/email-senders.ts';
import { rows, sql, type EntityManager, type RawBuilder } from '../../../db/orm.ts';
import { normaliseEmail } from '../../../lib/addresses/email.ts';
import { isViolation } from '../../../lib/checks/violation.ts';
import type { Referrer, Violation } from '../../../lib/checks/errors.ts';
import { addressKey } from '../../addresses/address-key.ts';
import { parseMailbox } from '../../../lib/addresses/mailbox.ts';

/** The columns of a sender that can prove that an address is the tenant's. */
export type Proof = Pick<EmailSender, 'emailKey' | 'confirmedAt' | 'verifiedDomain'>;

/** Whether the address is in the domain or a subdomain of it (relaxed alignment, RFC 7489 section 3.1.1). */
export function isOfDomain(emailKey: string, domain: string): boolean {
  return `.${emailKey.slice(emailKey.lastIndexOf('@') + 1)}`.endsWith(`.${domain}`) && domain.includes('.');
}

/**
 * Whether any of the proofs covers the address: it was confirmed by email, or the DNS record of its domain was found.
 */
export const isVerifiedBy = (proofs: readonly Proof[], emailKey: string): boolean =>
  proofs.some(
    ({ emailKey: own, confirmedAt, verifiedDomain }) =>
      (own === emailKey && confirmedAt != null) || (verifiedDomain != null && isOfDomain(emailKey, verifiedDomain)),
  );

/** The same as SQL, with all proofs of a tenant. */
const isProven = (tenantId: RawBuilder<unknown>, emailKey: RawBuilder<unknown>): RawBuilder<unknown> => sql`(
  exists (select 1 from email_senders s where s.tenant_id = ${tenantId} and s.email_key = ${emailKey} and s.confirmed_at is not null)
  or exists (select 1 from email_senders s where s.tenant_id = ${tenantId}
    and right('.' || substring(${emailKey} from '[^@]*$'), length(s.verified_domain) + 1) = '.' || s.verified_domain))`;

/**
 * SQL: `sender_unverified` if the tenant has not verified the From address of an email; null if it has, or if the key
 * is null.
 */
export const unverifiedSenderReason = (
  tenantId: RawBuilder<unknown>,
  fromKey: RawBuilder<unknown>,
): RawBuilder<unknown> =>
  sql`case when ${fromKey} is not null and not ${isProven(tenantId, fromKey)} then 'sender_unverified' end`;

/** The key of the From address that must be verified; null for the default sender, which all tenants may use. */
export function fromKeyToVerify(fromEmail: string | null | undefined, mailFrom: string): string | null {
  if (!fromEmail) return null;
  const key = addressKey(fromEmail);
  return key === addressKey(parseMailbox(mailFrom).address) ? null : key;
}

/** The violations of a template's From address; an invalid address is reported elsewhere. */
export async function senderViolations(
  tx: EntityManager,
  tenantId: string,
  fromEmail: string | null | undefined,
  mailFrom: string,
): Promise<Violation[]> {
  const key = fromKeyToVerify(fromEmail, mailFrom);
  if (key === null || isViolation(normaliseEmail(fromEmail!)) || isVerifiedBy(await proofsOf(tx, tenantId), key))
    return [];
  return [
    {
      path: '/fromEmail',
      code: 'sender_unverified',
      message:
        'must be a verified sender: create it with POST /emails/senders, then confirm it with the emailed link, or verify its domain with the DKIM record',
    },
  ];
}

/** All proofs of a tenant, except those of the sender `except`. */
export async function proofsOf(tx: EntityManager, tenantId: string, except: number | null = null): Promise<Proof[]> {
  return rows<Proof>(
    tx,
    sql`
    select email_key as "emailKey", confirmed_at as "confirmedAt", verified_domain as "verifiedDomain" from email_senders
    where tenant_id = ${tenantId} and (confirmed_at is not null or verified_domain is not null) and id is distinct from ${except}::bigint`,
  );
}

/**
 * The templates that could no longer be sent, or whose From address would no longer be a sender's, if `before` became
 * `after` (null: deleted). Compares keys here instead of in SQL: a tenant has few enough templates with a From address
 * to read them all.
 */
export async function templatesLosingSender(
  tx: EntityManager,
  { id, tenantId }: Pick<EmailSender, 'id' | 'tenantId'>,
  before: Proof,
  after: Proof | null,
): Promise<Referrer[]> {
  const others = await proofsOf(tx, tenantId, id);
  const found = await rows<{ id: number; name: string; from_email: string }>(
    tx,
    sql`
    select id, name, from_email from email_templates where tenant_id = ${tenantId} and from_email is not null order by id`,
  );
  const loses = (key: string): boolean =>
    (key === before.emailKey && key !== after?.emailKey) ||
    (isVerifiedBy([...others, before], key) && !isVerifiedBy(after ? [...others, after] : others, key));
  return found
    .filter((template) => loses(addressKey(template.from_email)))
    .map(({ id: templateId, name }) => ({ kind: 'template', id: templateId, name }));
}
