import { Report, ReportRun } from '../../db/entities/reports.ts';
import { rows, sql, type EntityManager } from '../../db/orm.ts';
import { AppError, notFound } from '../../lib/checks/errors.ts';
import { byName, byUpdatedAt, commonSort, listPage } from '../common/list-page.ts';
import type { ListQuery, Page } from '../common/paging.ts';

/** A report with its most recent run. */
export interface ReportState {
  report: Report;
  run: ReportRun | null;
}

/** The most recent run of each of these reports that has one, by the report's id; in a transaction. */
export async function lastRuns(tx: EntityManager, reportIds: number[]): Promise<Map<number, ReportRun>> {
  const found = await rows<{ id: number }>(
    tx,
    sql`
    select max(id) as id from analytics_report_runs where report_id = any(${reportIds}::bigint[]) group by report_id`,
  );
  const runs = await tx.find(ReportRun, { id: { $in: found.map(({ id }) => id) } });
  return new Map(runs.map((run) => [run.reportId, run]));
}

/** A report. Throws 404. */
export async function readReport(em: EntityManager, id: number): Promise<ReportState> {
  return em.transactional(async (tx) => {
    const report = await tx.findOne(Report, { id });
    if (!report) throw notFound('report', id);
    return { report, run: (await lastRuns(tx, [id])).get(id) ?? null };
  });
}

/** A page of the tenant's reports. Throws `validation_failed` for a wrong cursor. */
export const listReports = <T>(
  em: EntityManager,
  { type, ...query }: ListQuery & { type?: string },
  present: (state: ReportState) => T,
): Promise<Page<T>> =>
  listPage(
    em,
    Report,
    query,
    {
      from: sql`analytics_reports t`,
      where: [type !== undefined && sql`t.type = ${type}`],
      sortable: { ...commonSort, name: byName, updatedAt: byUpdatedAt },
    },
    async (found, tx) => {
      const runs = await lastRuns(
        tx,
        found.map(({ id }) => id),
      );
      return found.map((report) => present({ report, run: runs.get(report.id) ?? null }));
    },
  );

/** A page of the runs of a report. Throws 404, and `validation_failed` for a wrong cursor. */
export async function listRuns<T>(
  em: EntityManager,
  reportId: number,
  { status, ...query }: ListQuery & { status?: string },
  present: (run: ReportRun) => T,
): Promise<Page<T>> {
  if (!(await em.findOne(Report, { id: reportId }))) throw notFound('report', reportId);
  return listPage(
    em,
    ReportRun,
    query,
    {
      from: sql`analytics_report_runs t`,
      where: [sql`t.report_id = ${reportId}`, status !== undefined && sql`t.status = ${status}`],
      sortable: { id: commonSort.id },
    },
    (found) => found.map(present),
  );
}

/** The run of a report whose file is asked for: by default the most recent that has one. Throws 404, `conflict`. */
export async function readFinishedRun(
  em: EntityManager,
  reportId: number,
  runId?: number,
): Promise<{ report: Report; run: ReportRun & { objectKey: string } }> {
  const { report, run: last } = await readReport(em, reportId);
  const run =
    runId === undefined
      ? await em.findOne(ReportRun, { reportId, objectKey: { $ne: null } }, { orderBy: { id: 'desc' } })
      : await em.findOne(ReportRun, { reportId, id: runId });
  const asked = run ?? last;
  if (runId !== undefined && !run) throw notFound('report run', runId);
  if (asked?.objectKey) return { report, run: asked as ReportRun & { objectKey: string } };
  if (!asked) throw new AppError('conflict', 'The report has not been made yet');
  if (asked.status === 'FAILED') throw new AppError('conflict', `The report could not be made: ${asked.error}`);
  if (asked.status === 'COMPLETED') throw new AppError('not_found', 'The file of the report is no longer stored');
  throw new AppError('conflict', `The report is being made: it is ${asked.status}`);
}
