import { proxyActivities, setCurrentDetails } from '@temporalio/workflow';
import type { reportActivities } from '../activities/reports.ts';
import { followChanges } from './follow-changes.ts';
import { nominalTime } from './nominal-time.ts';
import { pageOptions, retryForeverOptions } from './options.ts';
import type { WorkflowInputs } from './registry.ts';

type Activities = ReturnType<typeof reportActivities>;
// It begins again from the start: a run has one file, and a killed attempt leaves none.
const { makeReport } = proxyActivities<Activities>({ ...pageOptions, heartbeatTimeout: '15 seconds' });
const { keepReportSchedule, openReportRun } = proxyActivities<Activities>(retryForeverOptions);

/** One run of a report. */
export async function report(input: WorkflowInputs['report']): Promise<void> {
  setCurrentDetails(await makeReport(input));
}

/** One firing of a report's schedule: opens its run, which is a workflow of its own. */
export async function reportOccurrence({ tenantId, reportId }: WorkflowInputs['reportOccurrence']): Promise<void> {
  const opened = await openReportRun({ tenantId, reportId, scheduledAt: nominalTime(), at: Date.now() });
  setCurrentDetails('skipped' in opened ? `Makes no report: ${opened.skipped}` : `run ${opened.runId}`);
}

/** Makes the Temporal Schedule of a report agree with the report, as often as the report has changed. */
export const reportSchedule = (input: WorkflowInputs['reportSchedule']): Promise<void> =>
  followChanges(() => keepReportSchedule(input));
