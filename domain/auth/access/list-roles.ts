import { Role } from '../../../db/entities/auth.ts';
import { sql, type EntityManager } from '../../../db/orm.ts';
import { byName, byUpdatedAt, commonSort, listPage, type Present } from '../../common/list-page.ts';
import type { ListQuery, Page } from '../../common/paging.ts';

const sortable = { ...commonSort, name: byName, updatedAt: byUpdatedAt };

/** A page of the tenant's roles. Throws `validation_failed` for a wrong cursor. */
export const listRoles = <T>(em: EntityManager, query: ListQuery, present: Present<Role, T>): Promise<Page<T>> =>
  listPage(em, Role, query, { from: sql`roles t`, where: [], sortable }, present);
