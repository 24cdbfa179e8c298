import { proxyActivities } from '@temporalio/workflow';
import type { erasureActivities } from '../activities/erasure.ts';
import { causeOf } from './failure.ts';
import { longOptions, pageOptions } from './options.ts';
import type { WorkflowInputs } from '../registry/workflows.ts';

type Activities = ReturnType<typeof erasureActivities>;

const { beginErasure, eraseRecords, endErasure } = proxyActivities<Activities>(pageOptions);
const { eraseEvents, eraseHistories } = proxyActivities<Activities>(longOptions);

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
