import { LockMode } from '@mikro-orm/core';
import { Report, ReportRun } from '../../db/entities/reports.ts';
import { freshEm, rows, sql, type EntityManager } from '../../db/orm.ts';
import { claimFiles } from '../common/kept-files.ts';
import type { ReportContent } from './content/content.ts';
import { mailReport } from './mail-report.ts';
import { makeRoom } from './report-files.ts';

/** A run to be made, and its report. */
export interface StartedRun {
  report: Report;
  run: ReportRun;
}

/** Starts a run, or starts it again after a crash; null if it has ended, or was deleted with its report. */
export async function startRun(
  em: EntityManager,
  { tenantId, runId }: { tenantId: string; runId: number },
): Promise<StartedRun | null> {
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

/**
 * Completes a run with its stored file, and queues the emails to its recipients. Returns false if it has ended or was
 * deleted meanwhile: then nothing refers to the file.
 */
export async function completeRun(
  em: EntityManager,
  { tenantId, id }: ReportRun,
  content: ReportContent,
  { objectKey, size }: MadeFile,
  publicUrl: string,
): Promise<boolean> {
  return freshEm(em).transactional(async (tx) => {
    const run = await tx.findOne(
      ReportRun,
      { tenantId, id, status: 'RUNNING' },
      { lockMode: LockMode.PESSIMISTIC_WRITE },
    );
    if (!run) return false;
    await claimFiles(tx, tenantId, [objectKey]);
    tx.assign(run, {
      status: 'COMPLETED',
      progress: 100,
      objectKey,
      size,
      asOf: new Date(content.asOf),
      finishedAt: new Date(),
    });
    await tx.flush();
    await makeRoom(tx, tenantId);
    const report = await tx.findOneOrFail(Report, { tenantId, id: run.reportId });
    await mailReport(tx, report, run, content, publicUrl);
    return true;
  });
}

/** Ends a run that cannot be made. */
export async function failRun(em: EntityManager, { tenantId, id }: ReportRun, error: string): Promise<void> {
  await em.transactional((tx) =>
    rows(
      tx,
      sql`
      update analytics_report_runs set status = 'FAILED', error = ${error}, finished_at = now()
      where tenant_id = ${tenantId} and id = ${id} and status = 'RUNNING'`,
    ),
  );
}
