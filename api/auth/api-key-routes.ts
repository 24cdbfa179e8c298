import { ApiKey } from '../../db/entities/auth.ts';
import { checkKey, createApiKey, deleteApiKey } from '../../domain/auth/access/api-keys.ts';
import { listApiKeys } from '../../domain/auth/access/list-api-keys.ts';
import { notFound } from '../../lib/checks/errors.ts';
import { IdParams, listOf } from '../route/schemas.ts';
import * as schema from './admin-schema.ts';
import { presentApiKey } from './presenter.ts';
import { assertIfMatch, created, noContent, route, type RouteSpec } from '../route/route.ts';

export const apiKeyRoutes: RouteSpec[] = [
  route({
    method: 'GET',
    path: '/auth/api-keys',
    operationId: 'listApiKeys',
    summary: 'List API keys',
    description:
      'All keys of the account, with who created each and when it was last used; the keys themselves cannot be read again.',
    access: 'api-keys:read',
    query: schema.ApiKeyQuery,
    responses: { 200: { schema: listOf(schema.ApiKey) } },
    handler: async ({ em, query }) => ({ body: await listApiKeys(em, query, (found) => found.map(presentApiKey)) }),
  }),
  route({
    method: 'POST',
    path: '/auth/api-keys',
    operationId: 'createApiKey',
    summary: 'Create an API key; the key itself is returned only once',
    access: 'api-keys:write',
    description:
      'Send the key as a Bearer token. Its effective permissions are those that both the key and its creator have, and none while the creator is disabled.',
    body: schema.ApiKeyCreate,
    responses: { 201: { schema: schema.NewApiKey } },
    errors: ['name_taken'],
    check: ({ body }) => checkKey(body).violations,
    handler: async (call) => {
      const { apiKey, key } = await createApiKey(call.em, call, call.body);
      const reply = created(`/auth/api-keys/${apiKey.id}`, { ...presentApiKey(apiKey), key });
      return { ...reply, headers: { ...reply.headers, 'Cache-Control': 'no-store' } };
    },
  }),
  route({
    method: 'GET',
    path: '/auth/api-keys/{id}',
    operationId: 'getApiKey',
    summary: 'Get an API key, without the key itself',
    description: 'The key itself is only in the answer to its creation.',
    access: 'api-keys:read',
    params: IdParams,
    responses: { 200: { schema: schema.ApiKey } },
    handler: async ({ em, params }) => {
      const apiKey = await em.findOne(ApiKey, { id: params.id });
      if (!apiKey) throw notFound('API key', params.id);
      return { body: presentApiKey(apiKey) };
    },
  }),
  route({
    method: 'DELETE',
    path: '/auth/api-keys/{id}',
    operationId: 'deleteApiKey',
    summary: 'Delete an API key; it stops working immediately',
    description:
      'Requests with the key get 401 from now on, in all API processes. 403 for a key with permissions that the caller lacks.',
    access: 'api-keys:write',
    params: IdParams,
    responses: { 204: { description: 'Deleted' } },
    errors: ['precondition_failed'],
    handler: async (call) => {
      await deleteApiKey(call.em, call, call.params.id, (current) => assertIfMatch(call.ifMatch, current.version));
      return noContent;
    },
  }),
];
