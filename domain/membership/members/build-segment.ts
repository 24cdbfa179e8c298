import type { RawBuilder, SqlBool } from 'kysely';
import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { appendJob, appendWorkflow } from '../../../events/outbox.ts';
import { customFieldTypes } from '../../contact-values/custom-field-types.ts';
import { awaitContactWriters, lockAllContacts, lockRange } from '../../contact-values/lock-contacts.ts';
import { clockLeaves } from '../filter/clock-leaves.ts';
import { compileFilter } from '../compile/compile.ts';
import { dynamicSegments, type DynamicSegment } from './dynamic-segments.ts';
import type { Filter } from '../filter/filter.ts';
import { lockDefinitions } from './lock-definitions.ts';
import { addMembers, moveMembers } from './move-members.ts';
import { movedAt, restoreMembers, type IdRange } from './past-members.ts';
import type { WorkflowInputs } from '../../../registry/workflows.ts';

/** Up to this many evaluations (contacts × segments) a request builds segments itself: users can wait for that. */
const JUDGED_AT_ONCE = 5_000;

/**
 * Starts builds of segments and, after them, of the segments that refer to them; without events. A small build is
 * finished when this returns; a large one is done by workflows, page by page. The caller must hold `lockDefinitions`
 * and must have written the filters.
 */
export async function beginBuilds(
  tx: EntityManager,
  tenantId: string,
  wanted: (segment: DynamicSegment) => boolean,
): Promise<void> {
  const all = await dynamicSegments(tx, tenantId);
  const segments: DynamicSegment[] = [];
  for (const segment of all)
    if (wanted(segment) || segments.some((named) => names(segment, named))) segments.push(segment);
  if (segments.length === 0) return;
  // Wait here for a running page of an older build, before any lock is taken that blocks writers.
  for (const { id } of segments) {
    await rows(
      tx,
      sql`
      update segments set build = build + 1, status = 'BUILDING', built_to = null, swept_at = t.now, building_since = coalesce(building_since, t.now)
      from (select ${movedAt} as now) t where tenant_id = ${tenantId} and id = ${id}`,
    );
  }
  const isBuilding = (segment: DynamicSegment): boolean => segments.includes(segment) || segment.status === 'BUILDING';
  const waits = all.some(
    (other) => !segments.includes(other) && isBuilding(other) && segments.some((segment) => names(segment, other)),
  );
  if (!waits && (await isSmallBuild(tx, tenantId, segments.length))) return buildNow(tx, tenantId, segments);
  for (const segment of segments) {
    if (!all.some((other) => isBuilding(other) && names(segment, other)))
      await appendJob(tx, 'segmentBuild', { tenantId, segmentId: segment.id, build: segment.build + 1 });
  }
}

const names = (segment: DynamicSegment, other: DynamicSegment): boolean => segment.causes.has(`member:${other.id}`);

async function isSmallBuild(tx: EntityManager, tenantId: string, segments: number): Promise<boolean> {
  const most = Math.floor(JUDGED_AT_ONCE / segments);
  const [found] = await rows<{ n: number }>(
    tx,
    sql`select count(*) as n from (select 1 from contacts where tenant_id = ${tenantId} limit ${most + 1}) c`,
  );
  return found!.n <= most;
}

async function buildNow(tx: EntityManager, tenantId: string, segments: DynamicSegment[]): Promise<void> {
  await lockAllContacts(tx, tenantId);
  for (const { id, filter, build } of segments) {
    const begun = await lockBuild(tx, { tenantId, segmentId: id, build: build + 1 });
    await fillRange(tx, tenantId, { id, ...begun! }, { after: 0, upTo: Number.MAX_SAFE_INTEGER });
    await setReady(tx, tenantId, id, filter);
  }
}

/** Updates a segment's members in a range of contacts that the caller has locked; returns who entered and left. */
export async function judgeRange(
  tx: EntityManager,
  tenantId: string,
  { id, filter }: { id: number; filter: Filter },
  range: IdRange,
): Promise<{ contact_id: number; entered: boolean }[]> {
  return rows(tx, moveMembers(tenantId, id, await compiled(tx, tenantId, filter), range));
}

/** Like `judgeRange`, but does not return who entered and left, which is faster for a range without members. */
async function fillRange(
  tx: EntityManager,
  tenantId: string,
  { id, filter, superseding }: BuildState & { id: number },
  range: IdRange,
): Promise<void> {
  const members = await rows(
    tx,
    sql`
    select 1 from segment_members where tenant_id = ${tenantId} and segment_id = ${id} and contact_id > ${range.after} and contact_id <= ${range.upTo} limit 1`,
  );
  if (members.length > 0) await judgeRange(tx, tenantId, { id, filter }, range);
  else await rows(tx, addMembers(tenantId, id, await compiled(tx, tenantId, filter), range));
  if (superseding) await restoreMembers(tx, tenantId, id, range, superseding);
}

