import type { EntityManager } from '../../db/orm.ts';
import { activeUsers, type ActiveUser } from '../addresses/active-users.ts';
import { addressKey } from '../addresses/address-key.ts';

/** What the API demands for the same figures. */
const PERMISSION = 'analytics:read';

/** The active users with these addresses, by key (`addressKey`), and whether they may see reports. */
export async function usersAt(
  tx: EntityManager,
  tenantId: string,
  addresses: readonly string[],
): Promise<Map<string, ActiveUser & { mayRead: boolean }>> {
  const users = await activeUsers(tx, tenantId, addresses.map(addressKey));
  return new Map([...users].map(([key, user]) => [key, { ...user, mayRead: user.permissions.includes(PERMISSION) }]));
}
