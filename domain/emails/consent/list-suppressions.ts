import { Suppression } from '../../../db/entities/email-recipients.ts';
import { sql, type EntityManager } from '../../../db/orm.ts';
import { erasedKey } from '../../addresses/digest.ts';
import { commonSort, listPage, type Present } from '../../common/list-page.ts';
import type { ListQuery, Page } from '../../common/paging.ts';

/** Filters of a list of suppressions; `emailKey` is the key of an address. */
interface SuppressionQuery extends ListQuery {
  emailKey?: string;
  reason?: string;
}

/** A page of the tenant's suppressions. Throws `validation_failed` for a wrong cursor. */
export function listSuppressions<T>(
  em: EntityManager,
  tenantId: string,
  query: SuppressionQuery,
  present: Present<Suppression, T>,
): Promise<Page<T>> {
  const { emailKey: key, reason } = query;
  return listPage(
    em,
    Suppression,
    query,
    {
      from: sql`suppressions t`,
      sortable: commonSort,
      where: [
        // The suppression of an erased address has a hash as its key.
        key !== undefined &&
          sql`t.tenant_id = ${tenantId} and t.email_key = any(${[key, erasedKey(tenantId, key)]}::text[])`,
        reason !== undefined && sql`t.reason = ${reason}`,
      ],
    },
    present,
  );
}
