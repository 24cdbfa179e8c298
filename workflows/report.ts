import { proxyActivities, setCurrentDetails, sleep } from '@temporalio/workflow';
import type { reportActivities } from '../activities/reports.ts';
import { followChanges } from './follow-changes.ts';
import { escapeMarkdown } from '../registry/markdown.ts';
import { nominalTime } from './nominal-time.ts';
import { pageOptions, retryForeverOptions } from './options.ts';
import { QUEUES, type WorkflowInputs } from '../registry/workflows.ts';

type Activities = ReturnType<typeof reportActivities>;
// It begins again from the start: a run has one file, and a killed attempt leaves none.
const { makeReport } = proxyActivities<Activities>({ ...pageOptions, taskQueue: QUEUES.reports });
const { areFiguresComplete, failReport, keepReportSchedule, openReportRun } =
  proxyActivities<Activities>(retryForeverOptions);

/** How long a report waits for events that happened in its period and are not counted yet. */
const WAIT_MS = 60_000;
const LOOK_EVERY = '5 seconds';
/** After a fault that may pass, such as a full store: before the second and the third attempt. */
const PAUSES = ['10 seconds', '1 minute'] as const;

/** One run of a report. */
export async function report(input: WorkflowInputs['report']): Promise<void> {
  const deadline = Date.now() + WAIT_MS;
  while (!(await areFiguresComplete(input)) && Date.now() < deadline) await sleep(LOOK_EVERY);
  setCurrentDetails(escapeMarkdown(await madeOrFailed(input)));
}

async function madeOrFailed(input: WorkflowInputs['report']): Promise<string> {
  for (let attempt = 0; ; attempt += 1) {
    const made = await makeReport(input);
    if ('said' in made) return made.said;
    const pause = made.isFinal ? undefined : PAUSES[attempt];
    if (pause === undefined) return failReport({ ...input, reason: made.fault });
    setCurrentDetails(`${escapeMarkdown(made.fault)}; another attempt follows in ${pause}`);
    await sleep(pause);
  }
}

/** One firing of a report's schedule: opens its run, which is a workflow of its own. */
export async function reportOccurrence({ tenantId, reportId }: WorkflowInputs['reportOccurrence']): Promise<void> {
  const opened = await openReportRun({ tenantId, reportId, scheduledAt: nominalTime(), at: Date.now() });
  setCurrentDetails('skipped' in opened ? `Makes no report: ${opened.skipped}` : `run ${opened.runId}`);
}

/** Makes the Temporal Schedule of a report agree with the report, as often as the report has changed. */
export const reportSchedule = (input: WorkflowInputs['reportSchedule']): Promise<void> =>
  followChanges(() => keepReportSchedule(input));
