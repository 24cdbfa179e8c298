import { WorkflowNotFoundError } from '@temporalio/common';
import { closeWorkflow } from '../activities/start-executions.ts';
import { eachBounded } from '../activities/each-bounded.ts';
import { engineEm } from '../db/orm.ts';
import {
  noteForgottenEntries,
  openExecutions,
  runningWorkflows,
  stopRestored,
  type ForgottenEntry,
} from '../domain/campaigns/execution/mark-restored.ts';
import type { Deps } from '../runtime/deps.ts';
import { lastEventTime } from '../runtime/temporal.ts';

const AT_ONCE = 20;
const PAGE = 500;
const EXECUTION = /^campaign-execution\/([^/]+)\/(\d+)\/(\d+)\/(\d+)$/;

/**
 * Stops the RUNNING executions whose workflows went on since the copy was taken. `ofCopy`: of those that had begun by
 * then; null: of all. Returns how many these are.
 */
export async function stopMoved(deps: Deps, since: Date, ofCopy: Date | null, apply: boolean): Promise<number> {
  const em = engineEm(deps.orm);
  let moved = 0;
  for (let after = 0; ;) {
    const page = await openExecutions(em.fork(), after, ofCopy);
    if (page.length === 0) return moved;
    const found: typeof page = [];
    await eachBounded(page, AT_ONCE, async (one) => {
      const at = await lastEventTime(deps.temporal, one.workflowId);
      if (at && at >= since) found.push(one);
    });
    moved += found.length;
    if (apply)
      for (const [tenantId, group] of Map.groupBy(found, (one) => one.tenantId))
        await em.fork().transactional((tx) =>
          stopRestored(
            tx,
            tenantId,
            group.map(({ id }) => id),
          ),
        );
    after = page.at(-1)!.id;
  }
}

/**
 * Notes entries into journeys since the copy that it does not know, and closes their workflows. Returns how many
 * workflows of journeys began since.
 */
export async function noteForgotten(deps: Deps, since: Date, apply: boolean): Promise<number> {
  let began = 0;
  let page: ForgottenEntry[] = [];
  const flush = async (): Promise<void> => {
    const entries = page;
    page = [];
    if (entries.length === 0 || !apply) return;
    const running = await engineEm(deps.orm).transactional(async (tx) => {
      await noteForgottenEntries(tx, entries);
      return runningWorkflows(
        tx,
        entries.map(({ workflowId }) => workflowId),
      );
    });
    const own = new Set(running.map(({ workflowId }) => workflowId));
    await eachBounded(
      entries.filter(({ workflowId }) => !own.has(workflowId)),
      AT_ONCE,
      ({ workflowId }) => closeWorkflow(deps, workflowId, 'Postgres was put back to an older copy').catch(unlessGone),
    );
  };
  const query = `WorkflowType = 'campaignExecution' AND StartTime >= '${since.toISOString()}'`;
  for await (const { workflowId, runId, startTime } of deps.temporal.workflow.list({ query, pageSize: PAGE })) {
    const [, tenantId, campaignId, contactId, entryNo] = EXECUTION.exec(workflowId) ?? [];
    if (tenantId === undefined) continue;
    began += 1;
    page.push({
      ...{ tenantId, campaignId: Number(campaignId), contactId: Number(contactId), entryNo: Number(entryNo) },
      ...{ workflowId, runId, startedAt: startTime },
    });
    if (page.length === PAGE) await flush();
  }
  await flush();
  return began;
}

function unlessGone(error: unknown): void {
  if (!(error instanceof WorkflowNotFoundError)) throw error;
}
