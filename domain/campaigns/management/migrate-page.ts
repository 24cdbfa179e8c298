import { CampaignMigration } from '../../../db/entities/campaigns.ts';
import { freshTransaction, rows, sql, type EntityManager } from '../../../db/orm.ts';
import type { LoadDefinition } from '../../campaign-definitions/load-definition.ts';
import { lockCampaigns } from '../enrolment/lock-campaigns.ts';
import { wokenBy } from '../execution/advance.ts';
import { awaitAnew, type Awaiting } from '../execution/awaited-events.ts';
import type { ExecutionState } from '../execution/execution.ts';
import { migrateState, type VersionChange } from '../execution/migrate-state.ts';
import { type BlockedExecution, MAX_BLOCKED, sortMoves, type StepMove } from './survey-migration.ts';

const PAGE = 200;

export interface MigrationPageRequest {
  tenantId: string;
  migrationId: number;
  /** The last execution id of the previous page. */
  after: number;
  /** The workflow's time in ms since 1970. */
  at: number;
}

export interface MigratedPage {
  /** The last execution id of this page. */
  cursor: number;
  done: boolean;
  /** The workflows of this page's executions, whose timers may be those of the old version. */
  workflowIds: string[];
}

/**
 * Moves the next page of a migration's executions, in one transaction. Repeated for a committed page, it moves nothing
 * and returns the page's workflows again, so that each is woken. Ends without moving the rest if the campaign was
 * stopped.
 */
export function migratePage(
  em: EntityManager,
  load: LoadDefinition,
  request: MigrationPageRequest,
): Promise<MigratedPage> {
  // Retried, because steps and stops lock the same executions in another order, which can deadlock.
  return freshTransaction(em, (tx) => migrateOnce(tx, load, request));
}

async function migrateOnce(
  tx: EntityManager,
  load: LoadDefinition,
  { tenantId, migrationId, after, at }: MigrationPageRequest,
): Promise<MigratedPage> {
  const nothing = { cursor: after, done: true, workflowIds: [] };
  const known = await tx.findOne(CampaignMigration, { id: migrationId }, { fields: ['campaignId'] });
  if (!known) return nothing;
  // Serialises the page with a stop, which also ends the migration.
  await lockCampaigns(tx, [{ tenantId, campaignId: known.campaignId }]);
  const migration = await tx.findOneOrFail(CampaignMigration, { id: migrationId }, { refresh: true });
  const { campaignId, fromVersion, toVersion, map } = migration;
  if (migration.cursor > after) {
    const workflowIds = await workflowsOf(tx, migration, after);
    return { cursor: migration.cursor, done: migration.status !== 'RUNNING', workflowIds };
  }
  if (migration.status !== 'RUNNING') return nothing;

  const ids = await nextExecutions(tx, migration);
  const change: VersionChange = {
    from: await load(tx, { tenantId, campaignId, version: fromVersion }),
    to: await load(tx, { tenantId, campaignId, version: toVersion }),
    version: toVersion,
    map,
  };
  const now = new Date(Math.max(at, Date.now()));
  const { moved, blocked } = await movePage(tx, migration, change, ids, now);
  const cursor = ids.at(-1) ?? after;
  const done = ids.length < PAGE;
  const seen = migration.moved + moved.length;
  tx.assign(migration, {
    cursor,
    moved: seen,
    // Executions may have entered the old version since the count.
    movable: Math.max(migration.movable, seen),
    total: Math.max(migration.total, Math.max(migration.movable, seen) + migration.blocked.length),
    blocked: [...migration.blocked, ...blocked].slice(0, MAX_BLOCKED),
    byStep: sortMoves(addMoves(migration.byStep, moved), change),
    ...(done ? { status: 'COMPLETED', finishedAt: new Date() } : {}),
  });
  await tx.flush();
  return { cursor, done, workflowIds: moved.map(({ workflowId }) => workflowId) };
}

/** The next executions of the old version, in id order. Unlocked: those that have ended meanwhile are left out later. */
async function nextExecutions(
  tx: EntityManager,
  { tenantId, campaignId, fromVersion, cursor }: CampaignMigration,
): Promise<number[]> {
  const found = await rows<{ id: number }>(
    tx,
    sql`
    select id from campaign_executions
    where tenant_id = ${tenantId} and campaign_id = ${campaignId} and status = 'RUNNING' and campaign_version = ${fromVersion}
      and id > ${cursor}
    order by id limit ${PAGE}`,
  );
  return found.map(({ id }) => id);
}

