import { ApiKey } from '../../../db/entities/auth.ts';
import { sql, type EntityManager } from '../../../db/orm.ts';
import { byName, commonSort, listPage, type Present } from '../../common/list-page.ts';
import type { ListQuery, Page } from '../../common/paging.ts';

/** A page of the tenant's API keys. Throws `validation_failed` for a wrong cursor. */
export const listApiKeys = <T>(em: EntityManager, query: ListQuery, present: Present<ApiKey, T>): Promise<Page<T>> =>
  listPage(em, ApiKey, query, { from: sql`api_keys t`, where: [], sortable: { ...commonSort, name: byName } }, present);
