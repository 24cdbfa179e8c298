import type { EntityManager } from '../../db/orm.ts';
import type { Author } from '../../domain/audit/audit.ts';
import { assertValid, type Violation } from '../../lib/checks/errors.ts';
import { checkTenantFilter } from '../../domain/segments/check-segment-filter.ts';
import { listSegments, listStaticLists } from '../../domain/segments/list-segments.ts';
import { previewSegment } from '../../domain/segments/preview-segment.ts';
import { createSegment, newSegmentViolations, type NewSegment } from '../../domain/segments/segments.ts';
import { listOf } from '../route/schemas.ts';
import { created, route, type RouteSpec } from '../route/route.ts';
import { presentContacts, presentSegment, presentSegments } from './presenter.ts';
import { memberChanges, memberReads } from './segment-member-routes.ts';
import { segmentInput, segmentResource, type SegmentBase } from './segment-resource-routes.ts';
import * as schema from './segment-schema.ts';

const SEGMENTS: SegmentBase = { path: '/contacts/segments', one: 'Segment', what: 'a segment or list' };
const LISTS: SegmentBase = { path: '/contacts/lists', one: 'List', what: 'a list or segment' };
/** The same as `SEGMENTS` under the path of its own area. */
const AREA: SegmentBase = { path: '/segments', one: 'SegmentOrList', what: 'a segment or list' };

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
    return filter == null
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

/** The type of a new segment that names none; a static one is shown with null as its filter. */
const typeOf = ({ filter }: { filter?: unknown }) => (filter == null ? 'static' : 'dynamic');

async function createIn(em: EntityManager, author: Author, { path }: SegmentBase, input: NewSegment) {
  const { segment, count } = await createSegment(em, author, input);
  return created(`${path}/${segment.id}`, presentSegment(segment, count));
}

type Body = typeof schema.SegmentCreate | typeof schema.SegmentCreateUntyped;

/** Listing and creating segments and lists. */
const collection = (base: SegmentBase, many: string, body: Body): RouteSpec[] => [
  route({
    method: 'GET',
    path: base.path,
    operationId: `list${many}`,
    summary: 'List segments and lists',
    description: 'Both kinds; `type` tells which. `count` is the number of contacts in each.',
    access: 'contacts:read',
    query: schema.SegmentQuery,
    responses: { 200: { schema: listOf(schema.Segment) } },
    handler: async ({ em, query }) => ({ body: await listSegments(em, query, presentSegments) }),
  }),
  route({
    method: 'POST',
    path: base.path,
    operationId: `create${base.one}`,
    summary: 'Create a dynamic segment or a static list',
    description:
      '`dynamic` needs `filter`, whose matches become its members in the background: `status` is BUILDING, then READY. `static` takes `contactIds`. Creating one starts no campaigns; who enters or leaves it later may. Mistakes in the filter are a 400 with the path into its tree.',
    access: 'contacts:write',
    body,
    responses: { 201: { schema: schema.Segment } },
    errors: ['limit_reached'],
    check: async ({ tx, caller, body: { type: sent, contactIds, ...rest }, given }) => {
      const type = given.type === undefined ? typeOf(given) : sent;
      return [
        ...checkKind({ ...given, type }),
        ...(await newSegmentViolations(tx, caller.tenantId, { ...segmentInput(rest, given), type, contactIds })),
      ];
    },
    handler: async ({ em, caller, body: sent }) => {
      const input = { ...sent, type: sent.type ?? typeOf(sent) } as NewSegment;
      assertValid(checkKind(input));
      return createIn(em, caller, base, input);
    },
  }),
];

export const segmentRoutes: RouteSpec[] = [
  ...collection(SEGMENTS, 'Segments', schema.SegmentCreate),
  route({
    method: 'GET',
    path: LISTS.path,
    operationId: 'listLists',
    summary: 'List static lists',
    description: 'Only static lists; `GET /contacts/segments` has both kinds.',
    access: 'contacts:read',
    query: schema.ListQuery,
    responses: { 200: { schema: listOf(schema.Segment) } },
    handler: async ({ em, query }) => ({ body: await listStaticLists(em, query, presentSegments) }),
  }),
  route({
    method: 'POST',
    path: LISTS.path,
    operationId: 'createList',
    summary: 'Create a static list',
    description:
      'A segment of type `static`: its members are those of `contactIds`, and those who are added later by this API, forms, imports and journeys. Adding members on creation starts no campaigns.',
    access: 'contacts:write',
    body: schema.ListCreate,
    responses: { 201: { schema: schema.Segment } },
    check: ({ tx, caller, body }) => newSegmentViolations(tx, caller.tenantId, { ...body, type: 'static' }),
    handler: ({ em, caller, body }) => createIn(em, caller, LISTS, { ...body, type: 'static' }),
  }),
  route({
    method: 'POST',
    path: '/contacts/segments/preview',
    operationId: 'previewSegment',
    summary: 'Preview the contacts that match a filter',
    description:
      'Stores nothing. `count` is exact, `sample` has the newest matches. A wrong filter is a 400 with the path into its tree.',
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
  ...[SEGMENTS, LISTS].flatMap((base) => [...segmentResource(base), ...memberReads(base), ...memberChanges(base)]),
  ...collection(AREA, 'SegmentsAndLists', schema.SegmentCreateUntyped),
  ...segmentResource(AREA),
  ...memberReads(AREA),
];
