import { Context } from '@temporalio/activity';
import type { Deps } from '../runtime/deps.ts';
import { discardFiles, keepFiles } from '../runtime/kept-files.ts';
import { figuresAsOf, NEVER } from '../runtime/figures-freshness.ts';
import { ReportRun } from '../db/entities/reports.ts';
import { tenantEm } from '../db/orm.ts';
import { NoRoomForFiles } from '../domain/common/kept-files.ts';
import { readContent } from '../domain/reports/content/read-content.ts';
import type { Mailed } from '../domain/reports/mail-report.ts';
import { renderInThread, RenderError } from '../domain/reports/render/report-thread.ts';
import { MOST_BYTES } from '../domain/reports/report-files.ts';
import { completeRun, failRun, noteProgress, startRun, type StartedRun } from '../domain/reports/run-report.ts';
import { openScheduledRun, type ReportOccurrence } from '../domain/reports/scheduled-runs.ts';
import { keepReportSchedule } from './keep-schedule.ts';
import type { WorkflowInputs } from '../registry/workflows.ts';

/**
 * Events have their time before the transaction that writes them ends, that of an import after ten seconds; asOf does not
 * know of them until then.
 */
const UNDER_WAY_MS = 15_000;
const MIB = 1024 * 1024;

/** How an attempt to make a report ended: in words for the Temporal UI, or with a fault in words for its readers. */
type Made = { said: string } | { fault: string; isFinal: boolean };

/** `mostBytes` is what files of a tenant's reports may have together. */
export function reportActivities(deps: Deps, mostBytes = MOST_BYTES) {
  return {
    /** Whether all events of a run's period are counted. Also true if more can still happen in it, or it is gone. */
    async areFiguresComplete({ tenantId, runId }: WorkflowInputs['report']): Promise<boolean> {
      const em = tenantEm(deps.orm, tenantId);
      const now = new Date();
      const run = await em.findOne(ReportRun, { tenantId, id: runId });
      if (!run || run.to > now) return true;
      const asOf = await figuresAsOf(deps, em, now);
      return asOf.getTime() >= run.to.getTime() + UNDER_WAY_MS;
    },

    /** Makes the file of a run from the start, once. */
    async makeReport({ tenantId, runId }: WorkflowInputs['report']): Promise<Made> {
      const started = await startRun(tenantEm(deps.orm, tenantId), { tenantId, runId });
      if (!started) return { said: 'it has ended, or was deleted' };
      return make(deps, started, mostBytes);
    },

    /** Ends a run that cannot be made; if it was scheduled, its recipients are told why. */
    async failReport({ reason, ...run }: WorkflowInputs['report'] & { reason: string }): Promise<string> {
      const mailed = await failRun(tenantEm(deps.orm, run.tenantId), run, reason);
      return mailed
        ? `FAILED: ${reason}, ${noteMails(deps, run.runId, mailed)}`
        : 'it has ended, or was deleted meanwhile';
    },

    /** Opens the run of one firing of a report's schedule. */
    openReportRun: (occurrence: ReportOccurrence): Promise<{ runId: number } | { skipped: string }> =>
      openScheduledRun(tenantEm(deps.orm, occurrence.tenantId), occurrence),

    /** Makes the Temporal Schedule of a report what it should be, and says what that is. */
    keepReportSchedule: async (input: WorkflowInputs['reportSchedule']): Promise<string> =>
      (await keepReportSchedule(deps, input)).description,
  };
}

async function make(deps: Deps, { report, run }: StartedRun, mostBytes: number): Promise<Made> {
  const { tenantId, format } = run;
  const em = tenantEm(deps.orm, tenantId);
  const signal = Context.current().cancellationSignal;
  const generatedAt = new Date();
  const fault = (error: unknown, reason: string): Made => {
    deps.log.warn({ err: error, runId: run.id }, 'a report could not be made');
    return { fault: reason, isFinal: false };
  };
  const asOf = await figuresAsOf(deps, em, generatedAt);
  if (asOf.getTime() === NEVER.getTime()) return fault(null, 'It is not known up to when figures are complete');
  await noteProgress(em, run, 20);
  const { from, to, interval, timezone } = run;
  const content = await readContent(em, {
    type: report.type,
    title: report.name,
    tenantId,
    period: { from, to, interval, timezone },
    generatedAt,
    asOf,
  });
  await noteProgress(em, run, 50);
  let bytes: Uint8Array;
  try {
    bytes = await renderInThread({ content, format }, signal);
  } catch (error) {
    if (!(error instanceof RenderError)) throw error;
    return fault(error, error.message);
  }
  if (bytes.length > mostBytes)
    return {
      fault: `The file is larger than the ${mostBytes / MIB} MiB that the files of all reports of an account may have together`,
      isFinal: true,
    };
  await noteProgress(em, run, 80);
  let keys: string[];
  try {
    keys = await keepFiles(deps, tenantId, [chunk(bytes)]);
  } catch (error) {
    if (!(error instanceof NoRoomForFiles)) throw error;
    return fault(error, 'There is no room for more files');
  }
  let mailed: Mailed | null = null;
  try {
    const file = { objectKey: keys[0]!, size: bytes.length };
    mailed = await completeRun(em, run, content, file, { publicUrl: deps.env.PUBLIC_URL, mostBytes });
  } finally {
    // A lost answer of a commit looks like a failure too; then the file is claimed, and stays.
    if (!mailed) discardFiles(deps, tenantId, keys);
  }
  if (!mailed) return { said: 'it was deleted meanwhile' };
  return { said: `${format}, ${bytes.length} bytes, ${noteMails(deps, run.id, mailed)}` };
}

async function* chunk(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** Logs which recipients got no email; returns how many did. */
function noteMails({ log }: Deps, runId: number, { emailIds, refused }: Mailed): string {
  if (refused.length === 0) return `${emailIds.length} emails`;
  log.warn({ runId, userIds: refused }, 'recipients of a report may not see reports any more, and got none');
  return `${emailIds.length} emails, ${refused.length} recipients without the permission to see it`;
}
