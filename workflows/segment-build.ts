import { continueAsNew, proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { segmentActivities } from '../activities/segments.ts';
import { pageOptions } from './options.ts';
import type { WorkflowInputs } from '../registry/workflows.ts';

// The progress is in the segment's row, so failures are retried from there, without limit.
const { buildSegment } = proxyActivities<ReturnType<typeof segmentActivities>>(pageOptions);

/** One build of a segment. Each activity runs for some seconds, and says whether more is left. */
export async function segmentBuild(input: WorkflowInputs['segmentBuild']): Promise<void> {
  const summary = `segment ${input.segmentId}, build ${input.build}`;
  while (await buildSegment.executeWithOptions({ ...pageOptions, summary }, [input]))
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof segmentBuild>(input);
}
