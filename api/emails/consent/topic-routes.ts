import { Type } from 'typebox';
import { EmailTopic } from '../../../db/entities/email-recipients.ts';
import { listTopics } from '../../../domain/emails/consent/list-topics.ts';
import {
  checkTopic,
  createTopic,
  deleteTopic,
  TOPIC_LIMITS,
  updateTopic,
} from '../../../domain/emails/consent/topics.ts';
import { notFound } from '../../../lib/checks/errors.ts';
import {
  Id,
  IdParams,
  listOf,
  listQuery,
  nameOf,
  nullable,
  strict,
  Timestamp,
  Version,
  writable,
} from '../../route/schemas.ts';
import {
  assertIfMatch,
  assertUnchanged,
  changedReadOnly,
  created,
  noContent,
  route,
  type RouteSpec,
} from '../../route/route.ts';

const name = nameOf(TOPIC_LIMITS.name, {
  description: 'Shown to recipients on the preference page',
  examples: ['Product news'],
});
const description = nullable(
  Type.String({
    maxLength: TOPIC_LIMITS.description,
    description: 'Shown below the name on the preference page',
  }),
);
const Answer = strict(
  { id: Id, name, description, tenantId: Type.String(), version: Version, createdAt: Timestamp, updatedAt: Timestamp },
  { title: 'Topic' },
);
const Create = writable({ name, description: Type.Optional(description) });
const Update = writable({ name: Type.Optional(name), description: Type.Optional(description) }, undefined, {
  examples: [{ description: 'What is new, once a month' }],
});
const Query = listQuery(['id', 'name', 'createdAt', 'updatedAt'], {});

const present = (topic: EmailTopic) => ({
  id: topic.id,
  name: topic.name,
  description: topic.description ?? null,
  tenantId: topic.tenantId,
  version: topic.version,
  createdAt: topic.createdAt,
  updatedAt: topic.updatedAt,
});

export const topicRoutes: RouteSpec[] = [
  route({
    method: 'GET',
    path: '/emails/topics',
    operationId: 'listTopics',
    summary: 'List topics',
    description: 'What recipients can choose from on the preference page.',
    access: 'emails:read',
    query: Query,
    responses: { 200: { schema: listOf(Answer) } },
    handler: async ({ em, query }) => ({ body: await listTopics(em, query, (found) => found.map(present)) }),
  }),
  route({
    method: 'POST',
    path: '/emails/topics',
    operationId: 'createTopic',
    summary: 'Create a topic',
    access: 'emails:write',
    description:
      'Templates refer to a topic with `topicId`. Recipients choose topics on the preference page; until they choose, they are subscribed to all topics.',
    body: Create,
    responses: { 201: { schema: Answer } },
    errors: ['name_taken'],
    check: ({ body }) => checkTopic(body).violations,
    handler: async ({ em, principal, body }) => {
      const topic = await createTopic(em, principal.tenantId, body);
      return created(`/emails/topics/${topic.id}`, present(topic));
    },
  }),
  route({
    method: 'GET',
    path: '/emails/topics/{id}',
    operationId: 'getTopic',
    summary: 'Get a topic',
    description: 'Choices of recipients are at `GET /channels/preferences`.',
    access: 'emails:read',
    params: IdParams,
    responses: { 200: { schema: Answer } },
    handler: async ({ em, params }) => {
      const topic = await em.findOne(EmailTopic, { id: params.id });
      if (!topic) throw notFound('topic', params.id);
      return { body: present(topic) };
    },
  }),
  route({
    method: 'PUT',
    path: '/emails/topics/{id}',
    operationId: 'updateTopic',
    summary: 'Change a topic',
    description: 'Choices of recipients stay, also under a new name. 409 `name_taken`.',
    access: 'emails:write',
    params: IdParams,
    body: Update,
    responses: { 200: { schema: Answer } },
    errors: ['name_taken', 'precondition_failed'],
    check: async ({ tx, params, body, readOnly }) => {
      const current = await tx.findOne(EmailTopic, { id: params.id ?? 0 });
      return current ? [...changedReadOnly(readOnly, present(current)), ...checkTopic(body).violations] : [];
    },
    handler: async ({ em, params, body, readOnly, ifMatch }) => ({
      body: present(
        await updateTopic(em, params.id, body, (current) => {
          assertIfMatch(ifMatch, current.version);
          assertUnchanged(readOnly, present(current));
        }),
      ),
    }),
  }),
  route({
    method: 'DELETE',
    path: '/emails/topics/{id}',
    operationId: 'deleteTopic',
    summary: 'Delete a topic',
    access: 'emails:write',
    params: IdParams,
    description: 'Deletes the opt-outs of the topic too. A topic that a template refers to cannot be deleted.',
    responses: { 204: { description: 'Deleted' } },
    errors: ['in_use', 'precondition_failed'],
    handler: async ({ em, caller, params, ifMatch }) => {
      await deleteTopic(em, caller, params.id, (current) => assertIfMatch(ifMatch, current.version));
      return noContent;
    },
  }),
];
