import { Segment } from '../../db/entities/contacts.ts';
import { freshEm, rows, sql, type EntityManager } from '../../db/orm.ts';
import { lockRange } from '../contact-values/lock-contacts.ts';
import { AppError, notFound } from '../../lib/checks/errors.ts';
import { beginBuilds, judgeRange, nextContact } from '../membership/members/build-segment.ts';
import type { Filter } from '../membership/filter/filter.ts';
import { refreshMemberships } from '../membership/members/refresh-memberships.ts';
import { counted, lockSegment, memberCounts, type CountedSegment } from './segments.ts';

export interface Rebuilt {
  added: number;
  removed: number;
  count: number;
}

/**
 * Re-evaluates every contact for a READY segment, page by page (one transaction each, so that others wait only
 * briefly), without events; returns how many memberships differed from the filter. For the contacts moved, also
 * re-evaluates the segments that refer to this one. If the segment is BUILDING, restarts the build and returns the
 * segment instead. Does nothing for a static list. Throws `not_found`, and `conflict` if its filter is changed in the
 * meantime.
 */
export async function rebuildSegment(
  em: EntityManager,
  tenantId: string,
  id: number,
): Promise<Rebuilt | CountedSegment> {
  const segment = await freshEm(em).findOne(Segment, { id, tenantId });
  if (!segment) throw notFound('segment or list', id);
  if (segment.status === 'BUILDING') {
    return em.transactional(async (tx) => {
      const begun = await lockSegment(tx, tenantId, id);
      await beginBuilds(tx, tenantId, (other) => other.id === id);
      await tx.refresh(begun);
      return counted(tx, begun);
    });
  }
  const moved = { added: 0, removed: 0 };
  if (segment.type === 'dynamic') {
    for (let after: number | null = 0; after !== null;) {
      const page = await em.transactional((tx) => rebuildPage(tx, tenantId, { id, build: segment.build }, after!));
      moved.added += page.added;
      moved.removed += page.removed;
      after = page.upTo;
    }
  }
  return em.transactional(async (tx) => ({ ...moved, count: (await memberCounts(tx, tenantId, [id])).get(id) ?? 0 }));
}

async function rebuildPage(
  tx: EntityManager,
  tenantId: string,
  { id, build }: { id: number; build: number },
  after: number,
): Promise<{ added: number; removed: number; upTo: number | null }> {
  const [segment] = await rows<{ filter: Filter }>(
    tx,
    sql`
    select filter from segments where tenant_id = ${tenantId} and id = ${id} and build = ${build} and status = 'READY' for no key update`,
  );
  if (!segment)
    throw new AppError('conflict', `The filter of segment ${id} was changed, or the segment deleted, in the meantime`);
  const next = await nextContact(tx, tenantId, after);
  if (next === null) return { added: 0, removed: 0, upTo: null };
  const upTo = await lockRange(tx, tenantId, next);
  const moves = await judgeRange(tx, tenantId, { id, filter: segment.filter }, { after: next - 1, upTo });
  await refreshMemberships(
    tx,
    tenantId,
    moves.map((move) => move.contact_id),
    { causes: [`member:${id}`], quiet: true },
  );
  const added = moves.filter((move) => move.entered).length;
  return { added, removed: moves.length - added, upTo };
}
