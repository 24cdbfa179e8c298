import type { RawBuilder } from 'kysely';
import type { Contact } from '../../../db/entities/contacts.ts';
import { rows, sql, tenantEm, type Orm } from '../../../db/orm.ts';
import { countUpTo, pagesById } from '../../export/pages-by-id.ts';
import { isBeingErased } from '../../contact-values/being-erased.ts';
import { selectOptional } from '../../contact-values/optional-fields.ts';
import type { ShownContact } from '../../contact-values/read-contact.ts';

export type ExportedContact = Contact & Omit<ShownContact, 'contact'>;

/** The number of contacts that match `where` (conditions over `contacts t`), counted up to `most` + 1. */
export const countContacts = (
  orm: Orm,
  tenantId: string,
  where: RawBuilder<unknown>[],
  most: number,
): Promise<number> => countUpTo(tenantEm(orm, tenantId), sql`from contacts t where ${all(tenantId, where)}`, most);

/** The contacts that exist at the start and match `where`, ordered by id, page by page (`pagesById`). */
export async function* readContacts(
  orm: Orm,
  tenantId: string,
  where: RawBuilder<unknown>[],
): AsyncGenerator<ExportedContact[]> {
  const em = tenantEm(orm, tenantId);
  const [newest] = await em.transactional((tx) =>
    rows<{ id: number | null }>(tx, sql`select max(id) as id from contacts where tenant_id = ${tenantId}`),
  );
  yield* pagesById<ExportedContact>(
    em,
    newest?.id ?? 0,
    ({ after, upTo, limit }) => sql`
      select t.id, t.tenant_id as "tenantId", t.first_name as "firstName", t.last_name as "lastName", t.email, t.phone, t.phone_e164 as "phoneE164",
        t.company_id as "companyId", k.name as "companyName", t.status, t.tags, t.custom_fields as "customFields", ${sql.raw(selectOptional('t.'))},
        t.created_at as "createdAt", t.updated_at as "updatedAt", t.version,
        ${isBeingErased(sql`t.tenant_id`, sql`t.id`)} as erasing
      from contacts t left join companies k on k.tenant_id = t.tenant_id and k.id = t.company_id
      where t.id > ${after} and t.id <= ${upTo} and ${all(tenantId, where)} order by t.id limit ${limit}`,
  );
}

const all = (tenantId: string, where: RawBuilder<unknown>[]) =>
  sql.join([sql`t.tenant_id = ${tenantId}`, ...where], sql` and `);
