import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { appendEvents, type NewEvent } from '../../../events/outbox.ts';
import { customFieldTypes } from '../../contact-values/custom-field-types.ts';
import { lockContacts } from '../../contact-values/lock-contacts.ts';
import type { ChangeKind } from '../filter/change-kinds.ts';
import { dynamicSegments, type DynamicSegment } from './dynamic-segments.ts';
import { judgeContacts, type ContactVerdict } from './judge-contacts.ts';
import { keptPast, movedAt } from './past-members.ts';

const AT_ONCE = 1000;

export interface RefreshOptions {
  /** What has changed: segments that do not depend on it are skipped. Absent = anything may have changed. */
  causes?: Iterable<ChangeKind>;
  /**
   * The causes were committed before this transaction, so a build that begins after it sees them: contacts are locked
   * only if a segment depends on the causes.
   */
  committed?: boolean;
  /** The transaction has locked the contacts already (`lockContacts`), and they exist. */
  locked?: boolean;
  requestId?: string | null;
  /** The request ids of contacts whose change has another cause than `requestId`. */
  requestIds?: ReadonlyMap<number, string | null>;
  /** Contacts that were moved by an import without `runTriggers`: their events trigger no campaigns. */
  untriggered?: ReadonlySet<number>;
  /** Changes memberships without writing events. */
  quiet?: boolean;
  /** Gets the events, which the caller writes; otherwise they are written here. */
  events?: NewEvent[];
  now?: Date;
}

/**
 * Re-evaluates these contacts for the tenant's dynamic segments, in order of their references; writes memberships and
 * SEGMENT_ENTERED / SEGMENT_LEFT. Call in the transaction of the change, after its writes.
 */
export async function refreshMemberships(
  tx: EntityManager,
  tenantId: string,
  contactIds: readonly number[],
  options: RefreshOptions = {},
): Promise<void> {
  if (options.committed && concernedBy(await dynamicSegments(tx, tenantId), options.causes).length === 0) return;
  if (contactIds.length === 0) return;
  const ids = options.locked ? contactIds : await lockContacts(tx, tenantId, contactIds);
  if (ids.length === 0) return;
  const segments = await dynamicSegments(tx, tenantId);
  for (let from = 0; from < ids.length; from += AT_ONCE) {
    const events = await refreshSome(tx, tenantId, segments, ids.slice(from, from + AT_ONCE), options);
    const caused = events.map((event) => {
      const { contactId } = event.data as { contactId: number };
      return { ...event, requestId: options.requestIds?.get(contactId) ?? null };
    });
    if (options.events) options.events.push(...caused);
    else await appendEvents(tx, { tenantId, requestId: options.requestId ?? null }, caused);
  }
}

function concernedBy(segments: DynamicSegment[], changed: Iterable<ChangeKind> | undefined): DynamicSegment[] {
  if (!changed) return segments;
  const kinds = new Set(changed);
  return segments.filter((segment) => [...segment.causes].some((cause) => kinds.has(cause)));
}

async function refreshSome(
  tx: EntityManager,
  tenantId: string,
  segments: DynamicSegment[],
  ids: readonly number[],
  { causes, quiet = false, untriggered, now }: RefreshOptions,
): Promise<NewEvent[]> {
  const changed = causes && new Set(causes);
  const events: NewEvent[] = [];
  for (const level of Map.groupBy(segments, ({ depth }) => depth).values()) {
    const concerned = concernedBy(level, changed);
    if (concerned.length === 0) continue;
    const judged = await judgeContacts(tx, tenantId, concerned, ids, await customFieldTypes(tx, tenantId), now);
    const moves = concerned.flatMap((segment) =>
      judged.flatMap((contact) => {
        const entered = contact.fits.has(segment.id);
        return entered === contact.memberOf.has(segment.id) ? [] : [{ segment, contact, entered }];
      }),
    );
    if (moves.length === 0) continue;
    const there = await write(
      tx,
      tenantId,
      moves.map(({ segment, contact, entered }) => ({ segment: segment.id, contact: contact.id, entered })),
    );
    for (const { segment, contact, entered } of moves) {
      if (!there.has(segment.id)) continue;
      changed?.add(`member:${segment.id}`);
      if (quiet || beingBuilt(segment, contact)) continue;
      const event = membershipEvent(segment.id, contact.id, entered);
      if (event.type === 'SEGMENT_ENTERED' && untriggered?.has(contact.id)) event.data.runTriggers = false;
      events.push(event);
    }
  }
  return events;
}

/**
 * Whether the segment's build has not reached this contact yet. A change may then come from the new filter, and builds
 * write no events. False for contacts created after the build began: no earlier filter has ever judged them.
 */
function beingBuilt({ status, builtTo, sweptAt }: DynamicSegment, { id, createdAt }: ContactVerdict): boolean {
  return status === 'BUILDING' && id > (builtTo ?? 0) && (sweptAt === null || createdAt < sweptAt);
}

/** Writes the changes. Returns the segments that still exist, after waiting for any that is being deleted. */
async function write(
  tx: EntityManager,
  tenantId: string,
  moves: { segment: number; contact: number; entered: boolean }[],
): Promise<Set<number>> {
  const found = await rows<{ id: number }>(
    tx,
    sql`
    with moves as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(moves)}::jsonb) as r(segment bigint, contact bigint, entered boolean)
    ), there as materialized (
      select id from segments where tenant_id = ${tenantId} and id in (select segment from moves) order by id for key share
    ), come as (
      insert into segment_members (tenant_id, segment_id, contact_id, added_at)
      select ${tenantId}, segment, contact, ${movedAt} from moves join there on id = segment where entered
      on conflict do nothing
    ), gone as (
      delete from segment_members m using moves join there on id = segment
      where not entered and m.tenant_id = ${tenantId} and m.segment_id = segment and m.contact_id = contact returning m.*
    ), ${keptPast} select id from there`,
  );
  return new Set(found.map((row) => row.id));
}

export function membershipEvent(segmentId: number, contactId: number, entered: boolean): NewEvent {
  return {
    type: entered ? 'SEGMENT_ENTERED' : 'SEGMENT_LEFT',
    data: { segmentId, contactId },
  };
}
