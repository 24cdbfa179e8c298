import { Type } from 'typebox';
import { CUSTOM_FIELD_ENTITIES, CUSTOM_FIELD_TYPES, CustomField } from '../../db/entities/contacts.ts';
import {
  createCustomField,
  CUSTOM_FIELD_LIMITS,
  CUSTOM_FIELD_NAME,
  deleteCustomField,
  fieldViolations,
  newFieldViolations,
  updateCustomField,
} from '../../domain/contacts/custom-fields/custom-fields.ts';
import { listCustomFields } from '../../domain/contacts/custom-fields/list-custom-fields.ts';
import { notFound } from '../../lib/checks/errors.ts';
import {
  Id,
  IdParams,
  listOf,
  listQuery,
  nullable,
  oneOf,
  strict,
  Timestamp,
  Version,
  writable,
} from '../route/schemas.ts';
import {
  assertIfMatch,
  assertUnchanged,
  changedReadOnly,
  created,
  noContent,
  route,
  type RouteSpec,
} from '../route/route.ts';

const { Optional } = Type;
const entity = oneOf(CUSTOM_FIELD_ENTITIES, { examples: ['contact'] });
const type = oneOf(CUSTOM_FIELD_TYPES, {
  examples: ['string'],
  description: 'Values of type date are strings such as 2030-12-31',
});
const options = Type.Array(Type.String(), { description: 'The allowed values of an enum' });
const changeable = {
  options: Optional(
    nullable(
      Type.Array(Type.String(), {
        maxItems: CUSTOM_FIELD_LIMITS.options,
        description: 'The values of an enum; not allowed for other types',
        examples: [['small', 'large']],
      }),
    ),
  ),
  description: Optional(nullable(Type.String({ maxLength: CUSTOM_FIELD_LIMITS.description }))),
};
const Answer = strict(
  {
    id: Id,
    entity,
    name: Type.String(),
    type,
    options: nullable(options),
    description: nullable(Type.String()),
    tenantId: Type.String(),
    createdAt: Timestamp,
    updatedAt: Timestamp,
    version: Version,
  },
  { title: 'CustomField' },
);
const Create = writable({
  entity,
  name: Type.String({ pattern: CUSTOM_FIELD_NAME, examples: ['plan'] }),
  type,
  ...changeable,
});
const Update = writable(changeable, ['id', 'entity', 'name', 'type', 'tenantId', 'version', 'createdAt', 'updatedAt']);
const Query = listQuery(['id', 'name', 'createdAt'], { entity: Optional(entity) });

const present = (field: CustomField) => ({
  id: field.id,
  entity: field.entity,
  name: field.name,
  type: field.type,
  options: field.options ?? null,
  description: field.description ?? null,
  tenantId: field.tenantId,
  createdAt: field.createdAt.toISOString(),
  updatedAt: field.updatedAt.toISOString(),
  version: field.version,
});

export const customFieldRoutes: RouteSpec[] = [
  route({
    method: 'GET',
    path: '/contacts/custom-fields',
    operationId: 'listCustomFields',
    summary: 'List custom field definitions',
    description:
      'Those of contacts and of companies. They are used as `customFields.x` in filters, imports, forms and templates.',
    access: 'contacts:read',
    query: Query,
    responses: { 200: { schema: listOf(Answer) } },
    handler: async ({ em, query }) => ({ body: await listCustomFields(em, query, (found) => found.map(present)) }),
  }),
  route({
    method: 'POST',
    path: '/contacts/custom-fields',
    operationId: 'createCustomField',
    summary: 'Define a custom field of contacts or companies',
    description:
      'From then on values of this name are accepted, and must have its `type`. Type `enum` needs `options`. A column of an import with this name fills it. 409 `name_taken` if the entity has such a field.',
    access: 'contacts:write',
    body: Create,
    responses: { 201: { schema: Answer } },
    errors: ['name_taken'],
    check: ({ body }) => newFieldViolations(body),
    handler: async ({ em, caller, body }) => {
      const field = await createCustomField(em, caller, body);
      return created(`/contacts/custom-fields/${field.id}`, present(field));
    },
  }),
  route({
    method: 'GET',
    path: '/contacts/custom-fields/{id}',
    operationId: 'getCustomField',
    summary: 'Get the definition of a custom field',
    description: 'The definition only; values are in `customFields` of contacts and companies.',
    access: 'contacts:read',
    params: IdParams,
    responses: { 200: { schema: Answer } },
    handler: async ({ em, params }) => {
      const field = await em.findOne(CustomField, { id: params.id });
      if (!field) throw notFound('custom field', params.id);
      return { body: present(field) };
    },
  }),
  route({
    method: 'PUT',
    path: '/contacts/custom-fields/{id}',
    operationId: 'updateCustomField',
    summary: 'Change the definition of a custom field',
    access: 'contacts:write',
    description:
      '`entity`, `name` and `type` cannot be changed. Stored values whose option is removed stay until they are changed.',
    params: IdParams,
    body: Update,
    responses: { 200: { schema: Answer } },
    errors: ['precondition_failed'],
    check: async ({ tx, params, body, readOnly }) => {
      const current = await tx.findOne(CustomField, { id: params.id ?? 0 });
      return current ? [...changedReadOnly(readOnly, present(current)), ...fieldViolations(body, current)] : [];
    },
    handler: async ({ em, params, body, readOnly, ifMatch }) => ({
      body: present(
        await updateCustomField(em, params.id, (current) => {
          assertIfMatch(ifMatch, current.version);
          assertUnchanged(readOnly, present(current));
          return body;
        }),
      ),
    }),
  }),
  route({
    method: 'DELETE',
    path: '/contacts/custom-fields/{id}',
    operationId: 'deleteCustomField',
    summary: 'Delete a custom field and its values',
    access: 'contacts:write',
    description:
      'Responds when all values are deleted; for a million values this takes about a minute. Values are deleted in batches. If the deletion is interrupted, creating a field with the same name deletes the remaining values first.',
    params: IdParams,
    responses: { 204: { description: 'Deleted' } },
    errors: ['in_use', 'precondition_failed'],
    handler: async ({ em, caller, params, ifMatch }) => {
      await deleteCustomField(em, caller, params.id, (current) => assertIfMatch(ifMatch, current.version));
      return noContent;
    },
  }),
];
