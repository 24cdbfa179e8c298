import { Role } from '../../db/entities/auth.ts';
import { listRoles } from '../../domain/auth/access/list-roles.ts';
import { permissionList } from '../../domain/auth/access/permissions.ts';
import { checkRole, createRole, deleteRole, updateRole } from '../../domain/auth/access/roles.ts';
import { notFound } from '../../lib/checks/errors.ts';
import { IdParams, listOf } from '../route/schemas.ts';
import * as schema from './admin-schema.ts';
import { presentRole } from './presenter.ts';
import {
  assertIfMatch,
  assertUnchanged,
  changedReadOnly,
  created,
  noContent,
  route,
  type RouteSpec,
} from '../route/route.ts';

export const roleRoutes: RouteSpec[] = [
  route({
    method: 'GET',
    path: '/auth/roles',
    operationId: 'listRoles',
    summary: 'List roles',
    description: 'The built-in roles Admin and User, which cannot be changed, and those of the account.',
    access: 'roles:read',
    query: schema.RoleQuery,
    responses: { 200: { schema: listOf(schema.Role) } },
    handler: async ({ em, query }) => ({ body: await listRoles(em, query, (found) => found.map(presentRole)) }),
  }),
  route({
    method: 'POST',
    path: '/auth/roles',
    operationId: 'createRole',
    summary: 'Create a role',
    description:
      'A caller can give only permissions that the caller has: others are a 403, unknown ones a 400. `GET /auth/permissions` lists all. Users get the role with `PUT /auth/users/{id}`. 409 `name_taken` if there is a role of this name.',
    access: 'roles:write',
    body: schema.RoleCreate,
    responses: { 201: { schema: schema.Role } },
    errors: ['name_taken'],
    check: ({ body }) => checkRole(body).violations,
    handler: async (call) => {
      const role = await createRole(call.em, call, call.body);
      return created(`/auth/roles/${role.id}`, presentRole(role));
    },
  }),
  route({
    method: 'GET',
    path: '/auth/roles/{id}',
    operationId: 'getRole',
    summary: 'Get a role',
    description: 'With the names of its permissions. A role that is `builtIn` cannot be changed or deleted.',
    access: 'roles:read',
    params: IdParams,
    responses: { 200: { schema: schema.Role } },
    handler: async ({ em, params }) => {
      const role = await em.findOne(Role, { id: params.id });
      if (!role) throw notFound('role', params.id);
      return { body: presentRole(role) };
    },
  }),
  route({
    method: 'PUT',
    path: '/auth/roles/{id}',
    operationId: 'updateRole',
    summary: 'Change a role; applies to all users who have it',
    description:
      "`permissions` replaces the whole list. A new name is the role's name for its users and invitations too. Admin and User cannot be changed: 409 `conflict`.",
    access: 'roles:write',
    params: IdParams,
    body: schema.RoleUpdate,
    responses: { 200: { schema: schema.Role } },
    errors: ['name_taken', 'conflict'],
    check: async ({ tx, params, body, readOnly }) => {
      const current = await tx.findOne(Role, { id: params.id ?? 0 });
      return current ? [...changedReadOnly(readOnly, presentRole(current)), ...checkRole(body).violations] : [];
    },
    handler: async (call) => ({
      body: presentRole(
        await updateRole(call.em, call, call.params.id, call.body, (current) => {
          assertIfMatch(call.ifMatch, current.version);
          assertUnchanged(call.readOnly, presentRole(current));
        }),
      ),
    }),
  }),
  route({
    method: 'DELETE',
    path: '/auth/roles/{id}',
    operationId: 'deleteRole',
    summary: 'Delete a role that is not in use',
    description:
      '409 `in_use`, with their names, while users or open invitations have the role. Admin and User cannot be deleted: 409 `conflict`.',
    access: 'roles:write',
    params: IdParams,
    responses: { 204: { description: 'Deleted' } },
    errors: ['in_use', 'conflict', 'precondition_failed'],
    handler: async (call) => {
      await deleteRole(call.em, call, call.params.id, (current) => assertIfMatch(call.ifMatch, current.version));
      return noContent;
    },
  }),
  route({
    method: 'GET',
    path: '/auth/permissions',
    operationId: 'listPermissions',
    summary: 'List all permissions that a role can have',
    description:
      'The names that roles and API keys take, `resource:action`, and what each allows. `x-permission` of an operation in the OpenAPI document is the one that its callers need.',
    access: 'roles:read',
    responses: { 200: { schema: listOf(schema.Permission) } },
    handler: async () => ({
      body: { data: permissionList, page: { limit: permissionList.length, nextCursor: null, hasMore: false } },
    }),
  }),
];
