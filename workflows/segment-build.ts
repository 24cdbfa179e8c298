import { proxyActivities } from '@temporalio/workflow';
import type { segmentActivities } from '../activities/segments.ts';
import type { WorkflowInputs } from './registry.ts';

// The progress is in the segment's row, so failures are retried from there, without limit.
const options = {
  startToCloseTimeout: '24h',
  heartbeatTimeout: '15s',
  retry: { initialInterval: '1s', maximumInterval: '1m' },
} as const;
const { buildSegment } = proxyActivities<ReturnType<typeof segmentActivities>>(options);

/** One build of a segment. */
export async function segmentBuild(input: WorkflowInputs['segmentBuild']): Promise<void> {
  await buildSegment.executeWithOptions({ ...options, summary: `segment ${input.segmentId}, build ${input.build}` }, [
    input,
  ]);
}
