import type { EntityManager } from '../../db/orm.ts';
import { Contact } from '../../db/entities/contacts.ts';
import { appendEvents, type Origin } from '../../events/outbox.ts';
import { assertValid, notFound } from '../common/errors.ts';
import { keptPage, pageViolations, type VisitedPage } from './visited-page.ts';

/**
 * Writes a WEBSITE_VISITED event for a contact. Returns the event's id. Throws 400 for a page whose addresses are not
 * http(s) URLs, 404 if the contact does not exist.
 */
export async function recordVisit(
  em: EntityManager,
  origin: Origin,
  { contactId, page }: { contactId: number; page: VisitedPage },
): Promise<string> {
  return em.transactional(async (tx) => {
    assertValid(pageViolations(page, '/data'));
    if (!(await tx.findOne(Contact, { id: contactId }, { fields: ['id'] }))) throw notFound('contact', contactId);
    const [eventId] = await appendEvents(tx, origin, [
      { type: 'WEBSITE_VISITED', data: { contactId, ...keptPage(page) } },
    ]);
    return eventId!;
  });
}
