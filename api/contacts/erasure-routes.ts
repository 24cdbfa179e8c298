import { Type } from 'typebox';
import { Erasure, ERASURE_STATUSES } from '../../db/entities/contacts.ts';
import { ACTOR_TYPES } from '../../domain/audit/audit.ts';
import { exportPersonalData } from '../../domain/contacts/people/data-export.ts';
import { requestErasure } from '../../domain/contacts/erasure/erasures.ts';
import { listErasures } from '../../domain/contacts/erasure/list-erasures.ts';
import { notFound } from '../../domain/common/errors.ts';
import { Id, IdParams, listOf, listQuery, nullable, oneOf, strict, Timestamp, Version } from '../route/schemas.ts';
import { presentCompany, presentContact } from './presenter.ts';
import * as schema from './schema.ts';
import { accepted, route, type RouteSpec } from '../route/route.ts';

const Certificate = strict({
  requestedBy: strict({ type: oneOf(ACTOR_TYPES), id: Id, name: Type.String() }),
  erased: Type.Record(Type.String(), Type.Integer(), {
    description: 'How much, by the place it was in',
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
    activities: list('As of GET /contacts/{id}/activities'),
    emails: list('With their opens, clicks and unsubscribes in `events`, and what came back in `bounces`'),
    submissions: list('Of forms, with what was submitted'),
    memberships: list('Segments and lists'),
    executions: list('Of campaigns, with their steps'),
    score: strict({
      total: Type.Integer(),
      rules: list('Points by rule'),
      thresholds: list('Those that fired'),
      history: list('Every change'),
    }),
    suppressions: list('Of the address'),
    topicOptOuts: list('Topics that it wants no mail about'),
    optIns: list('When it was asked to confirm the address, and when, from where and by what it did'),
  },
  { title: 'HeldData' },
);

function present(erasure: Erasure) {
  const { id, contactId, status, certificate, tenantId, createdAt, updatedAt, version } = erasure;
  return {
    id,
    contactId,
    status: status!,
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
      'Everything that is held on the contact goes, events in the stream and histories too; figures stay. A hash of the address stays, by which imports reject it. ' +
      'While it is at work, asking again answers the same erasure.',
    params: IdParams,
    responses: { 202: { schema: Answer } },
    handler: async ({ em, caller, params }) => {
      const erasure = await requestErasure(em, caller, params.id);
      return accepted(`/contacts/erasures/${erasure.id}`, present(erasure));
    },
  }),
  route({
    method: 'GET',
    path: '/contacts/{id}/data-export',
    operationId: 'exportContactData',
    summary: 'Everything held on a person',
    access: 'contacts:read',
    description:
      'For a request of access (Article 15 GDPR): all by kinds, oldest first. That it was read is in the audit log.',
    params: IdParams,
    responses: { 200: { schema: HeldData } },
    handler: async ({ em, caller, params }) => {
      const { contact, company, ...held } = await exportPersonalData(em, caller, params.id);
      const body = {
        exportedAt: new Date().toISOString(),
        contact: presentContact(contact, company?.name ?? null),
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
    summary: 'Get an erasure, with its certificate when it is done',
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
