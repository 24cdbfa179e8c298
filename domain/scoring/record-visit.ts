import type { EntityManager } from '../../db/orm.ts';
import { Contact } from '../../db/entities/contacts.ts';
import { appendEvents, type Origin } from '../../events/outbox.ts';
import { notFound } from '../common/errors.ts';

/** Writes a WEBSITE_VISITED event for a contact. Returns the event's id. Throws 404 if the contact does not exist. */
export async function recordVisit(
  em: EntityManager,
  origin: Origin,
  visit: { contactId: number; url?: string },
): Promise<string> {
  return em.transactional(async (tx) => {
    if (!(await tx.findOne(Contact, { id: visit.contactId }, { fields: ['id'] })))
      throw notFound('contact', visit.contactId);
    const [eventId] = await appendEvents(tx, origin, [{ type: 'WEBSITE_VISITED', data: visit }]);
    return eventId!;
  });
}
