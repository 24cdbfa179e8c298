import { listMembers } from '../../domain/contacts/people/list-contacts.ts';
import { readPeriod } from '../../domain/common/period.ts';
import { changeList } from '../../domain/segments/change-list.ts';
import { lockMembers } from '../../domain/segments/segments.ts';
import { readHistory } from '../../domain/membership/members/membership-history.ts';
import { IdParams, listOf } from '../route/schemas.ts';
import { route, type RouteSpec } from '../route/route.ts';
import { presentContacts } from './presenter.ts';
import { Contact as ContactSchema, MemberQuery } from './schema.ts';
import { findSegment, type SegmentBase } from './segment-resource-routes.ts';
import * as schema from './segment-schema.ts';

/** Who is and was in a segment or list. */
export const memberReads = ({ path, one, what }: SegmentBase): RouteSpec[] => [
  route({
    method: 'GET',
    path: `${path}/{id}/contacts`,
    operationId: `list${one}Contacts`,
    summary: `List the contacts in ${what}`,
    description:
      'With `at`, those who were members at that moment, as they are now; not those who were deleted since, and for those who were merged, the contact that they were merged into. Who entered at that very millisecond is among them, who left then is not. What a build of the segment moves counts at its end.',
    access: 'contacts:read',
    params: IdParams,
    query: MemberQuery,
    responses: { 200: { schema: listOf(ContactSchema) } },
    handler: async ({ em, params, query }) => {
      return { body: await listMembers(em, await findSegment(em, params.id), query, presentContacts) };
    },
  }),
  route({
    method: 'GET',
    path: `${path}/{id}/history`,
    operationId: `get${one}History`,
    summary: `Read how many contacts were in ${what} over time`,
    description:
      'For each interval: how many were members at its beginning, and how many entered and left in it. Who does so in the very millisecond in which an interval begins does so in that interval: `count` is of right before, while `at` of the list of contacts is of right after. Contacts that were deleted or erased since are among them until then. What a build of the segment moves counts at its end.',
    access: 'contacts:read',
    params: IdParams,
    query: schema.HistoryQuery,
    responses: { 200: { schema: schema.History } },
    handler: async ({ em, params, query }) => {
      const segment = await findSegment(em, params.id);
      const { period, series } = await readHistory(em, segment, readPeriod(query, new Date()));
      return { body: { period, series } };
    },
  }),
];

/** Changing who is in a static list. */
export const memberChanges = ({ path, one }: SegmentBase): RouteSpec[] => [
  route({
    method: 'POST',
    path: `${path}/{id}/contacts`,
    operationId: `add${one}Contacts`,
    summary: 'Add contacts to a static list',
    description:
      'Up to 10,000 at a time; those who are members already stay so and are not counted. An unknown id is an error, and then nobody is added. Publishes SEGMENT_ENTERED, which may start campaigns. 409 `conflict` if it is a dynamic segment.',
    access: 'contacts:write',
    params: IdParams,
    body: schema.MembersChange,
    responses: { 200: { schema: schema.Added } },
    errors: ['conflict'],
    check: ({ tx, caller, body }) => lockMembers(tx, caller.tenantId, body.contactIds ?? []),
    handler: async ({ em, caller, params, body }) => {
      const { moved, count } = await changeList(em, caller, params.id, 'add', body.contactIds);
      return { body: { added: moved, count } };
    },
  }),
  route({
    method: 'POST',
    path: `${path}/{id}/contacts/remove`,
    operationId: `remove${one}Contacts`,
    summary: 'Remove contacts from a static list',
    description:
      'Up to 10,000 at a time; those who are no members are not counted. The contacts themselves stay. Publishes SEGMENT_LEFT. 409 `conflict` if it is a dynamic segment.',
    access: 'contacts:write',
    params: IdParams,
    body: schema.MembersChange,
    responses: { 200: { schema: schema.Removed } },
    errors: ['conflict'],
    handler: async ({ em, caller, params, body }) => {
      const { moved, count } = await changeList(em, caller, params.id, 'remove', body.contactIds);
      return { body: { removed: moved, count } };
    },
  }),
];
