import { User } from '../../db/entities/auth.ts';
import { changePassword } from '../../domain/accounts/change-password.ts';
import { logIn } from '../../domain/accounts/log-in.ts';
import { findSelf } from '../../domain/auth/credentials/own-password.ts';
import type { Caller, Principal } from '../../domain/audit/principal.ts';
import { checkPassword } from '../../domain/auth/credentials/password-policy.ts';
import { checkRegistration, registerUser } from '../../domain/accounts/register-user.ts';
import { logout, refreshSession } from '../../domain/auth/access/sessions.ts';
import { profileViolations, updateProfile } from '../../domain/accounts/update-profile.ts';
import { presentSession, presentUser } from './presenter.ts';
import * as schema from './schema.ts';
import {
  assertIfMatch,
  assertUnchanged,
  changedReadOnly,
  created,
  noContent,
  route,
  type RouteSpec,
} from '../route/route.ts';

/** Tokens must not be cached (RFC 6749, 5.1). */
const noStore = { 'Cache-Control': 'no-store' };

/** The caller of a route that only logged-in users may call. */
export const selfOf = ({ principal, caller }: { principal: Principal; caller: Caller }) => ({
  ...caller,
  userId: principal.actor.id,
  sessionId: principal.sessionId!,
});

/** Registration, sessions, and the caller's own account. */
export const authRoutes: RouteSpec[] = [
  route({
    method: 'POST',
    path: '/auth/register',
    operationId: 'register',
    summary: 'Register a user',
    description:
      'Creates the account and logs nobody in. In a service with one tenant, the first user becomes Admin and others get the role User; with `ENABLE_MULTI_TENANT`, each registration creates a tenant with this user as its Admin. 403 `registration_disabled` unless `ENABLE_REGISTRATION` is set. With `ENABLE_EMAIL_VERIFICATION` the user cannot log in before confirming the address.',
    access: 'public',
    body: schema.Register,
    responses: { 201: { schema: schema.User } },
    errors: ['registration_disabled', 'username_taken', 'email_taken'],
    check: ({ body }) => checkRegistration(body).violations,
    handler: async ({ caller, deps, body }) =>
      created('/auth/profile', presentUser(await registerUser(deps, body, caller))),
  }),
  route({
    method: 'POST',
    path: '/auth/login',
    operationId: 'login',
    whileHeld: true,
    summary: 'Log in',
    description:
      '`username` may be the email address. An account with TOTP needs `totp` too. After ten failures within 15 minutes a name is locked for the client address, and after 100 for everybody: 429, whether or not the name exists.',
    access: 'public',
    body: schema.Login,
    responses: { 200: { schema: schema.AuthResponse } },
    errors: ['invalid_credentials', 'email_unverified', 'too_many_requests'],
    handler: async ({ caller: { requestId, address }, deps, body }) => ({
      body: presentSession(await logIn(deps.orm, deps.env, { ...body, requestId, address })),
      headers: noStore,
    }),
  }),
  route({
    method: 'POST',
    path: '/auth/refresh',
    operationId: 'refresh',
    whileHeld: true,
    summary: 'Exchange a refresh token for new tokens',
    access: 'public',
    description: 'A refresh token can be used once. Using it a second time ends its session.',
    body: schema.Refresh,
    responses: { 200: { schema: schema.AuthResponse } },
    errors: ['unauthorized'],
    handler: async ({ deps, body, caller }) => ({
      body: presentSession(await refreshSession(deps.orm, deps.env, body.refreshToken, caller)),
      headers: noStore,
    }),
  }),
  route({
    method: 'POST',
    path: '/auth/logout',
    operationId: 'logout',
    whileHeld: true,
    summary: 'Log out: the tokens of the session stop working immediately',
    description:
      'Ends this session only: its access token and its refresh token stop working in all API processes. Other sessions of the user go on.',
    access: 'user',
    responses: { 204: { description: 'Logged out' } },
    handler: async ({ em, caller, principal }) => {
      await logout(em, caller, principal.sessionId!);
      return noContent;
    },
  }),
  route({
    method: 'GET',
    path: '/auth/profile',
    operationId: 'getProfile',
    summary: "Get the caller's profile",
    description: 'The user who is logged in. API keys have no profile and are refused.',
    access: 'user',
    responses: { 200: { schema: schema.User } },
    handler: async (call) => ({ body: presentUser(await findSelf(call.deps.orm, selfOf(call))) }),
  }),
  route({
    method: 'PUT',
    path: '/auth/profile',
    operationId: 'updateProfile',
    summary: "Change the caller's profile",
    access: 'user',
    description: 'Changing the email requires `currentPassword`. A username that equals the email changes with it.',
    body: schema.ProfileUpdate,
    responses: { 200: { schema: schema.User } },
    errors: ['conflict', 'email_taken', 'username_taken', 'too_many_requests'],
    check: async ({ tx, caller, body, given, readOnly }) => {
      const user = await tx.findOne(User, { id: caller.actor.id ?? 0 });
      return user
        ? [
            ...changedReadOnly(readOnly, presentUser(user)),
            ...profileViolations(user, body, given.currentPassword !== undefined),
          ]
        : [];
    },
    handler: async (call) => ({
      body: presentUser(
        await updateProfile(call.deps, selfOf(call), call.body, (current) => {
          assertIfMatch(call.ifMatch, current.version);
          assertUnchanged(call.readOnly, presentUser(current));
        }),
      ),
    }),
  }),
  route({
    method: 'PUT',
    path: '/auth/password',
    operationId: 'changePassword',
    summary: "Change the caller's password; ends all other sessions",
    description:
      'This session goes on. A wrong `currentPassword` is a 400 and counts as a failed login; while the name is locked, the answer is 429.',
    access: 'user',
    body: schema.PasswordChange,
    responses: { 204: { description: 'Changed' } },
    errors: ['conflict', 'too_many_requests'],
    // The current password is verified only if the rest is valid, because each attempt counts.
    check: ({ body: { newPassword } }) => (newPassword === undefined ? [] : checkPassword(newPassword, '/newPassword')),
    handler: async (call) => {
      await changePassword(call.deps.orm, selfOf(call), call.body);
      return noContent;
    },
  }),
];