async function compiled(tx: EntityManager, tenantId: string, filter: Filter): Promise<RawBuilder<SqlBool>> {
  // For a thousand leaves the planner would choose JIT compilation, which takes seconds.
  await rows(tx, sql`select set_config('jit', 'off', true)`);
  return compileFilter(filter, 'c', { customFields: await customFieldTypes(tx, tenantId) });
}

/** The next higher contact id; null if there is none. */
export async function nextContact(tx: EntityManager, tenantId: string, after: number): Promise<number | null> {
  const [next] = await rows<{ id: number }>(
    tx,
    sql`select id from contacts where tenant_id = ${tenantId} and id > ${after} order by id limit 1`,
  );
  return next?.id ?? null;
}

async function setReady(tx: EntityManager, tenantId: string, id: number, filter: Filter): Promise<void> {
  // Keep the start of the build as swept_at: the next sweep then covers the time that passed during the build.
  const sweptAt = clockLeaves(filter).length > 0 ? sql`swept_at` : sql`null`;
  await rows(
    tx,
    sql`
    with ready as (
      update segments set status = 'READY', built_to = null, swept_at = ${sweptAt}, building_since = null
      where tenant_id = ${tenantId} and id = ${id} returning old.building_since)
    insert into segment_builds (tenant_id, segment_id, began_at, ended_at)
    select ${tenantId}, ${id}, building_since, ${movedAt} from ready where building_since is not null on conflict do nothing`,
  );
}

/**
 * Builds the next page of a segment in one transaction. Returns the contact id up to which contacts are evaluated, or
 * null if the build is complete or superseded. The progress is stored in the segment's row, so any caller can continue
 * it.
 *
 * The first page waits for running changes of contacts that may not have seen the build. Later changes evaluate their
 * contacts for the segment themselves, either before or after the page of their range.
 */
export async function buildPage(
  em: EntityManager,
  { tenantId, segmentId, build }: WorkflowInputs['segmentBuild'],
): Promise<number | null> {
  const page = await em.transactional(async (tx) => {
    const segment = await lockBuild(tx, { tenantId, segmentId, build });
    if (!segment) return null;
    const { builtTo } = segment;
    if (builtTo === null) await awaitContactWriters(tx, tenantId);
    const next = await nextContact(tx, tenantId, builtTo ?? 0);
    if (next === null) return 'judged';
    const upTo = await lockRange(tx, tenantId, next);
    await fillRange(tx, tenantId, { id: segmentId, ...segment }, { after: next - 1, upTo });
    await rows(tx, sql`update segments set built_to = ${upTo} where tenant_id = ${tenantId} and id = ${segmentId}`);
    return upTo;
  });
  if (page !== 'judged') return page;
  await em.transactional((tx) => finishBuild(tx, { tenantId, segmentId, build }));
  return null;
}

/** Whether a segment is BUILDING and its build need not wait for that of a segment that it refers to. */
export async function isBuildDue(em: EntityManager, tenantId: string, segmentId: number): Promise<boolean> {
  const all = await em.transactional((tx) => dynamicSegments(tx, tenantId));
  const segment = all.find(({ id }) => id === segmentId);
  if (segment?.status !== 'BUILDING') return false;
  return !all.some((named) => named.status === 'BUILDING' && names(segment, named));
}

interface BuildState {
  filter: Filter;
  /** Contacts up to this id are judged. */
  builtTo: number | null;
  /** When the first of the builds began that this one has superseded; null if there is none. */
  superseding: Date | null;
}

/** Locks the row of a BUILDING segment. Returns null if a newer build has superseded this one. */
async function lockBuild(
  tx: EntityManager,
  { tenantId, segmentId, build }: WorkflowInputs['segmentBuild'],
): Promise<BuildState | null> {
  const [found] = await rows<BuildState>(
    tx,
    sql`
    select filter, built_to as "builtTo", case when building_since < swept_at then building_since end as superseding from segments
    where tenant_id = ${tenantId} and id = ${segmentId} and build = ${build} and status = 'BUILDING' for no key update`,
  );
  return found ?? null;
}

/** Makes the segment READY, and starts the builds that were waiting only for it. */
async function finishBuild(tx: EntityManager, input: WorkflowInputs['segmentBuild']): Promise<void> {
  const { tenantId, segmentId } = input;
  await lockDefinitions(tx, tenantId);
  const segment = await lockBuild(tx, input);
  if (!segment) return;
  await setReady(tx, tenantId, segmentId, segment.filter);
  const all = await dynamicSegments(tx, tenantId);
  const waiting = all.filter((other) => other.status === 'BUILDING' && other.causes.has(`member:${segmentId}`));
  for (const other of waiting) {
    if (!all.some((named) => named.status === 'BUILDING' && names(other, named)))
      await appendWorkflow(tx, 'segmentBuild', { tenantId, segmentId: other.id, build: other.build });
  }
}
