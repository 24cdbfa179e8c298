import { rows, sql, type EntityManager } from '../../db/orm.ts';
import { appendEvents, type NewEvent } from '../../events/outbox.ts';
import { customFieldTypes } from '../contacts/custom-field-types.ts';
import { lockContacts } from '../contacts/lock-contacts.ts';
import type { Cause } from './causes.ts';
import { compileFilter } from './compile.ts';
import { dynamicSegments } from './dynamic-segments.ts';
import { moveMembers } from './move-members.ts';

export interface RefreshOptions {
  /** What has changed; segments that do not hang on it are left alone. Absent = anything may have. */
  causes?: Iterable<Cause>;
  requestId?: string | null;
}

/**
 * Judges these contacts anew by the tenant's dynamic segments, one statement a segment, segments that name others after
 * those; writes memberships and SEGMENT_ENTERED / SEGMENT_LEFT. Runs in the transaction of the change, after its writes.
 */
export async function refreshMemberships(
  tx: EntityManager, tenantId: string, contactIds: readonly number[], options: RefreshOptions = {},
): Promise<void> {
  const ids = contactIds.length > 0 ? await lockContacts(tx, tenantId, contactIds) : [];
  if (ids.length === 0) return;
  const changed = options.causes && new Set(options.causes);
  const customFields = await customFieldTypes(tx, tenantId);
  const events: NewEvent[] = [];
  for (const segment of await dynamicSegments(tx, tenantId)) {
    if (changed && ![...segment.causes].some((cause) => changed.has(cause))) continue;
    const fits = compileFilter(segment.filter, 'c', { customFields });
    const moves = await rows<{ contact_id: number; entered: boolean }>(tx, sql`
      with ${moveMembers(tenantId, segment.id, fits, ids)}
      select contact_id, false as entered from gone union all select contact_id, true from come order by contact_id`);
    if (moves.length > 0) changed?.add(`member:${segment.id}`);
    events.push(...moves.map((move) => membershipEvent(segment.id, move.contact_id, move.entered)));
  }
  await appendEvents(tx, { tenantId, requestId: options.requestId ?? null }, events);
}

export function membershipEvent(segmentId: number, contactId: number, entered: boolean): NewEvent {
  return { type: entered ? 'SEGMENT_ENTERED' : 'SEGMENT_LEFT', entity: `contact/${contactId}`, data: { segmentId, contactId } };
}
