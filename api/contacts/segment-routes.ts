import { Segment } from '../../db/entities/contacts.ts';
import type { EntityManager } from '../../db/orm.ts';
import { changeList } from '../../domain/segments/definition/change-list.ts';
import { listContacts } from '../../domain/contacts/people/list-contacts.ts';
import { assertValid, notFound, type Violation } from '../../domain/common/errors.ts';
import { checkTenantFilter } from '../../domain/segments/definition/check-segment-filter.ts';
import { listSegments, listStaticLists } from '../../domain/segments/definition/list-segments.ts';
import { previewSegment } from '../../domain/segments/definition/preview-segment.ts';
import { rebuildSegment } from '../../domain/segments/definition/rebuild-segment.ts';
import {
  createSegment,
  deleteSegment,
  lockMembers,
  newSegmentViolations,
  segmentViolations,
  updateSegment,
  type SegmentInput,
} from '../../domain/segments/definition/segments.ts';
import { IdParams, listOf } from '../route/schemas.ts';
import { presentContacts, presentSegment, presentSegments, type SegmentView } from './presenter.ts';
import * as schema from './segment-schema.ts';
import { Contact as ContactSchema, MemberQuery } from './schema.ts';
import {
  accepted,
  assertIfMatch,
  assertUnchanged,
  changedReadOnly,
  created,
  noContent,
  route,
  type RouteSpec,
} from '../route/route.ts';

const present = (segment: Segment, em: EntityManager): Promise<SegmentView> =>
  em.transactional(async (tx) => (await presentSegments([segment], tx))[0]!);

async function find(em: EntityManager, id: number): Promise<Segment> {
  const segment = await em.findOne(Segment, { id });
  if (!segment) throw notFound('segment or list', id);
  return segment;
}

/** Checks that the fields match the type of a new segment; the command checks the rest. */
function checkKind({
  type,
  filter,
  contactIds,
}: {
  type?: string;
  filter?: unknown;
  contactIds?: unknown;
}): Violation[] {
  if (type === 'static')
    return filter === undefined
      ? []
      : [
          {
            path: '/filter',
            code: 'not_allowed',
            message: 'is for dynamic segments only; a static list has no filter',
          },
        ];
  return type === 'dynamic' && contactIds !== undefined
    ? [
        {
          path: '/contactIds',
          code: 'not_allowed',
          message: 'is for static lists only; the members of a dynamic segment are those that match its filter',
        },
      ]
    : [];
}

/** The input with the filter as sent, because the filter's own check reports everything that is wrong with it. */
const withFilter = (
  { name, description, doubleOptIn }: Omit<SegmentInput, 'filter'>,
  given: { filter?: unknown },
): SegmentInput => ({ name, description, doubleOptIn, filter: given.filter as SegmentInput['filter'] });

/** The routes that segments and lists share: one resource with one id space under two names. */
function shared(base: '/contacts/segments' | '/contacts/lists', noun: 'Segment' | 'List'): RouteSpec[] {
  const what = noun === 'Segment' ? 'a segment or list' : 'a list or segment';
  return [
    route({
      method: 'GET',
      path: `${base}/{id}`,
      operationId: `get${noun}`,
      summary: `Get ${what}`,
      access: 'contacts:read',
      params: IdParams,
      responses: { 200: { schema: schema.Segment } },
      handler: async ({ em, params }) => ({ body: await present(await find(em, params.id), em), derived: true }),
    }),
    route({
      method: 'PUT',
      path: `${base}/{id}`,
      operationId: `update${noun}`,
      summary: `Change ${what}`,
      access: 'contacts:write',
      params: IdParams,
      body: schema.SegmentUpdate,
      responses: { 200: { schema: schema.Segment } },
      errors: ['precondition_failed'],
      check: async ({ tx, params, body, given, readOnly }) => {
        const current = await tx.findOne(Segment, { id: params.id ?? 0 });
        if (!current) return [];
        return [
          ...changedReadOnly(readOnly, (await presentSegments([current], tx))[0]!),
          ...(await segmentViolations(tx, current, withFilter(body, given))),
        ];
      },
      handler: async ({ em, principal, params, body, readOnly, ifMatch }) => {
        const { segment, count } = await updateSegment(em, principal.tenantId, params.id, async (current, tx) => {
          assertIfMatch(ifMatch, current.version);
          assertUnchanged(readOnly, (await presentSegments([current], tx))[0]!);
          return body;
        });
        return { body: presentSegment(segment, count) };
      },
    }),
    route({
      method: 'DELETE',
      path: `${base}/{id}`,
      operationId: `delete${noun}`,
      summary: `Delete ${what}; its contacts are not deleted`,
      access: 'contacts:write',
      params: IdParams,
      responses: { 204: { description: 'Deleted' } },
      errors: ['in_use', 'precondition_failed'],
      handler: async ({ em, caller, params, ifMatch }) => {
        await deleteSegment(em, caller, params.id, (current) => assertIfMatch(ifMatch, current.version));
        return noContent;
      },
    }),
    route({
      method: 'GET',
      path: `${base}/{id}/contacts`,
      operationId: `list${noun}Contacts`,
      summary: `List the contacts in ${what}`,
      access: 'contacts:read',
      params: IdParams,
      query: MemberQuery,
      responses: { 200: { schema: listOf(ContactSchema) } },
      handler: async ({ em, params, query }) => {
        await find(em, params.id);
        return { body: await listContacts(em, { segmentId: params.id, ...query }, presentContacts) };
      },
    }),
    route({
      method: 'POST',
      path: `${base}/{id}/contacts`,
      operationId: `add${noun}Contacts`,
      summary: 'Add contacts to a static list',
      access: 'contacts:write',
      params: IdParams,
      body: schema.MembersChange,
      responses: { 200: { schema: schema.Added } },
      errors: ['conflict'],
      check: ({ tx, caller, body }) => lockMembers(tx, caller.tenantId, body.contactIds ?? []),
      handler: async ({ em, principal, requestId, params, body }) => {
        const { moved, count } = await changeList(
          em,
          { tenantId: principal.tenantId, requestId },
          params.id,
          'add',
          body.contactIds,
        );
        return { body: { added: moved, count } };
      },
    }),
    route({
      method: 'POST',
      path: `${base}/{id}/contacts/remove`,
      operationId: `remove${noun}Contacts`,
      summary: 'Remove contacts from a static list',
      access: 'contacts:write',
      params: IdParams,
      body: schema.MembersChange,
      responses: { 200: { schema: schema.Removed } },
      errors: ['conflict'],
      handler: async ({ em, principal, requestId, params, body }) => {
        const { moved, count } = await changeList(
          em,
          { tenantId: principal.tenantId, requestId },
          params.id,
          'remove',
          body.contactIds,
        );
        return { body: { removed: moved, count } };
      },
    }),
    route({
      method: 'POST',
      path: `${base}/{id}/rebuild`,
      operationId: `rebuild${noun}`,
      summary: `Re-evaluate every contact for ${what}`,
      access: 'contacts:write',
      // `repeatable`, because a single transaction would lock every contact until the last one is evaluated.
      params: IdParams,
      errors: ['conflict'],
      repeatable: true,
      responses: {
        200: { schema: schema.Rebuilt },
        202: { schema: schema.Segment, description: 'The segment was BUILDING: the build was restarted' },
      },
      handler: async ({ em, principal, params }) => {
        const rebuilt = await rebuildSegment(em, principal.tenantId, params.id);
        if ('segment' in rebuilt)
          return accepted(`${base}/${params.id}`, presentSegment(rebuilt.segment, rebuilt.count));
        const { added, removed, count } = rebuilt;
        return { body: { differed: added + removed, added, removed, count } };
      },
    }),
  ];
}

