import { Company, type Contact } from '../../db/entities/contacts.ts';
import type { PipelinedTransactions, Statement } from '../../db/pipelined-transactions.ts';
import type { EntityManager } from '../../db/orm.ts';
import { beingErased } from './being-erased.ts';
import { selectOptional } from './optional-fields.ts';

const contactById: Statement = {
  name: 'contact-by-id',
  text: `
    select c.id, c.first_name as "firstName", c.last_name as "lastName", c.email, c.phone, c.phone_e164 as "phoneE164", ${selectOptional('c.')},
      c.company_id as "companyId", k.name as "companyName", k.version as "companyVersion", c.status, c.tags, c.custom_fields as "customFields",
      c.tenant_id as "tenantId", c.created_at as "createdAt", c.updated_at as "updatedAt", c.version,
      exists (select 1 from erasures e where e.tenant_id = c.tenant_id and e.contact_id = c.id and e.status in ('PENDING', 'RUNNING')) as erasing
    from contacts c left join companies k on k.tenant_id = c.tenant_id and k.id = c.company_id
    where c.id = $1`,
};

/** A contact with what is shown with it. */
export interface ShownContact {
  contact: Contact;
  companyName: string | null;
  /** Whether it is being erased. */
  erasing: boolean;
}

interface Found extends ShownContact {
  /** 1 as long as the company is unchanged. */
  companyVersion: number | null;
}

/**
 * Reads a contact as a pipelined statement, because it is among the most frequent requests;
 * null if it does not exist.
 */
export async function readContact(
  pipelined: PipelinedTransactions,
  tenantId: string,
  id: number,
): Promise<Found | null> {
  const [found] = await pipelined.run({ tenantId }, [[contactById, [id]]]);
  const row = found![0] as (Contact & Omit<Found, 'contact'>) | undefined;
  if (!row) return null;
  const { companyName, companyVersion, erasing } = row;
  return { contact: row, companyName, companyVersion, erasing };
}

/**
 * A command's result for a contact, read in its transaction `tx`: after the commit the contact may have changed or be
 * deleted.
 */
export async function shownContact(tx: EntityManager, contact: Contact): Promise<ShownContact> {
  const { tenantId, companyId } = contact;
  const company =
    companyId == null ? null : await tx.findOne(Company, { id: companyId, tenantId }, { fields: ['name'] });
  const erased = await beingErased(tx, [contact.id]);
  return { contact, companyName: company?.name ?? null, erasing: erased.has(contact.id) };
}
