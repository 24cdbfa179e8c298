import { Context, heartbeat } from '@temporalio/activity';
import type { Deps } from '../runtime/deps.ts';
import { discardFiles, keepFiles } from '../runtime/kept-files.ts';
import { figuresAsOf } from '../runtime/figures-freshness.ts';
import type { ReportRun } from '../db/entities/reports.ts';
import { tenantEm } from '../db/orm.ts';
import { NoRoomForFiles } from '../domain/common/kept-files.ts';
import { readContent } from '../domain/reports/content/read-content.ts';
import { renderInThread } from '../domain/reports/render/report-thread.ts';
import { completeRun, failRun, noteProgress, startRun, type StartedRun } from '../domain/reports/run-report.ts';
import { openScheduledRun, type ReportOccurrence } from '../domain/reports/scheduled-runs.ts';
import { every } from '../runtime/every.ts';
import { keepReportSchedule } from './keep-schedule.ts';
import type { WorkflowInputs } from '../workflows/registry.ts';

/** How long a report waits for events that happened in its period and are not counted yet. */
const WAIT_MS = 60_000;
const LOOK_EVERY_MS = 500;
const HEARTBEAT_MS = 5_000;

export function reportActivities(deps: Deps) {
  return {
    /** Makes the file of a run from the start, once. Says how it ended. */
    async makeReport({ tenantId, runId }: WorkflowInputs['report']): Promise<string> {
      const started = await startRun(tenantEm(deps.orm, tenantId), { tenantId, runId });
      if (!started) return 'it has ended, or was deleted';
      const beats = every(HEARTBEAT_MS, deps.log, 'could not send a heartbeat', async () => heartbeat());
      try {
        return await make(deps, started);
      } finally {
        await beats.stop();
      }
    },

    /** Opens the run of one firing of a report's schedule. */
    openReportRun: (occurrence: ReportOccurrence): Promise<{ runId: number } | { skipped: string }> =>
      openScheduledRun(tenantEm(deps.orm, occurrence.tenantId), occurrence),

    /** Makes the Temporal Schedule of a report what it should be, and says what that is. */
    keepReportSchedule: (input: WorkflowInputs['reportSchedule']): Promise<string> => keepReportSchedule(deps, input),
  };
}

async function make(deps: Deps, { report, run }: StartedRun): Promise<string> {
  const { tenantId, format } = run;
  const em = tenantEm(deps.orm, tenantId);
  const signal = Context.current().cancellationSignal;
  const asOf = await completeFigures(deps, run, signal);
  await noteProgress(em, run, 20);
  const { from, to, interval, timezone } = run;
  const content = await readContent(em, {
    type: report.type,
    title: report.name,
    tenantId,
    period: { from, to, interval, timezone },
    generatedAt: new Date(),
    asOf,
  });
  await noteProgress(em, run, 50);
  const fail = async (error: unknown, reason: string): Promise<string> => {
    deps.log.warn({ err: error, runId: run.id }, 'a report could not be made');
    await failRun(em, run, reason);
    return reason;
  };
  let bytes: Uint8Array;
  try {
    bytes = await renderInThread({ content, format }, signal);
  } catch (error) {
    signal.throwIfAborted();
    return fail(error, 'The report could not be rendered');
  }
  await noteProgress(em, run, 80);
  let keys: string[];
  try {
    keys = await keepFiles(deps, tenantId, [chunk(bytes)]);
  } catch (error) {
    if (!(error instanceof NoRoomForFiles)) throw error;
    return fail(error, 'There is no room for more files');
  }
  let isKept = false;
  try {
    const file = { objectKey: keys[0]!, size: bytes.length };
    isKept = await completeRun(em, run, content, file, deps.env.PUBLIC_URL);
  } finally {
    // A lost answer of a commit looks like a failure too; then the file is claimed, and stays.
    if (!isKept) discardFiles(deps, tenantId, keys);
  }
  return isKept ? `${format}, ${bytes.length} bytes` : 'it was deleted meanwhile';
}

async function* chunk(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** Waits until all events of a period that is over are counted, but not for ever. Returns how far they are. */
async function completeFigures(deps: Deps, { tenantId, to }: ReportRun, signal: AbortSignal): Promise<Date> {
  const deadline = performance.now() + WAIT_MS;
  for (;;) {
    const now = new Date();
    const asOf = await figuresAsOf(deps, tenantEm(deps.orm, tenantId), now);
    if (asOf >= to || to > now || performance.now() > deadline) return asOf;
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    signal.throwIfAborted();
  }
}
