import { Type } from 'typebox';
import { Erasure, ERASURE_STATUSES } from '../../db/entities/contacts.ts';
import { ACTOR_TYPES } from '../../domain/audit/audit.ts';
import { exportPersonalData } from '../../domain/contacts/people/data-export.ts';
import { requestErasure } from '../../domain/contacts/erasure/erasures.ts';
import { listErasures } from '../../domain/contacts/erasure/list-erasures.ts';
import { notFound } from '../../lib/checks/errors.ts';
import { Id, IdParams, listOf, listQuery, nullable, oneOf, strict, Timestamp, Version } from '../route/schemas.ts';
import { presentCompany, presentContact } from './presenter.ts';
import * as schema from './schema.ts';
import { accepted, route, type RouteSpec } from '../route/route.ts';

const Certificate = strict({
  requestedBy: strict({ type: oneOf(ACTOR_TYPES), id: Id, name: Type.String() }),
  erased: Type.Record(Type.String(), Type.Integer(), {
    description: 'Number of erased records by place',
    examples: [{ contacts: 1, activities: 12, events: 14 }],
  }),
});
const Answer = strict(
  {
    id: Id,
    contactId: Id,
    status: oneOf(ERASURE_STATUSES),
    certificate: nullable(Certificate),
    error: nullable(Type.String()),
    workflowId: nullable(Type.String()),
    startedAt: nullable(Timestamp),
    finishedAt: nullable(Timestamp),
    tenantId: Type.String(),
    createdAt: Timestamp,
    updatedAt: Timestamp,
    version: Version,
  },
  { title: 'Erasure' },
);

const list = (description: string) => Type.Array(Type.Record(Type.String(), Type.Unknown()), { description });
const HeldData = strict(
  {
    exportedAt: Timestamp,
    contact: schema.Contact,
    company: nullable(schema.Company),
    formerAddresses: list('Email addresses and numbers that the contact had before, with `leftAt`'),
    activities: list('As in GET /contacts/{id}/activities'),
    emails: list('With opens, clicks and unsubscribes in `events`, and bounces and complaints in `bounces`'),
    submissions: list('Form submissions with the submitted data; their files, which can be downloaded, are in `files`'),
    memberships: list('Segments and lists'),
    pastMemberships: list('Segments and lists that the contact has left, with `addedAt` and `leftAt`'),
    executions: list('Campaign executions with their steps'),
    score: strict({
      total: Type.Integer(),
      rules: list('As in GET /scoring/contacts/{id}: the `score` of each adds up to `total`'),
      thresholds: list('Thresholds that fired'),
      history: list('Every score change'),
    }),
    suppressions: list('Suppressions of the addresses'),
    topicOptOuts: list('Topics that the addresses or the numbers have opted out of, on each channel'),
    optIns: list(
      'Double opt-in requests: when requested and when confirmed, with the IP address and user agent of the confirmation',
    ),
    webhooks: list('What webhooks have told of the contact in the last 30 days, with the deliveries to each of them'),
    messages: list('Text messages and pushes, with the devices of a push in `devices` and clicks in `clicks`'),
    inboundTexts: list('Received text messages'),
    pushSubscriptions: list('Browsers and apps that receive pushes, without their keys'),
    textConsents: list('What was decided about marketing text messages to the numbers, with the evidence'),
    channelSuppressions: list('Suppressions of the numbers and of pushes'),
    channelPreferences: list('Quiet hours and the preferred channel'),
  },
  { title: 'HeldData' },
);

function present(erasure: Erasure) {
  const { id, contactId, status, certificate, tenantId, createdAt, updatedAt, version } = erasure;
  return {
    id,
    contactId,
    status: status,
    certificate: status === 'COMPLETED' ? certificate : null,
    error: erasure.error ?? null,
    workflowId: erasure.workflowId ?? null,
    startedAt: erasure.startedAt ?? null,
    finishedAt: erasure.finishedAt ?? null,
    tenantId,
    createdAt,
    updatedAt,
    version,
  };
}

export const erasureRoutes: RouteSpec[] = [
  route({
    method: 'POST',
    path: '/contacts/{id}/erase',
    operationId: 'eraseContact',
    summary: "Erase a person's data everywhere",
    access: 'erasure:write',
    description:
      'Erases all personal data of the contact, including events in the stream and histories; aggregated figures stay. A hash of the address stays, so that imports reject the address. ' +
      'While the erasure is in progress, repeating the request returns the same erasure.',
    params: IdParams,
    responses: { 202: { schema: Answer } },
    errors: ['limit_reached'],
    handler: async ({ em, caller, params }) => {
      const erasure = await requestErasure(em, caller, params.id);
      return accepted(`/contacts/erasures/${erasure.id}`, present(erasure));
    },
  }),
  route({
    method: 'GET',
    path: '/contacts/{id}/data-export',
    operationId: 'exportContactData',
    summary: 'Export all data stored about a person',
    access: 'contacts:read',
    description:
      'For access requests (Article 15 GDPR): all data by kind, oldest first. Each export is recorded in the audit log.',
    params: IdParams,
    responses: { 200: { schema: HeldData } },
    handler: async ({ em, caller, params }) => {
      const { contact, company, erasing, ...held } = await exportPersonalData(em, caller, params.id);
      const body = {
        exportedAt: new Date().toISOString(),
        contact: presentContact({ contact, companyName: company?.name ?? null, erasing }),
        company: company && presentCompany(company),
        ...held,
      };
      return {
        body,
        headers: {
          'Content-Disposition': `attachment; filename="contact-${params.id}.json"`,
          'Cache-Control': 'no-store',
        },
      };
    },
  }),
  route({
    method: 'GET',
    path: '/contacts/erasures',
    operationId: 'listErasures',
    summary: 'List erasures',
    description: 'All erasures of the account, in progress and completed.',
    access: 'erasure:read',
    query: listQuery(['id', 'createdAt'], {
      status: Type.Optional(oneOf(ERASURE_STATUSES)),
      contactId: Type.Optional(Id),
    }),
    responses: { 200: { schema: listOf(Answer) } },
    handler: async ({ em, query }) => ({ body: await listErasures(em, query, (found) => found.map(present)) }),
  }),
  route({
    method: 'GET',
    path: '/contacts/erasures/{id}',
    operationId: 'getErasure',
    summary: 'Get an erasure, with its certificate once it is completed',
    description: 'Poll it until it is completed. The certificate says how much of what kind was erased.',
    access: 'erasure:read',
    params: IdParams,
    responses: { 200: { schema: Answer } },
    handler: async ({ em, params }) => {
      const erasure = await em.findOne(Erasure, { id: params.id });
      if (!erasure) throw notFound('erasure', params.id);
      return { body: present(erasure) };
    },
  }),
];
