import { CustomField } from '../../../db/entities/contacts.ts';
import { sql, type EntityManager } from '../../../db/orm.ts';
import { byName, commonSort, listPage, type Present } from '../../common/list-page.ts';
import type { ListQuery, Page } from '../../common/paging.ts';

interface CustomFieldQuery extends ListQuery {
  entity?: string;
}

/** A page of the tenant's custom fields. Throws `validation_failed` for a wrong cursor. */
export const listCustomFields = <T>(
  em: EntityManager,
  query: CustomFieldQuery,
  present: Present<CustomField, T>,
): Promise<Page<T>> =>
  listPage(
    em,
    CustomField,
    query,
    {
      from: sql`custom_fields t`,
      where: [query.entity !== undefined && sql`t.entity = ${query.entity}`],
      sortable: { ...commonSort, name: byName },
    },
    present,
  );
