import { isDeepStrictEqual } from 'node:util';
import { Segment } from '../../db/entities/contacts.ts';
import { rows, sql, type EntityManager } from '../../db/orm.ts';
import { appendAudit, type Author } from '../audit/audit.ts';
import { cleanText, isViolation } from '../common/fields.ts';
import { deleteUnused } from '../common/references.ts';
import { lockContacts } from '../contact-values/lock-contacts.ts';
import { assertValid, notFound, type Violation } from '../../lib/checks/errors.ts';
import { beginBuilds } from '../membership/members/build-segment.ts';
import { checkSegmentFilter } from './check-segment-filter.ts';
import type { Filter } from '../membership/filter/filter.ts';
import { lockDefinitions } from '../membership/members/lock-definitions.ts';
import { movedAt } from '../membership/members/past-members.ts';
import { refreshMemberships } from '../membership/members/refresh-memberships.ts';
import { segmentUsers } from './segment-users.ts';

/** Maximum lengths in characters. */
export const SEGMENT_LIMITS = { name: 255, description: 2000 } as const;

export interface SegmentInput {
  name?: string | null;
  description?: string | null;
  filter?: Filter | null;
  /** For static lists: whether forms that add contacts to it ask them to confirm their address first. */
  doubleOptIn?: boolean;
}
/** A segment after a command, with its number of members. */
export interface CountedSegment {
  segment: Segment;
  count: number;
}
export type NewSegment = SegmentInput & { name: string } & (
    { type: 'dynamic' } | { type: 'static'; contactIds?: readonly number[] }
  );

export const resourceOf = (id: number) => ({ resourceType: 'segment', resourceId: id });
/** What the audit log has of a segment or list: neither its filter nor its members, which may say whom it is about. */
const contentOf = ({ name, type, doubleOptIn, version }: Segment) => ({ name, type, doubleOptIn, version });

/**
 * Creates a segment or list with its members, without SEGMENT_ENTERED events. The members of a dynamic segment are the
 * contacts that match its filter (once it is READY), those of a static list the given contacts. Throws
 * `validation_failed`.
 */
export async function createSegment(em: EntityManager, author: Author, input: NewSegment): Promise<CountedSegment> {
  const { tenantId } = author;
  return em.transactional(async (tx) => {
    if (input.type === 'dynamic') await lockDefinitions(tx, tenantId);
    assertValid(await newSegmentViolations(tx, tenantId, input));
    const { values } = checkTexts(input);
    const filter = (input.filter ?? null) as Record<string, unknown> | null;
    const segment = tx.create(Segment, {
      ...values,
      name: values.name!,
      tenantId,
      type: input.type,
      filter,
      status: 'READY',
      doubleOptIn: input.doubleOptIn ?? false,
    });
    await tx.flush();
    if (input.type === 'static') await fillList(tx, tenantId, segment.id, input.contactIds ?? []);
    else await build(tx, segment);
    await appendAudit(tx, author, { action: 'segment.created', ...resourceOf(segment.id), after: contentOf(segment) });
    return counted(tx, segment);
  });
}

/**
 * Changes a segment or list; a new filter is built, without events. `read` gets the current version, locked, and may
 * throw.
 */
export async function updateSegment(
  em: EntityManager,
  author: Author,
  id: number,
  read: (current: Segment) => SegmentInput,
): Promise<CountedSegment> {
  const { tenantId } = author;
  return em.transactional(async (tx) => {
    const segment = await lockSegment(tx, tenantId, id);
    const input = read(segment);
    assertValid(await segmentViolations(tx, segment, input));
    const { values } = checkTexts(input);
    const { filter, doubleOptIn = segment.doubleOptIn } = input;
    const newFilter = isNewFilter(segment, filter);
    const before = contentOf(segment);
    tx.assign(segment, {
      ...values,
      doubleOptIn,
      ...(newFilter ? { filter: filter as unknown as Record<string, unknown> } : {}),
    });
    await tx.flush();
    if (newFilter) await build(tx, segment);
    await appendAudit(tx, author, {
      ...{ action: 'segment.updated' as const, ...resourceOf(id) },
      ...{ before, after: contentOf(segment) },
    });
    return counted(tx, segment);
  });
}

/** Deletes a segment or list, but not its contacts. Throws `not_found`, `in_use`. */
export async function deleteSegment(
  em: EntityManager,
  author: Author,
  id: number,
  check: (current: Segment) => void,
): Promise<void> {
  const { tenantId } = author;
  await em.transactional(async (tx) => {
    const segment = await lockSegment(tx, tenantId, id);
    check(segment);
    const { name, type } = segment;
    await deleteUnused(tx, segment, () => segmentUsers(tx, tenantId, id));
    await appendAudit(tx, author, {
      action: 'segment.deleted',
      ...resourceOf(id),
      before: { name, type },
    });
  });
}

