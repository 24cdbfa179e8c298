import { PERMISSIONS, USER_PERMISSIONS } from './permissions.ts';

/** The tenant of everyone while there is one tenant only; it is always there. */
export const DEFAULT_TENANT = 'default';

/** Who has this role and is active is an Admin. */
export const ADMIN_ROLE = 'Admin';

export const BUILT_IN_ROLES = [
  { name: ADMIN_ROLE, description: 'Has all permissions', permissions: PERMISSIONS },
  {
    name: 'User',
    description: 'Works with contacts, email, campaigns, forms, scoring and analytics',
    permissions: USER_PERMISSIONS,
  },
];

/** Whether the role is one that every tenant has, with the permissions that a release gives it. */
export const isBuiltIn = (role: string): boolean => BUILT_IN_ROLES.some(({ name }) => name === role);
