import { rows, sql, type EntityManager } from '../../db/orm.ts';

export interface ActiveUser {
  id: number;
  email: string;
  /** Those that the user's roles grant. */
  permissions: string[];
}

/** The active users of a tenant with these keys of addresses (`addressKey`), by key. */
export async function activeUsers(
  tx: EntityManager,
  tenantId: string,
  keys: readonly string[],
): Promise<Map<string, ActiveUser>> {
  if (keys.length === 0) return new Map();
  const found = await rows<ActiveUser & { key: string }>(
    tx,
    sql`
    select u.email_key as key, u.id, u.email, array(
      select p from roles r, unnest(r.permissions) p where r.tenant_id = u.tenant_id and r.name = any(u.roles)) as permissions
    from users u where u.tenant_id = ${tenantId} and u.active and u.email_key = any(${[...keys]}::text[])`,
  );
  return new Map(found.map(({ key, ...user }) => [key, user]));
}
