import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { appendEvents, type Origin } from '../../../events/outbox.ts';
import { assertValid, notFound } from '../../../lib/checks/errors.ts';
import { assertNotBeingErased } from '../../contact-values/being-erased.ts';
import { keptPage, pageViolations, type VisitedPage } from './visited-page.ts';

/**
 * Writes a WEBSITE_VISITED event for a contact. Returns the event's id. Throws 400 for a page whose addresses are not
 * http(s) URLs, 404 if the contact does not exist, 409 if it is being erased.
 */
export async function recordVisit(
  em: EntityManager,
  origin: Origin,
  { contactId, page }: { contactId: number; page: VisitedPage },
): Promise<string> {
  const { tenantId } = origin;
  return em.transactional(async (tx) => {
    assertValid(pageViolations(page, '/data'));
    // An erasure that is requested from here on waits, and finds the event.
    const locked = await rows(
      tx,
      sql`select 1 from contacts where tenant_id = ${tenantId} and id = ${contactId} for key share`,
    );
    if (locked.length === 0) throw notFound('contact', contactId);
    await assertNotBeingErased(tx, tenantId, [contactId]);
    const [eventId] = await appendEvents(tx, origin, [
      { type: 'WEBSITE_VISITED', data: { contactId, ...keptPage(page) } },
    ]);
    return eventId!;
  });
}
