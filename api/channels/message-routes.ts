import type { MessageChannel } from '../../db/entities/channels.ts';
import { listMessages, readMessage } from '../../domain/channels/ledger/read-messages.ts';
import { resolveMessage } from '../../domain/channels/ledger/resolve-message.ts';
import { sendMessage, sendViolations, type SendInput } from '../../domain/channels/ledger/send-message.ts';
import { Resolve } from '../emails/ledger/schema.ts';
import { IdParams, listOf } from '../route/schemas.ts';
import { accepted, callKeyOf, route, type RouteSpec } from '../route/route.ts';
import { additionsOf } from './additions.ts';
import * as schema from './message-schema.ts';
import { presentMessage } from './presenter.ts';

const sendRoute = (channel: MessageChannel): RouteSpec =>
  route({
    method: 'POST',
    path: `/channels/${channel}/send`,
    operationId: channel === 'sms' ? 'sendText' : 'sendPush',
    summary: channel === 'sms' ? 'Send one text message' : 'Send one push',
    access: 'channels:send',
    description: `${
      channel === 'sms'
        ? 'To the number of a contact, or to a number.'
        : 'To all devices of a contact, or to one device; it counts as one message.'
    } A message that a gate refuses is SUPPRESSED immediately, with the reason. Repeating the request with the same Idempotency-Key sends no second one.`,
    body: channel === 'sms' ? schema.SendText : schema.SendPush,
    responses: { 202: { schema: schema.QueuedMessage } },
    errors: ['not_found', 'no_provider', 'template_limit', 'unavailable'],
    check: ({ caller, body, given }) => sendViolations(caller.tenantId, channel, given, body as Partial<SendInput>),
    handler: async ({ ctx, em, deps, principal, requestId, body }) => {
      const { messageId, status, reason } = await sendMessage(
        em,
        additionsOf(deps, principal.tenantId),
        { tenantId: principal.tenantId, requestId },
        channel,
        body,
        callKeyOf(ctx, principal),
      );
      return accepted(`/channels/messages/${messageId}`, { messageId, status, reason });
    },
  });

export const messageRoutes: RouteSpec[] = [
  sendRoute('sms'),
  sendRoute('push'),
  route({
    method: 'GET',
    path: '/channels/messages',
    operationId: 'listMessages',
    summary: 'List text messages and pushes',
    description:
      'Every intended message has a row, sent or not; `GET /channels/messages/{id}/explain` says why. A push to several devices is one message.',
    access: 'channels:read',
    query: schema.MessageQuery,
    responses: { 200: { schema: listOf(schema.Message) } },
    errors: ['unavailable'],
    handler: async ({ em, query }) => ({ body: await listMessages(em, query, presentMessage) }),
  }),
  route({
    method: 'GET',
    path: '/channels/messages/{id}',
    operationId: 'getMessage',
    summary: 'Get a text message or push, and what became of it',
    description:
      '`devices` tells what became of a push on each device. UNKNOWN: nobody knows whether the provider took it; it is never sent again by itself.',
    access: 'channels:read',
    params: IdParams,
    responses: { 200: { schema: schema.Message } },
    errors: ['not_found'],
    handler: async ({ em, params }) => ({ body: presentMessage(await readMessage(em, params.id)) }),
  }),
  route({
    method: 'POST',
    path: '/channels/messages/{id}/resolve',
    operationId: 'resolveMessage',
    summary: 'Settle the outcome of an UNKNOWN text message or push',
    description:
      'Say what is known from elsewhere: it was `sent`, or it `failed`, or it was not sent and shall be sent again (`resend`). 409 `conflict` if it is not UNKNOWN.',
    access: 'channels:write',
    params: IdParams,
    body: Resolve,
    responses: { 200: { schema: schema.Message } },
    errors: ['not_found', 'conflict'],
    handler: async ({ em, caller, params, body }) => ({
      body: presentMessage(await resolveMessage(em, caller, params.id, body.outcome)),
    }),
  }),
];
