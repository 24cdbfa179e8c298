import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { addressKey } from '../../addresses/address-key.ts';
import { isOfToken, type TokenSubject } from '../../addresses/tokens.ts';

/** The recipient that a token stands for: of an email, or of a text or push. */
export interface TokenRecipient {
  /** Whether the email is still in the ledger. */
  isKnown: boolean;
  /** The contact; if it was merged since, the contact it was merged into. */
  contactId: number | null;
  /**
   * The keys of the address that an email was sent to and of the contact's current address, sorted. Empty after an
   * erasure.
   */
  emailKeys: string[];
}

/** The contact that a contact was merged into; else itself. */
async function remaining(tx: EntityManager, tenantId: string, contactId: number): Promise<number> {
  const [merged] = await rows<{ into: number }>(
    tx,
    sql`select merged_into as into from merged_contacts where tenant_id = ${tenantId} and contact_id = ${contactId}`,
  );
  return merged?.into ?? contactId;
}

interface ContactRow {
  email_key: string;
  createdAt: Date;
}

/** The row of a contact. */
async function readContact(
  tx: EntityManager,
  tenantId: string,
  contactId: number,
  lock: boolean,
): Promise<ContactRow | undefined> {
  const [contact] = await rows<ContactRow>(
    tx,
    sql`
    select email_key, created_at as "createdAt" from contacts where tenant_id = ${tenantId} and id = ${contactId} ${lock ? sql`for no key update` : sql``}`,
  );
  return contact;
}

/**
 * Finds the recipient of a token. With `lock`, concurrent changes through the same email wait for each other; where
 * there is no email, as with the token of a text, those of the same contact do, and a merge of it. Nothing is locked
 * for a bare address whose email is gone. Who was given the contact's or the email's id after the token was made is not
 * concerned. A caller that locks has to retry deadlocks.
 */
export async function findTokenRecipient(
  tx: EntityManager,
  { tenantId, emailId, contactId: mailed, address, madeAt }: TokenSubject,
  { lock }: { lock: boolean },
): Promise<TokenRecipient> {
  const [found] = await rows<{ contact_id: number | null; to_address: string | null; createdAt: Date }>(
    tx,
    sql`
    select contact_id, to_address, created_at as "createdAt" from emails where tenant_id = ${tenantId} and id = ${emailId} ${lock ? sql`for no key update` : sql``}`,
  );
  const email = found && isOfToken(found, madeAt) ? found : undefined;
  const lockContact = lock && email === undefined;
  let contactId = email?.contact_id ?? (mailed === null ? null : await remaining(tx, tenantId, mailed));
  let contact = contactId === null ? undefined : await readContact(tx, tenantId, contactId, lockContact);
  // A merge that was awaited has deleted it; the one that it was merged into may be merged meanwhile too.
  while (lockContact && contactId !== null && !contact) {
    const into: number = await remaining(tx, tenantId, contactId);
    if (into === contactId) break;
    contactId = into;
    contact = await readContact(tx, tenantId, contactId, lockContact);
  }
  // Not the one that an email has now, or that the contact was merged into: it may have been made later.
  if (contact && !email && contactId === mailed && !isOfToken(contact, madeAt))
    [contact, contactId] = [undefined, null];
  const keys = [email?.to_address, address].flatMap((one) => (one ? [addressKey(one)] : []));
  return {
    isKnown: email !== undefined,
    contactId,
    emailKeys: [...new Set([...keys, ...(contact ? [contact.email_key] : [])])].sort(),
  };
}
