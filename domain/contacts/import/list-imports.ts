import { ContactImport } from '../../../db/entities/contact-imports.ts';
import { rows, sql, tenantEm, type EntityManager, type Orm } from '../../../db/orm.ts';
import { commonSort, listPage, type Present } from '../../common/list-page.ts';
import { keyset, type ListQuery, type Page } from '../../common/paging.ts';

interface ImportQuery extends ListQuery {
  status?: string;
}

/** A page of the tenant's imports. Throws `validation_failed` for a wrong cursor. */
export const listImports = <T>(
  em: EntityManager,
  query: ImportQuery,
  present: Present<ContactImport, T>,
): Promise<Page<T>> =>
  listPage(
    em,
    ContactImport,
    query,
    {
      from: sql`contact_imports t`,
      sortable: commonSort,
      where: [query.status !== undefined && sql`t.status = ${query.status}`],
    },
    present,
  );

/** Why undoing an import kept a contact unchanged. */
export const KEPT_REASONS = [
  'changed_since',
  'in_campaign',
  'emailed',
  'messaged',
  'submitted_form',
  'active',
  'suppressed',
] as const;

interface KeptContact {
  contactId: number;
  email: string;
  reason: (typeof KEPT_REASONS)[number];
}

/** A page of the contacts that undoing an import kept unchanged. Throws `validation_failed` for a wrong cursor. */
export async function listKeptContacts(
  em: EntityManager,
  importId: number,
  query: ListQuery,
): Promise<Page<KeptContact>> {
  return em.transactional(async (tx) => {
    const page = keyset(query, { id: { column: sql`k.contact_id`, type: 'bigint' } });
    const found = await rows<KeptContact & { id: number; sort_value: number }>(
      tx,
      sql`
      select k.contact_id as id, ${page.sortValue}, k.contact_id as "contactId", c.email, k.reason
      from contact_import_kept k join contacts c on c.tenant_id = k.tenant_id and c.id = k.contact_id
      where k.import_id = ${importId} and ${page.where} order by ${page.orderBy} limit ${page.fetch}`,
    );
    const [total] = query.includeTotal
      ? await rows<{ n: number }>(
          tx,
          sql`
      select count(*) as n from contact_import_kept where import_id = ${importId}`,
        )
      : [];
    return page.toPage(found, ({ contactId, email, reason }) => ({ contactId, email, reason }), total?.n);
  });
}

interface RejectedRow {
  row: number;
  errors: { column: string | null; code: string; message: string }[];
  cells: string[];
}

/** The rejected rows of an import in the order of the file, read page by page, each page in its own transaction. */
export async function* readRejectedRows(orm: Orm, tenantId: string, importId: number): AsyncGenerator<RejectedRow> {
  for (let after = 0; ;) {
    const page = await tenantEm(orm, tenantId).transactional((tx) =>
      rows<RejectedRow>(
        tx,
        sql`
      select row, errors, cells from contact_import_rejects
      where import_id = ${importId} and row > ${after} order by row limit 1000`,
      ),
    );
    yield* page;
    if (page.length < 1000) return;
    after = page.at(-1)!.row;
  }
}
