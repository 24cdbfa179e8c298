import { LockMode } from '@mikro-orm/core';
import { Report, ReportRun } from '../../db/entities/reports.ts';
import { freshEm, freshTransaction, rows, sql, type EntityManager } from '../../db/orm.ts';
import { claimFiles } from '../common/kept-files.ts';
import type { ReportContent } from './content/content.ts';
import { mailFailure, mailReport, type Mailed } from './mail-report.ts';
import { makeRoom } from './report-files.ts';

/** A run to be made, and its report. */
export interface StartedRun {
  report: Report;
  run: ReportRun;
}

interface RunId {
  tenantId: string;
  runId: number;
}

/** Starts a run, or starts it again after a crash; null if it has ended, or was deleted with its report. */
export async function startRun(em: EntityManager, { tenantId, runId }: RunId): Promise<StartedRun | null> {
  return freshEm(em).transactional(async (tx) => {
    const started = await rows(
      tx,
      sql`
      update analytics_report_runs set status = 'RUNNING', started_at = coalesce(started_at, now()), progress = 0
      where tenant_id = ${tenantId} and id = ${runId} and status in ('PENDING', 'RUNNING') returning 1`,
    );
    if (started.length === 0) return null;
    const run = await tx.findOneOrFail(ReportRun, { tenantId, id: runId });
    return { run, report: await tx.findOneOrFail(Report, { tenantId, id: run.reportId }) };
  });
}

/** Notes how much of a run is done, in percent. */
export async function noteProgress(em: EntityManager, { tenantId, id }: ReportRun, progress: number): Promise<void> {
  await em.transactional((tx) =>
    rows(
      tx,
      sql`
      update analytics_report_runs set progress = ${progress}
      where tenant_id = ${tenantId} and id = ${id} and status = 'RUNNING'`,
    ),
  );
}

export interface MadeFile {
  objectKey: string;
  /** In bytes. */
  size: number;
}

/** The run of this id if it is being made, locked; null if it has ended, or was deleted with its report. */
async function lockRunning(tx: EntityManager, { tenantId, runId }: RunId): Promise<StartedRun | null> {
  const run = await tx.findOne(
    ReportRun,
    { tenantId, id: runId, status: 'RUNNING' },
    { lockMode: LockMode.PESSIMISTIC_WRITE },
  );
  return run && { run, report: await tx.findOneOrFail(Report, { tenantId, id: run.reportId }) };
}

/**
 * Completes a run with its stored file, and queues the emails to its recipients. Returns null if it has ended or was
 * deleted meanwhile: then nothing refers to the file.
 */
export async function completeRun(
  em: EntityManager,
  { tenantId, id: runId }: ReportRun,
  content: ReportContent,
  { objectKey, size }: MadeFile,
  { publicUrl, mostBytes }: { publicUrl: string; mostBytes: number },
): Promise<Mailed | null> {
  return freshTransaction(freshEm(em), async (tx) => {
    // One at a time, so that reports which are completed together make room for each other.
    await rows(tx, sql`select pg_advisory_xact_lock(hashtextextended(${`report-files/${tenantId}`}::text, 0))`);
    const found = await lockRunning(tx, { tenantId, runId });
    if (!found) return null;
    const { report, run } = found;
    await claimFiles(tx, tenantId, [objectKey]);
    tx.assign(run, {
      status: 'COMPLETED',
      progress: 100,
      objectKey,
      size,
      // What the figures cover, which may be more than was asked for.
      from: new Date(content.period.from),
      to: new Date(content.period.to),
      asOf: new Date(content.asOf),
      finishedAt: new Date(),
    });
    const mailed = await mailReport(tx, report, run, content, publicUrl);
    run.emailIds = mailed.emailIds;
    await tx.flush();
    await makeRoom(tx, run, mostBytes);
    return mailed;
  });
}

/** Ends a run that cannot be made, and tells its recipients. Returns null if it has ended or was deleted meanwhile. */
export async function failRun(em: EntityManager, runId: RunId, reason: string): Promise<Mailed | null> {
  return freshEm(em).transactional(async (tx) => {
    const found = await lockRunning(tx, runId);
    if (!found) return null;
    const { report, run } = found;
    tx.assign(run, { status: 'FAILED', error: reason, finishedAt: new Date() });
    return mailFailure(tx, report, run, reason);
  });
}
