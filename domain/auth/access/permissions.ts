/** All permissions, as `resource:action` with a description. Append new ones at the end: the position is the id. */
const CATALOGUE = [
  ['contacts:read', 'See contacts, companies, segments, lists and imports'],
  ['contacts:write', 'Create, change, import and delete contacts, companies, segments and lists'],
  ['emails:read', 'See templates, emails and their status'],
  ['emails:write', 'Create, change and delete templates, and settle emails whose outcome is unknown'],
  ['campaigns:read', 'See campaigns, their executions and statistics'],
  ['campaigns:write', 'Create, change, start, pause, stop and delete campaigns'],
  ['forms:read', 'See forms, their submissions and statistics'],
  ['forms:write', 'Create, change and delete forms'],
  ['scoring:read', 'See scoring rules, thresholds and scores'],
  ['scoring:write', 'Change scoring rules and thresholds, and record events'],
  ['analytics:read', 'See statistics and reports'],
  ['analytics:write', 'Create reports'],
  ['emails:send', 'Send single emails'],
  ['users:read', 'See users and invitations'],
  ['users:write', 'Disable users, change their roles, and invite others'],
  ['roles:read', 'See roles and permissions'],
  ['roles:write', 'Create, change and delete roles'],
  ['api-keys:read', 'See API keys, without the keys themselves'],
  ['api-keys:write', 'Create and delete API keys'],
  [
    'settings:read',
    'See the settings of the tenant: the rules for marketing email, and the scores at which warm and hot begin',
  ],
  ['settings:write', 'Change the settings of the tenant'],
  ['audit-log:read', 'See who changed what'],
  ['erasure:read', 'See erasures of personal data'],
  ['erasure:write', 'Erase the personal data of a contact'],
  ['channels:read', 'See templates, providers, settings, devices and messages of text messages and pushes'],
  [
    'channels:write',
    'Create, change and delete templates, providers, sites, suppressions and preferences of text messages and pushes',
  ],
  ['channels:send', 'Send text messages and pushes'],
  ['webhooks:read', 'See webhooks, what they tell other systems, and whether that has arrived'],
  ['webhooks:write', 'Create, change, test and delete webhooks, which carry data to other systems, and see secrets'],
] as const;

/** What changes who may do what, what cannot be undone, and what carries people's data to other systems. */
const ADMIN_ONLY = /^(users|roles|api-keys|settings|audit-log|erasure):|^webhooks:write$/;

/** Every permission; the role Admin has all. */
export const PERMISSIONS: readonly string[] = CATALOGUE.map(([name]) => name);
/**
 * The permissions of the role User: all except those for users, roles, API keys, settings, the audit log and erasure, and
 * for changing webhooks.
 */
export const USER_PERMISSIONS: readonly string[] = PERMISSIONS.filter((name) => !ADMIN_ONLY.test(name));

/** The catalogue as the API shows it. */
export const permissionList = CATALOGUE.map(([name, description], index) => {
  const [resource, action] = name.split(':') as [string, string];
  return { id: index + 1, name, resource, action, description };
});
