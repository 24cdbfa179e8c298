import { proxyActivities } from '@temporalio/workflow';
import type { segmentActivities } from '../activities/segments.ts';
import { longOptions } from './options.ts';
import type { WorkflowInputs } from './registry.ts';

// The progress is in the segment's row, so failures are retried from there, without limit.
const { buildSegment } = proxyActivities<ReturnType<typeof segmentActivities>>(longOptions);

/** One build of a segment. */
export async function segmentBuild(input: WorkflowInputs['segmentBuild']): Promise<void> {
  await buildSegment.executeWithOptions(
    { ...longOptions, summary: `segment ${input.segmentId}, build ${input.build}` },
    [input],
  );
}
