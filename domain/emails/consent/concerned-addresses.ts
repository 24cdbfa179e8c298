import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { addressKey } from '../../addresses/address-key.ts';
import type { UnsubscribeSubject } from '../../addresses/tokens.ts';

/** Whom a choice that is made by an email's token is for. */
export interface Concerned {
  /** Whether the email is still in the ledger. */
  isKnown: boolean;
  /** The one it was merged into, where it was merged since. */
  contactId: number | null;
  /** As they are compared, sorted: the address that the email was sent to, and the contact's present one. None once they are erased. */
  emailKeys: string[];
}

/** Whom the token of an email is for. With `lock` one of two simultaneous choices by the same email waits for the other. */
export async function findConcerned(
  tx: EntityManager,
  { tenantId, emailId, contactId: mailed, address }: UnsubscribeSubject,
  { lock }: { lock: boolean },
): Promise<Concerned> {
  const [email] = await rows<{ contact_id: number | null; to_address: string | null }>(
    tx,
    sql`
    select contact_id, to_address from emails where tenant_id = ${tenantId} and id = ${emailId} ${lock ? sql`for no key update` : sql``}`,
  );
  const contactId = email?.contact_id ?? mailed;
  const [contact] =
    contactId === null
      ? []
      : await rows<{ email_key: string }>(
          tx,
          sql`
    select email_key from contacts where tenant_id = ${tenantId} and id = ${contactId}`,
        );
  const keys = [email?.to_address, address].flatMap((one) => (one ? [addressKey(one)] : []));
  return {
    isKnown: email !== undefined,
    contactId,
    emailKeys: [...new Set([...keys, ...(contact ? [contact.email_key] : [])])].sort(),
  };
}
