import { Type } from 'typebox';
import { CHANNELS, MESSAGE_CATEGORIES } from '../../db/entities/channels.ts';
import { MESSAGE_STATUSES } from '../../db/entities/messages.ts';
import { engineEm } from '../../db/orm.ts';
import { checkMessage, topicViolations } from '../../domain/channels/history/check.ts';
import { explainMessage } from '../../domain/channels/history/explain-message.ts';
import { readProviderHealth } from '../../domain/channels/providers/provider-health.ts';
import { route, type RouteSpec } from '../route/route.ts';
import { Id, IdParams, nullable, oneOf, strict, Timestamp } from '../route/schemas.ts';

const gate = { gate: Type.String(), passed: Type.Boolean(), reason: nullable(Type.String()) };

export const channelGateRoutes: RouteSpec[] = [
  route({
    method: 'POST',
    path: '/channels/check',
    operationId: 'checkMessage',
    summary: 'Ask whether a message to a contact would be sent, and why not',
    description:
      'The answer of the gate for a message that is queued now, up to the gate that stops it; nothing changes. With `at`, the hours are those at that time. If it only has to wait for open hours, `opensAt` tells until when.',
    access: 'channels:read',
    body: strict({
      contactId: Id,
      channel: oneOf(CHANNELS),
      templateId: Type.Optional(
        Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: 'A template of the channel' }),
      ),
      category: Type.Optional(
        oneOf(MESSAGE_CATEGORIES, { description: 'Default: that of the template, or marketing' }),
      ),
      topicId: Type.Optional(
        Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: 'Default: that of the template' }),
      ),
      at: Type.Optional(Timestamp),
    }),
    responses: {
      200: {
        schema: strict(
          { allowed: Type.Boolean(), gates: Type.Array(strict(gate)), opensAt: nullable(Timestamp) },
          { title: 'CheckedMessage' },
        ),
      },
    },
    errors: ['not_found'],
    check: ({ tx, caller, body: { topicId } }) => topicViolations(tx, caller.tenantId, topicId),
    handler: async ({ em, deps, principal, body: { at, ...asked } }) => ({
      body: await checkMessage(
        em,
        principal.tenantId,
        { ...asked, ...(at === undefined ? {} : { at: new Date(at) }) },
        deps.env.MAIL_FROM,
      ),
    }),
  }),
  route({
    method: 'GET',
    path: '/channels/messages/{id}/explain',
    operationId: 'explainMessage',
    summary: 'Explain why a text message or push was, or was not, sent',
    description:
      'The gates in their order, each with whether it passed and why, then the provider and the delivery. Gates of a message that is not sent yet are evaluated now.',
    access: 'channels:read',
    params: IdParams,
    responses: {
      200: {
        schema: strict(
          {
            messageId: Id,
            status: oneOf(MESSAGE_STATUSES),
            gates: Type.Array(strict({ ...gate, at: Timestamp })),
            attempts: Type.Array(
              strict({
                sendId: Id,
                providerId: nullable(Id),
                at: Timestamp,
                outcome: Type.String(),
                reply: nullable(Type.String()),
              }),
            ),
          },
          { title: 'MessageExplanation' },
        ),
      },
    },
    errors: ['not_found'],
    handler: async ({ em, deps, params }) => ({
      body: await explainMessage(em, params.id, (ids) => readProviderHealth(engineEm(deps.orm), ids)),
    }),
  }),
];
