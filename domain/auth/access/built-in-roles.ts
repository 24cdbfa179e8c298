import { PERMISSIONS, USER_PERMISSIONS } from './permissions.ts';

/** The tenant of all users unless ENABLE_MULTI_TENANT is set. It always exists. */
export const DEFAULT_TENANT = 'default';

/** Active users with this role are Admins. */
export const ADMIN_ROLE = 'Admin';

export const BUILT_IN_ROLES = [
  { name: ADMIN_ROLE, description: 'Has all permissions', permissions: PERMISSIONS },
  {
    name: 'User',
    description: 'Works with contacts, email, campaigns, forms, scoring and analytics',
    permissions: USER_PERMISSIONS,
  },
];

/** Whether every tenant has the role, with permissions that each release defines. */
export const isBuiltIn = (role: string): boolean => BUILT_IN_ROLES.some(({ name }) => name === role);
