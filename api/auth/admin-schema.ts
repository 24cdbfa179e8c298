import { Type } from 'typebox';
import { ACTOR_TYPES, AUDIT_ACTIONS } from '../../domain/audit/audit.ts';
import { MAX_KEY_NAME } from '../../domain/auth/access/api-keys.ts';
import { INVITATION_STATUSES } from '../../domain/accounts/invitations.ts';
import { PERMISSIONS } from '../../domain/auth/access/permissions.ts';
import { ROLE_LIMITS } from '../../domain/auth/access/roles.ts';
import { Id, listQuery, nameOf, nullable, oneOf, strict, Timestamp, Version, writable } from '../route/schemas.ts';
import { Email, MailToken, Register } from './schema.ts';

const { Optional, String: Text } = Type;
const resource = {
  tenantId: Text({ examples: ['default'] }),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  version: Version,
};
const roleName = Text({ minLength: 1, maxLength: ROLE_LIMITS.name, examples: ['User'] });
const RoleNames = Type.Array(roleName, { minItems: 1, maxItems: 50, description: 'Names of roles' });
/** Not an enumeration for validation, because the domain names every unknown permission. */
const PermissionName = Text({ maxLength: 100, title: 'PermissionName', 'x-described-as': oneOf(PERMISSIONS) });
const Permissions = Type.Array(PermissionName, {
  maxItems: 100,
  examples: [['contacts:read', 'contacts:write']],
  description: 'Names of permissions; only permissions that the caller has',
});

export const UserUpdate = writable(
  {
    active: Optional(Type.Boolean({ description: 'false ends all sessions of the user immediately' })),
    roles: Optional(RoleNames),
  },
  [
    'id',
    'username',
    'email',
    'firstName',
    'lastName',
    'tenantId',
    'emailVerified',
    'version',
    'createdAt',
    'updatedAt',
  ],
);
export const UserQuery = listQuery(['id', 'createdAt', 'updatedAt', 'username', 'email', 'lastName'], {
  active: Optional(Type.Boolean()),
  role: Optional(roleName),
  q: Optional(Text({ minLength: 1, maxLength: 200, description: 'Part of a username, an address or a name' })),
});

export const Role = strict({
  id: Id,
  name: Text({ examples: ['Editor'] }),
  description: nullable(Text()),
  permissions: Type.Array(Text({ examples: ['emails:write'] })),
  builtIn: Type.Boolean({ description: 'Built-in roles exist in every tenant and cannot be changed' }),
  ...resource,
});
const roleReadOnly = ['id', 'builtIn', 'tenantId', 'version', 'createdAt', 'updatedAt'];
const description = Optional(nullable(Text({ maxLength: ROLE_LIMITS.description })));
const newRoleName = nameOf(ROLE_LIMITS.name, { examples: ['Editor'] });
export const RoleCreate = writable({ name: newRoleName, description, permissions: Permissions }, roleReadOnly);
export const RoleUpdate = writable(
  { name: Optional(newRoleName), description, permissions: Optional(Permissions) },
  roleReadOnly,
  { examples: [{ permissions: ['contacts:read'] }] },
);
export const RoleQuery = listQuery(['id', 'name', 'createdAt', 'updatedAt'], {});

export const Permission = strict(
  {
    id: Id,
    name: oneOf(PERMISSIONS),
    resource: Text({ examples: ['contacts'] }),
    action: Text({ examples: ['read'] }),
    description: Text(),
  },
  { title: 'Permission' },
);

export const Invitation = strict({
  id: Id,
  email: Text({ examples: ['ada@example.com'] }),
  roles: Type.Array(Text({ examples: ['User'] })),
  status: oneOf(INVITATION_STATUSES),
  invitedBy: Type.Integer({ description: 'The user who sent the invitation', examples: [1] }),
  expiresAt: Timestamp,
  acceptedAt: nullable(Timestamp),
  ...resource,
});
export const InvitationCreate = strict({
  email: Type.String({ ...Email, examples: ['someone@example.com'] }),
  roles: Optional(Type.Array(roleName, { minItems: 1, maxItems: 50, default: ['User'] })),
});
export const InvitationQuery = listQuery(['id', 'createdAt', 'expiresAt'], {
  status: Optional(oneOf(INVITATION_STATUSES)),
});
const { username, password, firstName, lastName } = Register.properties;
export const InvitationAccept = strict({ token: MailToken, username, password, firstName, lastName });

const key = {
  id: Id,
  name: Text({ examples: ['Website'] }),
  permissions: Type.Array(Text({ examples: ['contacts:write'] })),
  createdBy: Type.Integer({ description: 'The user on whose behalf the key acts', examples: [1] }),
  expiresAt: nullable(Timestamp),
  lastUsedAt: nullable(Timestamp),
  ...resource,
};
export const ApiKey = strict(key);
export const NewApiKey = strict(
  { ...key, key: Text({ description: 'Returned only in this response', examples: ['pk_example'] }) },
  { title: 'NewApiKey' },
);
export const ApiKeyCreate = strict({
  name: nameOf(MAX_KEY_NAME, { examples: ['Website'] }),
  permissions: Type.Array(PermissionName, {
    minItems: 1,
    maxItems: 100,
    examples: [['contacts:write']],
    description: 'Only permissions that the caller has',
  }),
  expiresAt: Optional(nullable(Type.String({ format: 'date-time', examples: ['2099-01-31T09:30:00.000Z'] }))),
});
export const ApiKeyQuery = listQuery(['id', 'name', 'createdAt'], {});

const Changed = (text: string) =>
  Type.Unsafe<Record<string, unknown> | null>({
    type: ['object', 'null'],
    description: text,
    examples: [{ active: true }],
  });
export const AuditEntry = strict(
  {
    id: Id,
    at: Timestamp,
    actorType: oneOf(ACTOR_TYPES),
    actorId: nullable(Type.Integer()),
    actorName: nullable(Text({ examples: ['ada'] })),
    action: Text({ examples: ['user.updated'] }),
    resourceType: Text({ examples: ['user'] }),
    resourceId: nullable(Text({ examples: ['7'] })),
    before: Changed('The changed fields, before the change'),
    after: Changed('The changed fields, after the change'),
    requestId: nullable(Text()),
    address: nullable(Text({ examples: ['192.0.2.7'] })),
    tenantId: Text({ examples: ['default'] }),
  },
  { title: 'AuditEntry' },
);
export const AuditQuery = listQuery(['id'], {
  action: Optional(oneOf(AUDIT_ACTIONS)),
  actorType: Optional(oneOf(ACTOR_TYPES)),
  actorId: Optional(Id),
  resourceType: Optional(Text({ minLength: 1, maxLength: 50 })),
  resourceId: Optional(Text({ minLength: 1, maxLength: 100 })),
  atAfter: Optional(Timestamp),
  atBefore: Optional(Timestamp),
});
