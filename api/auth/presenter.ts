import type { ApiKey, AuditEntry, Invitation, Role, User } from '../../db/entities/auth.ts';
import { statusOf } from '../../domain/accounts/invitations.ts';
import type { OpenedSession } from '../../domain/auth/access/sessions.ts';
import { isBuiltIn } from '../../domain/auth/access/built-in-roles.ts';

const common = ({ tenantId, createdAt, updatedAt, version }: User | Role | Invitation | ApiKey) => ({
  tenantId,
  createdAt,
  updatedAt,
  version,
});

export function presentUser(user: User) {
  return {
    id: user.id,
    username: user.username,
    email: user.email,
    firstName: user.firstName,
    lastName: user.lastName,
    active: user.active,
    emailVerified: user.emailVerified,
    roles: user.roles,
    ...common(user),
  };
}

export function presentSession({ accessToken, expiresIn, refreshToken, user }: OpenedSession) {
  return { accessToken, tokenType: 'Bearer', expiresIn, refreshToken, user: presentUser(user) };
}

export const presentRole = (role: Role) => ({
  id: role.id,
  name: role.name,
  description: role.description ?? null,
  permissions: role.permissions,
  builtIn: isBuiltIn(role.name),
  ...common(role),
});

export const presentInvitation = (invitation: Invitation) => ({
  id: invitation.id,
  email: invitation.email,
  roles: invitation.roles,
  status: statusOf(invitation),
  invitedBy: invitation.invitedBy,
  expiresAt: invitation.expiresAt,
  acceptedAt: invitation.acceptedAt ?? null,
  ...common(invitation),
});

export const presentApiKey = (key: ApiKey) => ({
  id: key.id,
  name: key.name,
  permissions: key.permissions,
  createdBy: key.createdBy,
  expiresAt: key.expiresAt ?? null,
  lastUsedAt: key.lastUsedAt ?? null,
  ...common(key),
});

export const presentAuditEntry = (entry: AuditEntry) => ({
  id: entry.id,
  at: entry.at,
  actorType: entry.actorType,
  actorId: entry.actorId,
  actorName: entry.actorName,
  action: entry.action,
  resourceType: entry.resourceType,
  resourceId: entry.resourceId,
  before: entry.before,
  after: entry.after,
  requestId: entry.requestId,
  address: entry.address,
  tenantId: entry.tenantId,
});
