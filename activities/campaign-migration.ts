import type { Deps } from '../runtime/deps.ts';
import { tenantEm } from '../db/orm.ts';
import { definitionCache } from '../domain/campaign-definitions/load-definition.ts';
import { migratePage, type MigrationPageRequest } from '../domain/campaigns/management/migrate-page.ts';
import { eachBounded } from './each-bounded.ts';
import { tell } from './heartbeat.ts';
import { wakeWorkflow } from './start-executions.ts';

const AT_ONCE = 50;

export function campaignMigrationActivities(deps: Deps) {
  const load = definitionCache();
  return {
    /** Moves one page of executions, and wakes their workflows: their timers may be too long or too short now. */
    migratePage: async (request: MigrationPageRequest): Promise<{ cursor: number; done: boolean }> => {
      const { workflowIds, ...page } = await migratePage(tenantEm(deps.orm, request.tenantId), load, request);
      await eachBounded(workflowIds, AT_ONCE, async (workflowId) => {
        await wakeWorkflow(deps, workflowId);
        tell(page.cursor);
      });
      return page;
    },
  };
}
