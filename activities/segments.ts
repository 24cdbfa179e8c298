import type { Deps } from '../runtime/deps.ts';
import { tenantEm } from '../db/orm.ts';
import { buildPage } from '../domain/membership/members/build-segment.ts';
import type { WorkflowInputs } from '../registry/workflows.ts';
import { tell } from './heartbeat.ts';
import { sliceOf } from './slice.ts';

export function segmentActivities(deps: Deps, sliceMs?: number) {
  return {
    /**
     * Builds the rest of a segment for one slice; tells the last contact id processed. Returns whether more of it is
     * left.
     */
    async buildSegment(input: WorkflowInputs['segmentBuild']): Promise<boolean> {
      const em = tenantEm(deps.orm, input.tenantId);
      const isOver = sliceOf(sliceMs);
      for (let upTo = await buildPage(em, input); upTo !== null; upTo = await buildPage(em, input)) {
        if (isOver()) return true;
        tell(upTo);
      }
      return false;
    },
  };
}
