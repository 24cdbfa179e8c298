import { Contact, Segment } from '../../db/entities/contacts.ts';
import { rows, sql, type EntityManager } from '../../db/orm.ts';
import { notFound } from '../../domain/common/errors.ts';
import { commonSort, listPage } from '../../domain/common/list-page.ts';
import { dynamicSegments } from '../../domain/segments/membership/dynamic-segments.ts';
import { explainMemberships } from '../../domain/segments/membership/explain-membership.ts';
import { IdParams, listOf } from '../route/schemas.ts';
import * as schema from './segment-schema.ts';
import { route, type RouteSpec } from '../route/route.ts';

/** Since when a contact is in segments, by segment id. */
async function membershipsOf(tx: EntityManager, contactId: number, segments: Segment[]): Promise<Map<number, Date>> {
  const found = await rows<{ segment_id: number; added_at: Date }>(tx, sql`
    select segment_id, added_at from segment_members where contact_id = ${contactId} and segment_id = any(${segments.map(({ id }) => id)}::bigint[])`);
  return new Map(found.map((row) => [row.segment_id, row.added_at]));
}

async function present(tx: EntityManager, tenantId: string, contactId: number, segments: Segment[], explain: boolean) {
  const since = await membershipsOf(tx, contactId, segments);
  const shown = new Set(segments.map(({ id }) => id));
  const dynamic = explain ? (await dynamicSegments(tx, tenantId)).filter(({ id }) => shown.has(id)) : [];
  const explained = await explainMemberships(tx, tenantId, contactId, dynamic);
  return segments.map(({ id, name, type }) => ({
    id, name, type, addedAt: since.get(id)?.toISOString() ?? null,
    ...(explain ? { member: since.has(id), explanation: explained.get(id) ?? null } : {}),
  }));
}

export const segmentMemberships: RouteSpec[] = [
  route({
    method: 'GET', path: '/contacts/{id}/segments', operationId: 'listContactSegments', access: 'contacts:read',
    summary: 'List the segments and lists that a contact is in; with explain=true every dynamic segment, and why',
    params: IdParams, query: schema.MembershipQuery, responses: { 200: { schema: listOf(schema.Membership) } },
    handler: async ({ em, principal, params, query }) => {
      const { id } = params;
      if (!(await em.findOne(Contact, { id }, { fields: ['id'] }))) throw notFound('contact', id);
      const { explain = false } = query;
      const member = sql`exists (select 1 from segment_members m where m.tenant_id = t.tenant_id and m.segment_id = t.id and m.contact_id = ${id})`;
      return {
        body: await listPage(em, Segment, query, {
          from: sql`segments t`, where: [explain ? sql`(t.type = 'dynamic' or ${member})` : member], sortable: { ...commonSort, name: { column: sql`t.name`, type: 'text' } },
        }, (found, tx) => present(tx, principal.tenantId, id, found, explain)),
      };
    },
  }),
];