interface Moved {
  workflowId: string;
  from: string;
  to: string;
}

async function movePage(
  tx: EntityManager,
  { tenantId, fromVersion, toVersion }: CampaignMigration,
  change: VersionChange,
  ids: readonly number[],
  now: Date,
): Promise<{ moved: Moved[]; blocked: BlockedExecution[] }> {
  if (ids.length === 0) return { moved: [], blocked: [] };
  const found = await rows<{
    id: number;
    contact_id: number;
    workflow_id: string;
    step_id: string;
    step_seq: number;
    state: ExecutionState;
    timezone: string | null;
  }>(
    tx,
    sql`
    select e.id, e.contact_id, e.workflow_id, e.current_step_id as step_id, e.step_seq, e.state, c.timezone from campaign_executions e
    left join contacts c on c.tenant_id = e.tenant_id and c.id = e.contact_id
    where e.tenant_id = ${tenantId} and e.id = any(${[...ids]}::bigint[]) and e.status = 'RUNNING' and e.campaign_version = ${fromVersion}
    order by e.id for no key update of e`,
  );
  const recorded = await recordedVisits(
    tx,
    tenantId,
    found.map(({ id }) => id),
  );
  const moved: Moved[] = [];
  const blocked: BlockedExecution[] = [];
  const changed: object[] = [];
  const awaiting: Awaiting[] = [];
  for (const {
    id,
    contact_id: contactId,
    workflow_id: workflowId,
    step_id: stepId,
    step_seq: seq,
    state,
    timezone,
  } of found) {
    const result = migrateState(change, state, recorded.get(id) ?? new Map<string, number>(), seq + 1, {
      now,
      timezone,
    });
    if ('blocked' in result) {
      blocked.push({ executionId: id, stepId, reason: result.blocked });
      continue;
    }
    moved.push({ workflowId, from: stepId, to: result.stepId });
    awaiting.push({ executionId: id, contactId, events: wokenBy(change.to, result.state.position) });
    changed.push({ id, state: result.state, current_step: result.currentStep, current_step_id: result.stepId });
  }
  // With the next number, so that a step that was asked for by the old one answers where the execution is now.
  await rows(
    tx,
    sql`
    update campaign_executions e
    set campaign_version = ${toVersion}, state = r.state, current_step = r.current_step, current_step_id = r.current_step_id,
      step_seq = e.step_seq + 1, updated_at = ${now}::timestamptz
    from jsonb_to_recordset(${JSON.stringify(changed)}::jsonb) as r(id bigint, state jsonb, current_step int, current_step_id text)
    where e.tenant_id = ${tenantId} and e.id = r.id`,
  );
  await awaitAnew(tx, tenantId, awaiting);
  return { moved, blocked };
}

/** The highest visit of each step in the records of executions. */
async function recordedVisits(
  tx: EntityManager,
  tenantId: string,
  ids: readonly number[],
): Promise<Map<number, Map<string, number>>> {
  const found = await rows<{ id: number; step_id: string; visit: number }>(
    tx,
    sql`
    select execution_id as id, step_id, max(visit) as visit from campaign_step_executions
    where tenant_id = ${tenantId} and execution_id = any(${[...ids]}::bigint[]) group by execution_id, step_id`,
  );
  const visits = new Map<number, Map<string, number>>();
  for (const { id, step_id: stepId, visit } of found) {
    const own = visits.get(id) ?? new Map<string, number>();
    visits.set(id, own.set(stepId, visit));
  }
  return visits;
}

function addMoves(before: readonly StepMove[], moved: readonly Moved[]): StepMove[] {
  const counts = new Map(before.map((move) => [`${move.from} ${move.to}`, { ...move }]));
  for (const { from, to } of moved) {
    const key = `${from} ${to}`;
    counts.set(key, { from, to, count: (counts.get(key)?.count ?? 0) + 1 });
  }
  return [...counts.values()];
}

/** The workflows of a committed page; also of executions that entered the new version by themselves, which wake for nothing. */
async function workflowsOf(
  tx: EntityManager,
  { tenantId, campaignId, toVersion, cursor }: CampaignMigration,
  after: number,
): Promise<string[]> {
  const found = await rows<{ workflow_id: string }>(
    tx,
    sql`
    select workflow_id from campaign_executions
    where tenant_id = ${tenantId} and campaign_id = ${campaignId} and status = 'RUNNING' and campaign_version = ${toVersion}
      and id > ${after} and id <= ${cursor}
    order by id`,
  );
  return found.map((row) => row.workflow_id);
}
