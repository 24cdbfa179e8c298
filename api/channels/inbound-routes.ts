import { Type } from 'typebox';
import type { InboundText } from '../../db/entities/channels.ts';
import { listInbound } from '../../domain/channels/inbound/list-inbound.ts';
import { Id, listOf, listQuery, nullable, oneOf, strict, Timestamp } from '../route/schemas.ts';
import { route, type RouteSpec } from '../route/route.ts';

const optOut = oneOf(['yes', 'no', 'maybe'], {
  description: '`yes`: it opted the number out. `maybe`: a longer text with such a word; nothing was done',
});
const Answer = strict(
  {
    id: Id,
    providerId: Id,
    providerMessageId: Type.String(),
    from: Type.String(),
    to: nullable(Type.String()),
    text: Type.String(),
    optOut,
    contactIds: Type.Array(Id, { description: 'The contacts that had the number when it was received' }),
    tenantId: Type.String(),
    receivedAt: Timestamp,
  },
  { title: 'InboundText' },
);

const present = (inbound: InboundText) => ({
  id: inbound.id,
  providerId: inbound.providerId,
  providerMessageId: inbound.providerMessageId,
  from: inbound.fromAddress,
  to: inbound.toAddress ?? null,
  text: inbound.text,
  optOut: inbound.optOut,
  contactIds: inbound.contactIds.map(Number),
  tenantId: inbound.tenantId,
  receivedAt: inbound.receivedAt.toISOString(),
});

export const inboundRoutes: RouteSpec[] = [
  route({
    method: 'GET',
    path: '/channels/inbound',
    operationId: 'listInboundTexts',
    summary: 'List received text messages',
    description: 'Providers tell of them by `POST /channels/webhooks/{id}`; each is kept once.',
    access: 'channels:read',
    query: listQuery(['id', 'receivedAt'], { contactId: Type.Optional(Id), optOut: Type.Optional(optOut) }),
    responses: { 200: { schema: listOf(Answer) } },
    handler: async ({ em, principal, query }) => ({
      body: await listInbound(em, principal.tenantId, query, (found) => found.map(present)),
    }),
  }),
];
