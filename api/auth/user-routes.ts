import { User } from '../../db/entities/auth.ts';
import { listAuditLog } from '../../domain/audit/list-audit-log.ts';
import { unknownRoles } from '../../domain/auth/access/grants.ts';
import { listUsers } from '../../domain/accounts/list-users.ts';
import { removeTotpOf, updateUser } from '../../domain/accounts/users.ts';
import { notFound } from '../../lib/checks/errors.ts';
import { IdParams, listOf } from '../route/schemas.ts';
import * as schema from './admin-schema.ts';
import { presentAuditEntry, presentUser } from './presenter.ts';
import { User as UserSchema } from './schema.ts';
import { assertIfMatch, assertUnchanged, changedReadOnly, noContent, route, type RouteSpec } from '../route/route.ts';

/** The users of a tenant, and its audit log. */
export const userRoutes: RouteSpec[] = [
  route({
    method: 'GET',
    path: '/auth/users',
    operationId: 'listUsers',
    summary: 'List users',
    description: 'The users of the account, disabled ones too. `q` finds a part of a username, an address or a name.',
    access: 'users:read',
    query: schema.UserQuery,
    responses: { 200: { schema: listOf(UserSchema) } },
    handler: async ({ em, query }) => ({ body: await listUsers(em, query, (found) => found.map(presentUser)) }),
  }),
  route({
    method: 'GET',
    path: '/auth/users/{id}',
    operationId: 'getUser',
    summary: 'Get a user',
    description: 'Also a disabled user. `roles` are names; `GET /auth/roles` has their permissions.',
    access: 'users:read',
    params: IdParams,
    responses: { 200: { schema: UserSchema } },
    handler: async ({ em, params }) => {
      const user = await em.findOne(User, { id: params.id });
      if (!user) throw notFound('user', params.id);
      return { body: presentUser(user) };
    },
  }),
  route({
    method: 'PUT',
    path: '/auth/users/{id}',
    operationId: 'updateUser',
    summary: 'Enable or disable a user, or change the roles of the user',
    access: 'users:write',
    description:
      'Callers can neither grant nor revoke permissions that they do not have, and can neither disable nor demote themselves. The tenant always keeps an Admin.',
    params: IdParams,
    body: schema.UserUpdate,
    responses: { 200: { schema: UserSchema } },
    errors: ['last_admin'],
    check: async ({ tx, params, body, readOnly }) => {
      const current = await tx.findOne(User, { id: params.id ?? 0 });
      return current
        ? [...changedReadOnly(readOnly, presentUser(current)), ...(await unknownRoles(tx, body.roles ?? []))]
        : [];
    },
    handler: async (call) => ({
      body: presentUser(
        await updateUser(call.em, call, call.params.id, call.body, (current) => {
          assertIfMatch(call.ifMatch, current.version);
          assertUnchanged(call.readOnly, presentUser(current));
        }),
      ),
    }),
  }),
  route({
    method: 'DELETE',
    path: '/auth/users/{id}/totp',
    operationId: 'removeUserTotp',
    summary: "Turn off a user's TOTP",
    access: 'users:write',
    description:
      'For a user who has lost the authenticator. Ends all sessions of the user; logins then require only the password.',
    params: IdParams,
    responses: { 204: { description: 'TOTP is off' } },
    errors: ['conflict'],
    handler: async (call) => {
      await removeTotpOf(call.em, call, call.params.id);
      return noContent;
    },
  }),
  route({
    method: 'GET',
    path: '/auth/audit-log',
    operationId: 'listAuditLog',
    summary: 'List audit log entries: who changed what',
    description:
      'Each entry says who did what, when, from which address and in which request, with the changed fields before and after. Filter by action, actor, resource and time. Entries cannot be changed.',
    access: 'audit-log:read',
    query: schema.AuditQuery,
    responses: { 200: { schema: listOf(schema.AuditEntry) } },
    handler: async ({ em, query }) => ({
      body: await listAuditLog(em, query, (found) => found.map(presentAuditEntry)),
    }),
  }),
];
