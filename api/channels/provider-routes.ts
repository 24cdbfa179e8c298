import { ChannelProvider } from '../../db/entities/channels.ts';
import { engineEm } from '../../db/orm.ts';
import { readProviderHealth, UNUSED } from '../../domain/channels/providers/provider-health.ts';
import {
  createProvider,
  deleteProvider,
  listProviders,
  providerViolations,
  readProvider,
  updateProvider,
  viewOf,
  type ProviderInput,
  type ProviderView,
} from '../../domain/channels/providers/providers.ts';
import { testProvider, testViolations } from '../../domain/channels/ledger/test-provider.ts';
import type { Deps } from '../../runtime/deps.ts';
import { IdParams, listOf } from '../route/schemas.ts';
import { presentProvider } from './presenter.ts';
import * as schema from './provider-schema.ts';
import { QueuedMessage } from './message-schema.ts';
import {
  accepted,
  assertIfMatch,
  assertUnchanged,
  callKeyOf,
  changedReadOnly,
  created,
  noContent,
  route,
  type RouteSpec,
} from '../route/route.ts';

const servicesOf = ({ env, outbound: { checkUrl } }: Deps) => ({ env, checkUrl });

async function shown(deps: Deps, view: ProviderView) {
  const healthOf = await readProviderHealth(engineEm(deps.orm), [view.provider.id]);
  return presentProvider(view, healthOf(view.provider.id));
}

export const channelProviderRoutes: RouteSpec[] = [
  route({
    method: 'GET',
    path: '/channels/providers',
    operationId: 'listChannelProviders',
    summary: 'List the providers of text messages and pushes, and their health',
    description: 'In no answer are their credentials: `true` stands for one that is there.',
    access: 'channels:read',
    query: schema.ChannelProviderQuery,
    responses: { 200: { schema: listOf(schema.ChannelProvider) } },
    handler: async ({ em, deps, query }) => ({
      body: await listProviders(em, query, async (found) => {
        const healthOf = await readProviderHealth(
          engineEm(deps.orm),
          found.map(({ id }) => id),
        );
        return found.map((provider) => presentProvider(viewOf(deps.env, provider), healthOf(provider.id)));
      }),
    }),
  }),
  route({
    method: 'POST',
    path: '/channels/providers',
    operationId: 'createChannelProvider',
    summary: 'Create a provider of text messages or pushes',
    description:
      'Of the active providers of a channel, that with the lowest `priority` is used; the next one while it refuses, does not answer or cannot be reached. Web Push needs none. A provider reports what becomes of messages, and texts that it receives, to `POST /channels/webhooks/{providerId}`.',
    access: 'channels:write',
    body: schema.ChannelProviderCreate,
    responses: { 201: { schema: schema.ChannelProvider } },
    errors: ['template_limit', 'unavailable'],
    check: ({ deps, caller, body }) =>
      providerViolations(caller.tenantId, body as Partial<ProviderInput>, deps.outbound.checkUrl),
    handler: async ({ em, deps, caller, body }) => {
      const view = await createProvider(em, servicesOf(deps), caller, body);
      return created(`/channels/providers/${view.provider.id}`, presentProvider(view, UNUSED));
    },
  }),
  route({
    method: 'GET',
    path: '/channels/providers/{id}',
    operationId: 'getChannelProvider',
    summary: 'Get a provider of text messages or pushes',
    description: 'Credentials are shown as `true` only.',
    access: 'channels:read',
    params: IdParams,
    responses: { 200: { schema: schema.ChannelProvider } },
    // `health` changes without a new version.
    handler: async ({ em, deps, params }) => ({
      body: await shown(deps, await readProvider(em, deps.env, params.id)),
      derived: true,
    }),
  }),
  route({
    method: 'PUT',
    path: '/channels/providers/{id}',
    operationId: 'updateChannelProvider',
    summary: 'Change a provider of text messages or pushes',
    description:
      '`credentials` replace those that are there; absent, or just as GET shows them (`{field: true}`), they are kept. They must be given again with a `config` that would send them to another origin. `health` is accepted with any value, and ignored.',
    access: 'channels:write',
    params: IdParams,
    body: schema.ChannelProviderUpdate,
    responses: { 200: { schema: schema.ChannelProvider } },
    errors: ['template_limit', 'unavailable'],
    check: async ({ deps, tx, caller, params, body, readOnly }) => {
      const provider = await tx.findOne(ChannelProvider, { id: params.id ?? 0 });
      if (!provider) return [];
      const current = viewOf(deps.env, provider);
      return [
        ...changedReadOnly(schema.checkedOnly(readOnly), presentProvider(current, UNUSED)),
        ...(await providerViolations(caller.tenantId, body, deps.outbound.checkUrl, current)),
      ];
    },
    handler: async ({ em, deps, caller, params, body, readOnly, ifMatch }) => {
      const view = await updateProvider(em, servicesOf(deps), caller, params.id, body, (current) => {
        assertIfMatch(ifMatch, current.provider.version);
        assertUnchanged(schema.checkedOnly(readOnly), presentProvider(current, UNUSED));
      });
      return { body: await shown(deps, view) };
    },
  }),
  route({
    method: 'DELETE',
    path: '/channels/providers/{id}',
    operationId: 'deleteChannelProvider',
    summary: 'Delete a provider of text messages or pushes',
    description: 'Reports of messages that it has sent are refused from then on.',
    access: 'channels:write',
    params: IdParams,
    responses: { 204: { description: 'Deleted' } },
    errors: ['in_use', 'precondition_failed'],
    handler: async ({ em, caller, params, ifMatch }) => {
      await deleteProvider(em, caller, params.id, (current) => assertIfMatch(ifMatch, current.version));
      return noContent;
    },
  }),
  route({
    method: 'POST',
    path: '/channels/providers/{id}/test',
    operationId: 'testChannelProvider',
    summary: 'Send a test message through a provider',
    description:
      'Whether the provider is active or not. It is tried once: what the provider refuses is FAILED, with what it said in `reason` and in `/channels/messages/{id}/explain`. It is a message as any other, and listed with them. Repeating the request with the same Idempotency-Key sends no second one.',
    access: 'channels:send',
    params: IdParams,
    body: schema.ChannelProviderTest,
    responses: { 202: { schema: QueuedMessage } },
    errors: ['not_found'],
    check: async ({ tx, params, body }) => {
      const provider = await tx.findOne(ChannelProvider, { id: params.id ?? 0 });
      return provider && body.to !== undefined ? testViolations(provider.channel, body.to) : [];
    },
    handler: async ({ ctx, em, caller, principal, params, body }) => {
      const callKey = callKeyOf(ctx, principal);
      const { messageId, status, reason } = await testProvider(em, caller, params.id, body.to, callKey);
      return accepted(`/channels/messages/${messageId}`, { messageId, status, reason });
    },
  }),
];
