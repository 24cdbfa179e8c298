import type { User } from '../../db/entities/auth.ts';
import type { OpenedSession } from '../../domain/auth/sessions.ts';

export function presentUser(user: User) {
  return {
    id: user.id, username: user.username, email: user.email, firstName: user.firstName, lastName: user.lastName, tenantId: user.tenantId,
    active: user.active, emailVerified: user.emailVerified, roles: user.roles, createdAt: user.createdAt, updatedAt: user.updatedAt, version: user.version,
  };
}

export function presentSession({ accessToken, expiresIn, refreshToken, user }: OpenedSession) {
  return { accessToken, tokenType: 'Bearer', expiresIn, refreshToken, user: presentUser(user) };
}
