import { Contact } from '../../../db/entities/contacts.ts';
import { freshTransaction, type EntityManager } from '../../../db/orm.ts';
import { appendEvents, type NewEvent, type Origin } from '../../../events/outbox.ts';
import { copyChoices } from '../../channels/people/copy-choices.ts';
import { assertValid, notFound } from '../../../lib/checks/errors.ts';
import type { ChangeKind } from '../../membership/filter/change-kinds.ts';
import { refreshMemberships } from '../../membership/members/refresh-memberships.ts';
import { applyValues } from '../../contact-values/apply-values.ts';
import { checkContactValues, type ContactInput, type ContactValues } from '../../contact-values/contact-values.ts';
import { resolveCompany } from '../../contact-values/resolve-company.ts';
import { customFieldTypes } from '../../contact-values/custom-field-types.ts';
import { lockContacts } from '../../contact-values/lock-contacts.ts';
import { shownContact, type ShownContact } from '../../contact-values/read-contact.ts';
import { statusViolations } from '../../contact-values/status-rules.ts';
import { suppressedStatuses, suppressUnsubscribed } from '../../contact-values/suppressed-statuses.ts';

/**
 * Changes a contact; writes nothing if nothing changes. `read` gets the current contact, locked, may throw (If-Match,
 * read-only fields), and returns the fields to set. Throws `not_found`, `validation_failed`, `email_taken`.
 */
export async function updateContact(
  em: EntityManager,
  origin: Origin,
  id: number,
  read: (current: Contact, tx: EntityManager) => Promise<ContactInput>,
): Promise<ShownContact> {
  const { tenantId } = origin;
  return freshTransaction(em, async (tx) => {
    if ((await lockContacts(tx, tenantId, [id])).length === 0) throw notFound('contact', id);
    const contact = await tx.findOneOrFail(Contact, { id, tenantId }, { refresh: true });
    const before = contact.status;
    const { emailKey } = contact;
    const { values, violations } = checkContactValues(await read(contact, tx), await customFieldTypes(tx, tenantId));
    assertValid([...violations, ...statusViolations(values.status, before)]);
    const companyId = await resolveCompany(tx, tenantId, values);
    const changed = applyValues(contact, {
      ...(await withSuppression(tx, contact, values)),
      ...(companyId === undefined ? {} : { companyId }),
    });
    if (changed.length === 0) return shownContact(tx, contact);
    if (changed.includes('status') && values.status === 'unsubscribed')
      await suppressUnsubscribed(tx, tenantId, [contact.emailKey]);
    await tx.flush();
    if (contact.emailKey !== emailKey) await copyChoices(tx, tenantId, emailKey, contact.emailKey);
    await appendEvents(tx, origin, eventsOf(contact, changed));
    const causes: ChangeKind[] = changed.includes('companyId') ? ['contact', 'company'] : ['contact'];
    await refreshMemberships(tx, tenantId, [id], { causes, requestId: origin.requestId });
    return shownContact(tx, contact);
  });
}

/** If an active contact gets a suppressed address, the suppression determines its status. */
async function withSuppression(tx: EntityManager, contact: Contact, values: ContactValues): Promise<ContactValues> {
  const { emailKey } = values;
  if (emailKey === undefined || emailKey === contact.emailKey || (values.status ?? contact.status) !== 'active')
    return values;
  const status = (await suppressedStatuses(tx, contact.tenantId, [emailKey])).get(emailKey);
  return status === undefined ? values : { ...values, status };
}

function eventsOf(contact: Contact, changed: string[]): NewEvent[] {
  const { id, version, status } = contact;
  const updated: NewEvent = { type: 'CONTACT_UPDATED', data: { contactId: id, version, changed } };
  if (!changed.includes('status') || status !== 'unsubscribed') return [updated];
  return [updated, { type: 'CONTACT_UNSUBSCRIBED', data: { contactId: id, reason: 'api' } }];
}
