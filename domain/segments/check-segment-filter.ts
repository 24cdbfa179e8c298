import { rows, sql, type EntityManager } from '../../db/orm.ts';
import type { Violation } from '../../lib/checks/errors.ts';
import { customFieldTypes } from '../contact-values/custom-field-types.ts';
import { checkFilter } from '../membership/filter/check-filter.ts';
import { dynamicSegments } from '../membership/members/dynamic-segments.ts';
import { filterReferences, isEventLeaf, isGroup, type Filter } from '../membership/filter/filter.ts';

/**
 * The violations of a tenant's filter, including references to missing segments and lists; paths begin with `/filter`.
 */
export async function checkTenantFilter(tx: EntityManager, tenantId: string, filter: unknown): Promise<Violation[]> {
  const violations = checkFilter(filter, '/filter', { customFields: await customFieldTypes(tx, tenantId) });
  if (violations.length > 0) return violations;
  const references = filterReferences(filter, '/filter');
  const found = await rows<{ id: number }>(
    tx,
    sql`
    select id from segments where tenant_id = ${tenantId} and id = any(${references.map((reference) => reference.id)}::bigint[])`,
  );
  const existing = new Set(found.map((row) => row.id));
  return references
    .filter(({ id }) => !existing.has(id))
    .map(({ id, path }) => ({ path, code: 'not_found', message: `there is no segment or list ${id}` }));
}

/**
 * Like `checkTenantFilter`, for a segment's filter, which must not depend on the segment itself (`id` if it exists).
 */
export async function checkSegmentFilter(
  tx: EntityManager,
  tenantId: string,
  filter: unknown,
  id?: number,
): Promise<Violation[]> {
  const violations = await checkTenantFilter(tx, tenantId, filter);
  if (violations.length > 0) return violations;
  const sound = filter as Filter;
  const rings = id === undefined ? [] : filterReferences(sound, '/filter').filter(await hangsOn(tx, tenantId, id));
  return [
    ...rings.map((ring) => ({
      path: ring.path,
      code: 'circular',
      message: `circular: segment ${ring.id} depends on this one`,
    })),
    ...anyMembership(sound, '/filter').map((path) => ({
      path,
      code: 'invalid_operator',
      message: 'would include this segment itself; use listId, which covers only static lists',
    })),
  ];
}

/** Returns the test whether a referenced segment is `id`, or depends on it, directly or through other segments. */
async function hangsOn(
  tx: EntityManager,
  tenantId: string,
  id: number,
): Promise<(reference: { id: number }) => boolean> {
  const hanging = new Set([id]);
  // Each segment comes after those that it refers to, so one pass finds all.
  for (const segment of await dynamicSegments(tx, tenantId)) {
    if ([...hanging].some((other) => segment.causes.has(`member:${other}`))) hanging.add(segment.id);
  }
  return (reference) => hanging.has(reference.id);
}

/** The paths of leaves that ask whether a contact is in any segment at all. */
function anyMembership(filter: Filter, path: string): string[] {
  if (isGroup(filter))
    return filter.conditions.flatMap((condition, index) => anyMembership(condition, `${path}/conditions/${index}`));
  if (isEventLeaf(filter) || filter.field !== 'segmentId') return [];
  return filter.operator === 'exists' || filter.operator === 'notExists' ? [`${path}/operator`] : [];
}
