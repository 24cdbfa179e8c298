import { Contact } from '../../../db/entities/contacts.ts';
import type { EntityManager } from '../../../db/orm.ts';
import { presentContacts } from '../../contact-values/present-contact.ts';

/** Contacts as in the API, as JSON, as they are now, by id; those that do not exist are missing. */
export async function contactsNow(
  em: EntityManager,
  tenantId: string,
  ids: readonly number[],
): Promise<Map<number, string>> {
  return em.transactional(async (tx) => {
    const contacts = await tx.find(Contact, { tenantId, id: { $in: [...ids] } });
    const presented = await presentContacts(contacts, tx);
    return new Map(presented.map((contact) => [contact.id, JSON.stringify(contact)]));
  });
}
