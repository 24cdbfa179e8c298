const RESOURCES = ['contacts', 'emails', 'campaigns', 'forms', 'scoring', 'analytics'] as const;
const ADMIN_ONLY = ['users', 'roles', 'api-keys', 'settings', 'audit-log', 'erasure'];

const pair = (resources: readonly string[]): string[] => resources.flatMap((resource) => [`${resource}:read`, `${resource}:write`]);

/** What the role User may: everything but people, keys, settings, the audit log and erasure. */
export const USER_PERMISSIONS: readonly string[] = [...pair(RESOURCES), 'emails:send'];
/** Every permission there is; the role Admin has all. */
export const PERMISSIONS: readonly string[] = [...USER_PERMISSIONS, ...pair(ADMIN_ONLY)];
