import { Segment } from '../../db/entities/contacts.ts';
import { notFound } from '../../lib/checks/errors.ts';
import { rebuildSegment } from '../../domain/segments/rebuild-segment.ts';
import { deleteSegment, segmentViolations, updateSegment, type SegmentInput } from '../../domain/segments/segments.ts';
import type { EntityManager } from '../../db/orm.ts';
import { IdParams } from '../route/schemas.ts';
import {
  accepted,
  assertIfMatch,
  assertUnchanged,
  changedReadOnly,
  noContent,
  route,
  type RouteSpec,
} from '../route/route.ts';
import { presentSegment, presentSegments, type SegmentView } from './presenter.ts';
import * as schema from './segment-schema.ts';

/** A path under which segments and lists are served: they are one resource with one id space. */
export interface SegmentBase {
  path: `/${string}`;
  /** What its operationIds call one. */
  one: string;
  what: string;
}

const present = (segment: Segment, em: EntityManager): Promise<SegmentView> =>
  em.transactional(async (tx) => (await presentSegments([segment], tx))[0]!);

/** Throws `not_found`. */
export async function findSegment(em: EntityManager, id: number): Promise<Segment> {
  const segment = await em.findOne(Segment, { id });
  if (!segment) throw notFound('segment or list', id);
  return segment;
}

/** The input with the filter as sent, because the filter's own check reports everything that is wrong with it. */
export const segmentInput = (
  { name, description, doubleOptIn }: Omit<SegmentInput, 'filter'>,
  given: { filter?: unknown },
): SegmentInput => ({ name, description, doubleOptIn, filter: given.filter as SegmentInput['filter'] });

/** `count` and `status` change by themselves, so what was read can be put back although they have. */
const withoutState = ({ count: _count, status: _status, ...fixed }: Record<string, unknown>) => fixed;

/** Reading, changing, deleting and rebuilding a segment or list. */
export const segmentResource = ({ path, one, what }: SegmentBase): RouteSpec[] => [
  route({
    method: 'GET',
    path: `${path}/{id}`,
    operationId: `get${one}`,
    summary: `Get ${what}`,
    description:
      'Segments and lists are one kind of thing with one id space: either path takes the id of both. While `status` is BUILDING, `count` grows; sends and enrolments wait until it is READY.',
    access: 'contacts:read',
    params: IdParams,
    responses: { 200: { schema: schema.Segment } },
    handler: async ({ em, params }) => ({ body: await present(await findSegment(em, params.id), em), derived: true }),
  }),
  route({
    method: 'PUT',
    path: `${path}/{id}`,
    operationId: `update${one}`,
    summary: `Change ${what}`,
    description:
      '`count` and `status` are accepted with any value, and ignored, because they change by themselves. A new `filter` is built, without events.',
    access: 'contacts:write',
    params: IdParams,
    body: schema.SegmentUpdate,
    responses: { 200: { schema: schema.Segment } },
    errors: ['precondition_failed', 'limit_reached'],
    check: async ({ tx, params, body, given, readOnly }) => {
      const current = await tx.findOne(Segment, { id: params.id ?? 0 });
      if (!current) return [];
      return [
        ...changedReadOnly(withoutState(readOnly), presentSegment(current, 0)),
        ...(await segmentViolations(tx, current, segmentInput(body, given))),
      ];
    },
    handler: async ({ em, caller, params, body, readOnly, ifMatch }) => {
      const { segment, count } = await updateSegment(em, caller, params.id, (current) => {
        assertIfMatch(ifMatch, current.version);
        assertUnchanged(withoutState(readOnly), presentSegment(current, 0));
        return body;
      });
      return { body: presentSegment(segment, count) };
    },
  }),
  route({
    method: 'DELETE',
    path: `${path}/{id}`,
    operationId: `delete${one}`,
    summary: `Delete ${what}; its contacts are not deleted`,
    description:
      '409 `in_use`, naming them, while campaigns, forms, imports, thresholds or other segments refer to it.',
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
    method: 'POST',
    path: `${path}/{id}/rebuild`,
    operationId: `rebuild${one}`,
    summary: `Re-evaluate every contact for ${what}`,
    description:
      'Rarely needed, because membership follows contacts, events and time by itself. Answers how many memberships differed from the filter; of a static list none can. Publishes no events, so it starts no campaigns.',
    access: 'contacts:write',
    // `repeatable`, because a single transaction would lock every contact until the last one is evaluated.
    params: IdParams,
    errors: ['conflict', 'limit_reached'],
    repeatable: true,
    responses: {
      200: { schema: schema.Rebuilt },
      202: { schema: schema.Segment, description: 'The segment was BUILDING: the build was restarted' },
    },
    handler: async ({ em, principal, params }) => {
      const rebuilt = await rebuildSegment(em, principal.tenantId, params.id);
      if ('segment' in rebuilt) return accepted(`${path}/${params.id}`, presentSegment(rebuilt.segment, rebuilt.count));
      const { added, removed, count } = rebuilt;
      return { body: { differed: added + removed, added, removed, count } };
    },
  }),
];
