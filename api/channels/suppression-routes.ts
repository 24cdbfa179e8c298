import { Type } from 'typebox';
import { CHANNEL_SUPPRESSION_REASONS, ChannelSuppression } from '../../db/entities/channels.ts';
import {
  addChannelSuppression,
  addressViolations,
  listChannelSuppressions,
  removeChannelSuppression,
} from '../../domain/channels/suppressions/suppressions.ts';
import { notFound } from '../../lib/checks/errors.ts';
import { Id, IdParams, listOf, listQuery, nullable, oneOf, strict, Timestamp, writable } from '../route/schemas.ts';
import { created, noContent, route, type RouteSpec } from '../route/route.ts';
import { channel } from './template-schema.ts';

const reason = oneOf(CHANNEL_SUPPRESSION_REASONS, { examples: ['manual'] });
const address = Type.String({ maxLength: 1000, examples: ['+442079460958'] });
const Answer = strict(
  {
    id: Id,
    channel,
    address: nullable(
      Type.String({
        description: 'sms: the number (E.164). push: the email address in normalised form. Null if it was erased',
      }),
    ),
    reason,
    source: Type.String({ description: 'Where it came from: `api`, `provider`, `text` or `page`' }),
    tenantId: Type.String(),
    createdAt: Timestamp,
  },
  { title: 'ChannelSuppression' },
);
const Create = writable({ channel, address, reason: Type.Optional(reason) }, [
  ...(['id', 'source', 'tenantId', 'createdAt'] as const),
]);
const Query = listQuery(['id', 'createdAt'], {
  channel: Type.Optional(channel),
  address: Type.Optional(address),
  reason: Type.Optional(reason),
});

const present = (suppression: ChannelSuppression) => ({
  id: suppression.id,
  channel: suppression.channel,
  address: suppression.address.startsWith('erased:') ? null : suppression.address,
  reason: suppression.reason,
  source: suppression.source,
  tenantId: suppression.tenantId,
  createdAt: suppression.createdAt.toISOString(),
});

export const channelSuppressionRoutes: RouteSpec[] = [
  route({
    method: 'GET',
    path: '/channels/suppressions',
    operationId: 'listChannelSuppressions',
    summary: 'List suppressed numbers, and who gets no pushes',
    description: 'Who gets no marketing, or nothing at all, on a channel, and why. They outlive contacts.',
    access: 'channels:read',
    query: Query,
    responses: { 200: { schema: listOf(Answer) } },
    handler: async ({ em, principal, query }) => ({
      body: await listChannelSuppressions(em, principal.tenantId, query, (found) => found.map(present)),
    }),
  }),
  route({
    method: 'POST',
    path: '/channels/suppressions',
    operationId: 'createChannelSuppression',
    summary: 'Suppress a number, or the pushes to a person',
    access: 'channels:write',
    description:
      'sms: a number in E.164. push: the email address of a contact, whose devices then get no marketing. The default reason is `manual`; to what is `invalid` or `complained`, not even transactional messages are sent. If it is already suppressed, the response is 200 and the reason stays unless the new one is stricter.',
    body: Create,
    responses: { 200: { schema: Answer, description: 'It was already suppressed' }, 201: { schema: Answer } },
    check: ({ body }) =>
      body.channel === undefined || body.address === undefined ? [] : addressViolations(body.channel, body.address),
    handler: async ({ em, caller, body }) => {
      const { suppression, made } = await addChannelSuppression(em, caller, { reason: 'manual', ...body });
      return made
        ? created(`/channels/suppressions/${suppression.id}`, present(suppression))
        : { status: 200, body: present(suppression) };
    },
  }),
  route({
    method: 'GET',
    path: '/channels/suppressions/{id}',
    operationId: 'getChannelSuppression',
    summary: 'Get a suppression of a channel',
    description: 'It holds for the number or person, whether or not there is a contact.',
    access: 'channels:read',
    params: IdParams,
    responses: { 200: { schema: Answer } },
    handler: async ({ em, params }) => {
      const suppression = await em.findOne(ChannelSuppression, { id: params.id });
      if (!suppression) throw notFound('suppression', params.id);
      return { body: present(suppression) };
    },
  }),
  route({
    method: 'DELETE',
    path: '/channels/suppressions/{id}',
    operationId: 'deleteChannelSuppression',
    summary: 'Delete a suppression of a channel',
    access: 'channels:write',
    description: 'Consents and other choices of the person stay as they are. Recorded in the audit log.',
    params: IdParams,
    responses: { 204: { description: 'Removed' } },
    handler: async ({ em, caller, params }) => {
      await removeChannelSuppression(em, caller, params.id);
      return noContent;
    },
  }),
];
