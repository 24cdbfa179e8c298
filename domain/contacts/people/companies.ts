import { Company } from '../../../db/entities/contacts.ts';
import { freshTransaction, rows, sql, type EntityManager } from '../../../db/orm.ts';
import { appendEvents, type Origin } from '../../../events/outbox.ts';
import { appendAudit, type Author } from '../../audit/audit.ts';
import { assertValid, notFound } from '../../../lib/checks/errors.ts';
import { removeScores } from '../../scoring/scores/remove-scores.ts';
import { refreshMemberships } from '../../membership/members/refresh-memberships.ts';
import { checkCompanyValues, type CompanyInput, type CompanyValues } from '../../contact-values/company-values.ts';
import { customFieldTypes } from '../../contact-values/custom-field-types.ts';
import { mergedCustomFields } from '../../contact-values/custom-values.ts';
import { lockContacts } from '../../contact-values/lock-contacts.ts';

/** Creates a company; names need not be unique. */
export async function createCompany(
  em: EntityManager,
  tenantId: string,
  input: CompanyInput & { name: string },
): Promise<Company> {
  return em.transactional(async (tx) => {
    const {
      values: { customFields = null, ...values },
      violations,
    } = checkCompanyValues(input, await customFieldTypes(tx, tenantId, 'company'));
    assertValid(violations);
    const company = tx.create(Company, {
      ...(values as { name: string; nameKey: string }),
      customFields: mergedCustomFields({}, customFields),
      tenantId,
    });
    await tx.flush();
    return company;
  });
}

/**
 * Changes a company and updates its contacts' memberships in segments. `read` as in `updateContact`. Throws
 * `not_found`.
 */
export async function updateCompany(
  em: EntityManager,
  origin: Origin,
  id: number,
  read: (current: Company) => CompanyInput,
): Promise<Company> {
  const { tenantId } = origin;
  return freshTransaction(em, async (tx) => {
    await lockContacts(tx, tenantId, await contactsOf(tx, tenantId, id));
    const company = await lockCompany(tx, tenantId, id);
    const { values, violations } = checkCompanyValues(read(company), await customFieldTypes(tx, tenantId, 'company'));
    assertValid(violations);
    tx.assign(company, merged(company, values));
    const { version } = company;
    await tx.flush();
    if (company.version !== version) {
      await refreshMemberships(tx, tenantId, await contactsOf(tx, tenantId, id), {
        causes: ['company'],
        requestId: origin.requestId,
      });
    }
    return company;
  });
}

/**
 * Deletes a company; its contacts remain without one. `check` gets the current company and may throw. Throws
 * `not_found`.
 */
export async function deleteCompany(
  em: EntityManager,
  author: Author,
  id: number,
  check: (current: Company) => void,
): Promise<void> {
  const { tenantId, requestId } = author;
  await freshTransaction(em, async (tx) => {
    await lockContacts(tx, tenantId, await contactsOf(tx, tenantId, id));
    const company = await lockCompany(tx, tenantId, id);
    check(company);
    const freed = await rows<{ id: number; version: number }>(
      tx,
      sql`
      update contacts set company_id = null, version = version + 1, updated_at = ${new Date()}
      where tenant_id = ${tenantId} and company_id = ${id} returning id, version`,
    );
    await removeScores(tx, tenantId, 'company', [id]);
    await rows(tx, sql`delete from companies where tenant_id = ${tenantId} and id = ${id}`);
    // The undo of an import must not bring it back, nor its name stay: see UndoneCompany.
    await rows(
      tx,
      sql`
      delete from undone_companies
      where tenant_id = ${tenantId} and (company_id = ${id} or name_key = ${company.nameKey})`,
    );
    await appendEvents(
      tx,
      { tenantId, requestId },
      freed.map((contact) => ({
        type: 'CONTACT_UPDATED',
        data: { contactId: contact.id, version: contact.version, changed: ['companyId'] },
      })),
    );
    await refreshMemberships(
      tx,
      tenantId,
      freed.map((contact) => contact.id),
      { causes: ['contact', 'company'], requestId },
    );
    // Without the company's name, which can be a person's.
    await appendAudit(tx, author, { action: 'company.deleted', resourceType: 'company', resourceId: id });
  });
}

const merged = ({ customFields: old }: Company, { customFields, ...values }: CompanyValues) =>
  customFields === undefined ? values : { ...values, customFields: mergedCustomFields(old, customFields) };

async function contactsOf(tx: EntityManager, tenantId: string, companyId: number): Promise<number[]> {
  const found = await rows<{ id: number }>(
    tx,
    sql`select id from contacts where tenant_id = ${tenantId} and company_id = ${companyId} order by id`,
  );
  return found.map((row) => row.id);
}

/** Weaker than the ORM's lock, which would block transactions that assign this company to a contact. */
async function lockCompany(tx: EntityManager, tenantId: string, id: number): Promise<Company> {
  const [locked] = await rows(
    tx,
    sql`select 1 from companies where tenant_id = ${tenantId} and id = ${id} for no key update`,
  );
  if (!locked) throw notFound('company', id);
  return tx.findOneOrFail(Company, { id, tenantId }, { refresh: true });
}
