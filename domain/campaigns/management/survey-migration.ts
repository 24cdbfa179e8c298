import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { targetOf, type VersionChange } from '../execution/migrate-state.ts';

/** How many executions that cannot be moved are named. */
export const MAX_BLOCKED = 1000;

export interface BlockedExecution {
  executionId: number;
  stepId: string;
  reason: string;
}

/** How many executions continue at a step of the new version, by their step in the old one. */
export interface StepMove {
  from: string;
  to: string;
  count: number;
}

/** What a migration would do, or has done so far. `blocked` has the first 1000 executions. */
export interface MigrationFigures {
  total: number;
  movable: number;
  moved: number;
  blocked: BlockedExecution[];
  byStep: StepMove[];
}

/** The old and the new version of a campaign, by number. */
export interface Versions {
  tenantId: string;
  campaignId: number;
  fromVersion: number;
}

/** In the order of the old version's steps. */
export function sortMoves(moves: StepMove[], { from }: Pick<VersionChange, 'from'>): StepMove[] {
  const order = new Map(from.steps.map(({ id }, index) => [id, index]));
  return moves.toSorted((one, other) => (order.get(one.from) ?? 0) - (order.get(other.from) ?? 0));
}

/**
 * What moving the running executions of a version would do now. Only the step at which an execution is decides whether
 * it can be moved, so executions are counted by step.
 */
export async function surveyMigration(
  tx: EntityManager,
  { tenantId, campaignId, fromVersion }: Versions,
  change: VersionChange,
): Promise<MigrationFigures> {
  const running = sql`tenant_id = ${tenantId} and campaign_id = ${campaignId} and campaign_version = ${fromVersion} and status = 'RUNNING'`;
  const found = await rows<{ step_id: string; n: number }>(
    tx,
    sql`select current_step_id as step_id, count(*) as n from campaign_executions where ${running} group by current_step_id`,
  );
  const byStep: StepMove[] = [];
  const reasons = new Map<string, string>();
  for (const { step_id: from, n: count } of found) {
    const target = targetOf(change, from);
    if ('blocked' in target) reasons.set(from, target.blocked);
    else byStep.push({ from, to: change.to.steps[target.index]!.id, count });
  }
  const blocked =
    reasons.size === 0
      ? []
      : await rows<{ id: number; step_id: string }>(
          tx,
          sql`
    select id, current_step_id as step_id from campaign_executions
    where ${running} and current_step_id = any(${[...reasons.keys()]}::text[]) order by id limit ${MAX_BLOCKED}`,
        );
  return {
    total: found.reduce((sum, { n }) => sum + n, 0),
    movable: byStep.reduce((sum, { count }) => sum + count, 0),
    moved: 0,
    blocked: blocked.map(({ id, step_id: stepId }) => ({ executionId: id, stepId, reason: reasons.get(stepId)! })),
    byStep: sortMoves(byStep, change),
  };
}
