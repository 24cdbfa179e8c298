import { rows, sql, type EntityManager } from '../../db/orm.ts';

/** The active users of a tenant with these keys of addresses (`addressKey`), by key. */
export async function activeUsers(
  tx: EntityManager,
  tenantId: string,
  keys: readonly string[],
): Promise<Map<string, { id: number; email: string }>> {
  if (keys.length === 0) return new Map();
  const found = await rows<{ key: string; id: number; email: string }>(
    tx,
    sql`
    select email_key as key, id, email from users
    where tenant_id = ${tenantId} and active and email_key = any(${[...keys]}::text[])`,
  );
  return new Map(found.map(({ key, ...user }) => [key, user]));
}
