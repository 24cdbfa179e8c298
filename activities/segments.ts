import { Context, heartbeat } from '@temporalio/activity';
import type { Deps } from '../config/deps.ts';
import { tenantEm } from '../db/orm.ts';
import { buildPage, type BuildInput } from '../domain/segments/membership/build-segment.ts';

export function segmentActivities(deps: Deps) {
  return {
    /** Builds what is left to build of a segment; its heartbeat is the contact id that it has come to. */
    async buildSegment(input: BuildInput): Promise<void> {
      const em = tenantEm(deps.orm, input.tenantId);
      for (let upTo = await buildPage(em, input); upTo !== null; upTo = await buildPage(em, input)) {
        heartbeat(upTo);
        Context.current().cancellationSignal.throwIfAborted();
      }
    },
  };
}
