import { workflowInfo } from '@temporalio/workflow';

/** The length of the time that Temporal appends to the id of a workflow that a schedule starts: 2027-03-28T09:00:00Z. */
const LENGTH = 20;

/** The nominal time of the firing that started this workflow (RFC 3339). */
export const nominalTime = (): string => workflowInfo().workflowId.slice(-LENGTH);