/** The violations of the given parts of a new segment or list. Locks the contacts of a new list. */
export async function newSegmentViolations(
  tx: EntityManager,
  tenantId: string,
  input: SegmentInput & { type?: 'dynamic' | 'static'; contactIds?: readonly number[] },
): Promise<Violation[]> {
  const { violations } = checkTexts(input);
  if (input.type === 'static') return [...violations, ...(await lockMembers(tx, tenantId, input.contactIds ?? []))];
  if (input.filter != null) violations.push(...(await checkSegmentFilter(tx, tenantId, input.filter)));
  else if (input.type === 'dynamic')
    violations.push({ path: '/filter', code: 'required', message: 'is required for a dynamic segment' });
  return [...violations, ...(input.type === 'dynamic' ? listOnly(input) : [])];
}

/** The violations of a change of a segment or list. */
export async function segmentViolations(
  tx: EntityManager,
  segment: Segment,
  input: SegmentInput,
): Promise<Violation[]> {
  const { violations } = checkTexts(input);
  if (segment.type === 'dynamic') violations.push(...listOnly(input));
  if (!isNewFilter(segment, input.filter)) return violations;
  if (segment.type === 'dynamic')
    return [...violations, ...(await checkSegmentFilter(tx, segment.tenantId, input.filter, segment.id))];
  return [
    ...violations,
    { path: '/filter', code: 'not_allowed', message: 'is for dynamic segments only; a static list has no filter' },
  ];
}

const isNewFilter = (segment: Segment, filter: SegmentInput['filter']): boolean =>
  filter !== undefined && !isDeepStrictEqual(filter, segment.filter);

async function build(tx: EntityManager, segment: Segment): Promise<void> {
  await beginBuilds(tx, segment.tenantId, ({ id }) => id === segment.id);
  await tx.refresh(segment);
}

/** The numbers of members, by segment id. */
export async function memberCounts(tx: EntityManager, tenantId: string, ids: number[]): Promise<Map<number, number>> {
  const found = await rows<{ segment_id: number; n: number }>(
    tx,
    sql`
    select segment_id, count(*) as n from segment_members
    where tenant_id = ${tenantId} and segment_id = any(${ids}::bigint[]) group by segment_id`,
  );
  return new Map(found.map((row) => [row.segment_id, row.n]));
}

/** The result of a command, read in its transaction: after the commit, the segment may be changed or deleted. */
export async function counted(tx: EntityManager, segment: Segment): Promise<CountedSegment> {
  return { segment, count: (await memberCounts(tx, segment.tenantId, [segment.id])).get(segment.id) ?? 0 };
}

/** Locks a segment's row until the transaction ends; waits for a running page of its build. Throws `not_found`. */
export async function lockSegment(tx: EntityManager, tenantId: string, id: number): Promise<Segment> {
  await lockDefinitions(tx, tenantId);
  const [found] = await rows(
    tx,
    sql`select 1 from segments where tenant_id = ${tenantId} and id = ${id} for no key update`,
  );
  if (!found) throw notFound('segment or list', id);
  return tx.findOneOrFail(Segment, { id, tenantId }, { refresh: true });
}

function checkTexts(input: SegmentInput): {
  values: { name?: string; description?: string | null };
  violations: Violation[];
} {
  const violations: Violation[] = [];
  const values: { name?: string; description?: string | null } = {};
  for (const field of ['name', 'description'] as const) {
    if (input[field] === undefined) continue;
    const text = cleanText(input[field] ?? '', SEGMENT_LIMITS[field], { multiline: field === 'description' });
    if (isViolation(text)) violations.push({ path: `/${field}`, code: text.code, message: text.message });
    else if (field === 'description') values.description = text;
    else if (text === null) violations.push({ path: '/name', code: 'required', message: 'must not be empty' });
    else values.name = text;
  }
  return { values, violations };
}

const listOnly = ({ doubleOptIn }: SegmentInput): Violation[] =>
  doubleOptIn
    ? [
        {
          path: '/doubleOptIn',
          code: 'not_allowed',
          message: 'doubleOptIn is for static lists only',
        },
      ]
    : [];

async function fillList(tx: EntityManager, tenantId: string, id: number, contactIds: readonly number[]): Promise<void> {
  if (contactIds.length === 0) return;
  await rows(
    tx,
    sql`
    insert into segment_members (tenant_id, segment_id, contact_id, added_at)
    select ${tenantId}, ${id}::bigint, c, ${movedAt} from unnest(${[...new Set(contactIds)]}::bigint[]) as c`,
  );
  await refreshMemberships(tx, tenantId, contactIds, { causes: ['lists'] });
}

/** Locks the contacts of a new list, and returns a violation for each that does not exist. */
export async function lockMembers(
  tx: EntityManager,
  tenantId: string,
  contactIds: readonly number[],
): Promise<Violation[]> {
  const existing = new Set(await lockContacts(tx, tenantId, contactIds));
  return contactIds.flatMap((id, index) =>
    existing.has(id) ? [] : [{ path: `/contactIds/${index}`, code: 'not_found', message: `there is no contact ${id}` }],
  );
}
