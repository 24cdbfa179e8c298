import { proxyActivities, setCurrentDetails } from '@temporalio/workflow';
import type { thresholdActivities } from '../activities/thresholds.ts';
import { escapeMarkdown } from '../registry/markdown.ts';
import { callOptions } from './options.ts';
import type { WorkflowInputs } from '../registry/workflows.ts';

const { callThreshold } = proxyActivities<ReturnType<typeof thresholdActivities>>(callOptions);

/** The call of a threshold's webhook for a contact; it fails if no attempt succeeds. */
export async function thresholdCall(input: WorkflowInputs['thresholdCall']): Promise<void> {
  setCurrentDetails(escapeMarkdown(await callThreshold(input)));
}
