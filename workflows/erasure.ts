import { proxyActivities } from '@temporalio/workflow';
import type { erasureActivities } from '../activities/erasure.ts';
import { causeOf } from './failure.ts';
import { retryForeverOptions } from './options.ts';
import type { WorkflowInputs } from './registry.ts';

type Activities = ReturnType<typeof erasureActivities>;

const { beginErasure, eraseRecords, endErasure } = proxyActivities<Activities>({
  ...retryForeverOptions,
  startToCloseTimeout: '10 minutes',
});
const { eraseEvents, eraseHistories } = proxyActivities<Activities>({
  ...retryForeverOptions,
  startToCloseTimeout: '12 hours',
  heartbeatTimeout: '1 minute',
});

/**
 * Erases one person: events, histories, and last the records by which these are found. Failures are retried until they
 * succeed.
 */
export async function contactErasure(input: WorkflowInputs['contactErasure']): Promise<void> {
  try {
    await beginErasure(input);
    await eraseEvents(input);
    await eraseHistories(input);
    await eraseRecords(input);
  } catch (error) {
    await endErasure({ ...input, error: causeOf(error) });
    throw error;
  }
  await endErasure({ ...input, error: null });
}
