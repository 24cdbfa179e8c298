import { Type } from 'typebox';
import { User } from '../../db/entities/auth.ts';
import { login, logout, refresh, type Session } from '../../domain/auth/sessions.ts';
import { changePassword, register, updateProfile } from '../../domain/auth/users.ts';
import { assertIfMatch, assertUnchanged, created, noContent, route, type RouteSpec } from '../guard.ts';
import { Id, oneOf, strict, Timestamp, Version, writable } from '../schemas.ts';

const Email = Type.String({ minLength: 3, maxLength: 100, examples: ['someone@example.com'] });
const Password = Type.String({ minLength: 1, maxLength: 1000, writeOnly: true });
const Name = Type.String({ minLength: 1, maxLength: 100 });
const Username = Type.String({ pattern: '^[\\p{L}\\p{N}._@+-]{1,50}$', examples: ['someone'] });

const userFields = {
  id: Id, username: Type.String(), email: Type.String(), firstName: Type.String(), lastName: Type.String(), tenantId: Type.String(),
  active: Type.Boolean(), emailVerified: Type.Boolean(), roles: Type.Array(Type.String()), createdAt: Timestamp, updatedAt: Timestamp, version: Version,
};
const UserAnswer = strict(userFields);
const AuthResponse = strict({ accessToken: Type.String(), tokenType: oneOf(['Bearer']), expiresIn: Type.Integer({ description: 'Seconds' }), refreshToken: Type.String(), user: UserAnswer });
const Register = strict({ username: Username, email: Email, password: Password, firstName: Name, lastName: Name });
const Login = strict({ username: Type.String({ minLength: 1, maxLength: 100, description: 'The username or the email' }), password: Password });
const ProfileUpdate = writable(
  { firstName: Type.Optional(Name), lastName: Type.Optional(Name), email: Type.Optional(Email), currentPassword: Type.Optional(Password) },
  ['id', 'username', 'tenantId', 'active', 'emailVerified', 'roles', 'version', 'createdAt', 'updatedAt'],
);

function presentUser(user: User) {
  const { id, username, email, firstName, lastName, tenantId, active, emailVerified, roles, createdAt, updatedAt, version } = user;
  return { id, username, email, firstName, lastName, tenantId, active, emailVerified, roles, createdAt, updatedAt, version };
}

const presentSession = ({ user, ...tokens }: Session) => ({ ...tokens, tokenType: 'Bearer', user: presentUser(user) });
const noStore = { 'Cache-Control': 'no-store' };

export const authRoutes: RouteSpec[] = [
  route({
    method: 'POST', path: '/auth/register', operationId: 'register', summary: 'Register a user', access: 'public', body: Register,
    responses: { 201: { schema: UserAnswer } }, errors: ['registration_disabled', 'username_taken', 'email_taken'],
    handler: async ({ deps, body }) => created('/auth/profile', presentUser(await register(deps.orm, deps.env, body))),
  }),
  route({
    method: 'POST', path: '/auth/login', operationId: 'login', summary: 'Log in', access: 'public', body: Login,
    responses: { 200: { schema: AuthResponse } }, errors: ['invalid_credentials', 'email_unverified'],
    handler: async ({ deps, body }) => ({ body: presentSession(await login(deps.orm, deps.env, body)), headers: noStore }),
  }),
  route({
    method: 'POST', path: '/auth/refresh', operationId: 'refresh', summary: 'Exchange a refresh token for a new session', access: 'public',
    body: strict({ refreshToken: Type.String({ minLength: 1, maxLength: 200, writeOnly: true }) }),
    responses: { 200: { schema: AuthResponse } }, errors: ['unauthorized'],
    handler: async ({ deps, body }) => ({ body: presentSession(await refresh(deps.orm, deps.env, body.refreshToken)), headers: noStore }),
  }),
  route({
    method: 'POST', path: '/auth/logout', operationId: 'logout', summary: 'Log out: the token is dead at once', access: 'authenticated',
    responses: { 204: { description: 'Logged out' } },
    handler: async ({ em, principal }) => {
      await logout(em, principal);
      return noContent;
    },
  }),
  route({
    method: 'GET', path: '/auth/profile', operationId: 'getProfile', summary: 'The caller', access: 'authenticated', responses: { 200: { schema: UserAnswer } },
    handler: async ({ em, principal }) => ({ body: presentUser(await em.findOneOrFail(User, { id: principal.userId })) }),
  }),
  route({
    method: 'PUT', path: '/auth/profile', operationId: 'updateProfile', summary: 'Change the caller\'s profile', access: 'authenticated', body: ProfileUpdate,
    responses: { 200: { schema: UserAnswer } }, errors: ['email_taken'],
    handler: async ({ em, principal, body, readOnly, ifMatch }) => ({
      body: presentUser(await updateProfile(em, principal.userId, body, (current) => {
        assertIfMatch(ifMatch, current.version);
        assertUnchanged(readOnly, presentUser(current));
      })),
    }),
  }),
  route({
    method: 'PUT', path: '/auth/password', operationId: 'changePassword', summary: 'Change the caller\'s password; other sessions end', access: 'authenticated',
    body: strict({ currentPassword: Password, newPassword: Password }), responses: { 204: { description: 'Changed' } },
    handler: async ({ em, principal, body }) => {
      await changePassword(em, principal.userId, { ...body, family: principal.token.family });
      return noContent;
    },
  }),
];
