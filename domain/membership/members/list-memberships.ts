import { Segment } from '../../../db/entities/contacts.ts';
import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { byName, commonSort, listPage } from '../../common/list-page.ts';
import type { ListQuery, Page } from '../../common/paging.ts';
import { type BuildWindow, entryBuilds } from './build-windows.ts';
import { dynamicSegments } from './dynamic-segments.ts';
import { explainFilters, type Explanation } from './explain-membership.ts';

interface Membership {
  segment: Segment;
  /** Since when the contact is a member; null if it is not. */
  since: Date | null;
  /** Set for dynamic segments if requested. */
  explanation: Explanation | null;
  /** The build that made the contact a member, if requested. */
  build: BuildWindow | null;
}

/**
 * A page of the segments and lists that contain a contact. With `explain`, also includes all other dynamic segments,
 * and explains each. Throws `validation_failed` for a wrong cursor.
 */
export function listMemberships<T>(
  em: EntityManager,
  tenantId: string,
  contactId: number,
  { explain = false, ...query }: ListQuery & { explain?: boolean },
  present: (membership: Membership) => T,
): Promise<Page<T>> {
  const member = sql`exists (
    select 1 from segment_members m
    where m.tenant_id = t.tenant_id and m.segment_id = t.id and m.contact_id = ${contactId})`;
  return listPage(
    em,
    Segment,
    query,
    {
      from: sql`segments t`,
      where: [explain ? sql`(t.type = 'dynamic' or ${member})` : member],
      sortable: { ...commonSort, name: byName },
    },
    async (segments, tx) => {
      const since = await membershipsOf(tx, contactId, segments);
      const shown = new Set(segments.map(({ id }) => id));
      const dynamic = explain ? (await dynamicSegments(tx, tenantId)).filter(({ id }) => shown.has(id)) : [];
      const explained = await explainFilters(tx, tenantId, contactId, dynamic);
      const builds = explain ? await entryBuilds(tx, tenantId, contactId, [...shown]) : new Map<number, BuildWindow>();
      return segments.map((segment) =>
        present({
          segment,
          since: since.get(segment.id) ?? null,
          explanation: explained.get(segment.id) ?? null,
          build: builds.get(segment.id) ?? null,
        }),
      );
    },
  );
}

/** Since when a contact is a member of segments, by segment id. */
async function membershipsOf(tx: EntityManager, contactId: number, segments: Segment[]): Promise<Map<number, Date>> {
  const found = await rows<{ segment_id: number; added_at: Date }>(
    tx,
    sql`
    select segment_id, added_at from segment_members
    where contact_id = ${contactId} and segment_id = any(${segments.map(({ id }) => id)}::bigint[])`,
  );
  return new Map(found.map((row) => [row.segment_id, row.added_at]));
}
