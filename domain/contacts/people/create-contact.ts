import { Contact } from '../../../db/entities/contacts.ts';
import { freshTransaction, type EntityManager } from '../../../db/orm.ts';
import { appendEvents, type Origin } from '../../../events/outbox.ts';
import { AppError, assertValid } from '../../../lib/checks/errors.ts';
import { refreshMemberships } from '../../membership/members/refresh-memberships.ts';
import { checkContactValues, type ContactInput, type ContactValues } from '../../contact-values/contact-values.ts';
import { resolveCompany } from '../../contact-values/resolve-company.ts';
import { customFieldTypes } from '../../contact-values/custom-field-types.ts';
import { insertContact, setCompany } from '../../contact-values/insert-contact.ts';
import { shownContact, type ShownContact } from '../../contact-values/read-contact.ts';
import { statusViolations } from '../../contact-values/status-rules.ts';
import { suppressUnsubscribed } from '../../contact-values/suppressed-statuses.ts';

/**
 * Creates a contact. If its address is suppressed, the suppression determines its status. Throws `validation_failed`,
 * `email_taken`.
 */
export async function createContact(em: EntityManager, origin: Origin, input: ContactInput): Promise<ShownContact> {
  const { tenantId } = origin;
  return freshTransaction(em, async (tx) => {
    const { values, violations } = checkContactValues(input, await customFieldTypes(tx, tenantId));
    assertValid([...violations, ...statusViolations(values.status, 'active')]);
    const { email, emailKey, ...rest } = values as ContactValues & { email: string; emailKey: string };
    const found = await insertContact(tx, tenantId, { ...rest, email, emailKey });
    const companyId = await resolveCompany(tx, tenantId, values);
    if (!found?.created)
      throw new AppError('email_taken', undefined, {
        errors: [{ path: '/email', code: 'email_taken', message: 'is taken' }],
      });
    const { id } = found;
    await setCompany(tx, tenantId, id, companyId);
    if (values.status === 'unsubscribed') await suppressUnsubscribed(tx, tenantId, [emailKey]);
    await appendEvents(tx, origin, [{ type: 'CONTACT_CREATED', data: { contactId: id, email } }]);
    await refreshMemberships(tx, tenantId, [id], { requestId: origin.requestId });
    return shownContact(tx, await tx.findOneOrFail(Contact, { id, tenantId }));
  });
}
