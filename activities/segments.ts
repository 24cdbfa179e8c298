import type { Deps } from '../runtime/deps.ts';
import { tenantEm } from '../db/orm.ts';
import { buildPage } from '../domain/segments/membership/build-segment.ts';
import type { WorkflowInputs } from '../workflows/registry.ts';
import { tell } from './heartbeat.ts';

export function segmentActivities(deps: Deps) {
  return {
    /** Builds the rest of a segment; the heartbeat is the last contact id processed. */
    async buildSegment(input: WorkflowInputs['segmentBuild']): Promise<void> {
      const em = tenantEm(deps.orm, input.tenantId);
      for (let upTo = await buildPage(em, input); upTo !== null; upTo = await buildPage(em, input)) tell(upTo);
    },
  };
}