export const segmentRoutes: RouteSpec[] = [
  route({
    method: 'GET',
    path: '/contacts/segments',
    operationId: 'listSegments',
    summary: 'List segments and lists',
    access: 'contacts:read',
    query: schema.SegmentQuery,
    responses: { 200: { schema: listOf(schema.Segment) } },
    handler: async ({ em, query }) => ({ body: await listSegments(em, query, presentSegments) }),
  }),
  route({
    method: 'GET',
    path: '/contacts/lists',
    operationId: 'listLists',
    summary: 'List static lists',
    access: 'contacts:read',
    query: schema.ListQuery,
    responses: { 200: { schema: listOf(schema.Segment) } },
    handler: async ({ em, query }) => ({ body: await listStaticLists(em, query, presentSegments) }),
  }),
  route({
    method: 'POST',
    path: '/contacts/segments',
    operationId: 'createSegment',
    summary: 'Create a dynamic segment or a static list',
    access: 'contacts:write',
    body: schema.SegmentCreate,
    responses: { 201: { schema: schema.Segment } },
    check: async ({ tx, caller, body, given }) => [
      ...checkKind({ ...given, type: body.type }),
      ...(await newSegmentViolations(tx, caller.tenantId, {
        ...withFilter(body, given),
        type: body.type,
        contactIds: body.contactIds,
      })),
    ],
    handler: async ({ em, principal, body }) => {
      assertValid(checkKind(body));
      const { segment, count } = await createSegment(em, principal.tenantId, body);
      return created(`/contacts/segments/${segment.id}`, presentSegment(segment, count));
    },
  }),
  route({
    method: 'POST',
    path: '/contacts/lists',
    operationId: 'createList',
    summary: 'Create a static list',
    access: 'contacts:write',
    body: schema.ListCreate,
    responses: { 201: { schema: schema.Segment } },
    check: ({ tx, caller, body }) => newSegmentViolations(tx, caller.tenantId, { ...body, type: 'static' }),
    handler: async ({ em, principal, body }) => {
      const { segment, count } = await createSegment(em, principal.tenantId, { ...body, type: 'static' });
      return created(`/contacts/lists/${segment.id}`, presentSegment(segment, count));
    },
  }),
  route({
    method: 'POST',
    path: '/contacts/segments/preview',
    operationId: 'previewSegment',
    summary: 'Preview the contacts that match a filter',
    access: 'contacts:read',
    body: schema.Preview,
    responses: { 200: { schema: schema.PreviewAnswer } },
    check: ({ tx, caller, given }) =>
      given.filter === undefined ? [] : checkTenantFilter(tx, caller.tenantId, given.filter),
    handler: async ({ em, principal, body }) => {
      const { count, sample } = await previewSegment(em, principal.tenantId, body.filter);
      return { body: { count, sample: await presentContacts(sample, em) } };
    },
  }),
  ...shared('/contacts/segments', 'Segment'),
  ...shared('/contacts/lists', 'List'),
];
