import { Company } from '../../../db/entities/contacts.ts';
import { sql, type EntityManager } from '../../../db/orm.ts';
import { byName, byUpdatedAt, commonSort, listPage, type Present } from '../../common/list-page.ts';
import type { ListQuery, Page } from '../../common/paging.ts';
import { companyNameKey } from '../../contact-values/find-or-create-company.ts';

/** Filters of a list of companies; `name` is the whole name, ignoring case. */
interface CompanyQuery extends ListQuery {
  name?: string;
  domain?: string;
}

/** A page of the tenant's companies. Throws `validation_failed` for a wrong cursor. */
export const listCompanies = <T>(
  em: EntityManager,
  query: CompanyQuery,
  present: Present<Company, T>,
): Promise<Page<T>> =>
  listPage(
    em,
    Company,
    query,
    {
      from: sql`companies t`,
      sortable: { ...commonSort, name: byName, updatedAt: byUpdatedAt },
      where: [
        query.name !== undefined && sql`t.name_key = ${companyNameKey(query.name)}`,
        query.domain !== undefined && sql`t.domain = ${query.domain}`,
      ],
    },
    present,
  );
