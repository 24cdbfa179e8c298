import { User } from '../../db/entities/auth.ts';
import { sql, type EntityManager, type RawBuilder } from '../../db/orm.ts';
import { byUpdatedAt, commonSort, listPage, type Present } from '../common/list-page.ts';
import type { ListQuery, Page } from '../common/paging.ts';

/** Filters of the list; `q` is a part of a username, an address or a name. */
interface UserQuery extends ListQuery {
  active?: boolean;
  role?: string;
  q?: string;
}

const sortable = {
  ...commonSort,
  updatedAt: byUpdatedAt,
  username: { column: sql`t.username_key`, type: 'text' },
  email: { column: sql`t.email_key`, type: 'text' },
  lastName: { column: sql`t.last_name`, type: 'text' },
} as const;

/** A page of the tenant's users. Throws `validation_failed` for a wrong cursor. */
export const listUsers = <T>(em: EntityManager, query: UserQuery, present: Present<User, T>): Promise<Page<T>> =>
  listPage(
    em,
    User,
    query,
    {
      from: sql`users t`,
      sortable,
      where: [
        query.active !== undefined && sql`t.active = ${query.active}`,
        query.role !== undefined && sql`${query.role}::text = any(t.roles)`,
        query.q !== undefined && userSearch(query.q),
      ],
    },
    present,
  );

/** A condition over `users t`: username, address or name contains the text, ignoring case. */
function userSearch(q: string): RawBuilder<unknown> {
  const pattern = `%${q
    .trim()
    .normalize('NFC')
    .replaceAll(/[\\%_]/g, '\\$&')}%`;
  return sql`(t.username || ' ' || t.email || ' ' || t.first_name || ' ' || t.last_name) ilike ${pattern}::text`;
}
