import { ReportRun, type Report, type ReportPeriod } from '../../db/entities/reports.ts';
import { rows, sql, type EntityManager } from '../../db/orm.ts';
import { appendJob, appendWorkflow } from '../../events/outbox.ts';
import { workflowId } from '../../registry/workflows.ts';
import type { Interval, Period } from '../common/period.ts';
import { removeOldRuns } from './report-files.ts';

/** The interval that suits a scheduled period. */
const INTERVALS: Record<ReportPeriod, Interval> = { day: 'hour', week: 'day', month: 'day' };

/** The interval of a report's points over time. */
export const intervalOf = ({ interval, schedule }: Pick<Report, 'interval' | 'schedule'>): Interval =>
  interval ?? (schedule ? INTERVALS[schedule.period] : 'day');

/** Opens a run of a report, and asks for its workflow, in the transaction `tx`. Old runs make place. */
export async function openRun(
  tx: EntityManager,
  report: Report,
  { from, to, interval, timezone }: Period,
  scheduledAt: Date | null,
): Promise<ReportRun> {
  const { tenantId, id: reportId, format } = report;
  // The id is a part of the workflow's id.
  const [next] = await rows<{ id: number }>(tx, sql`select nextval('analytics_report_runs_id_seq') as id`);
  const input = { tenantId, reportId, runId: next!.id };
  const run = tx.create(ReportRun, {
    id: input.runId,
    tenantId,
    reportId,
    scheduledAt,
    from,
    to,
    interval,
    timezone,
    format,
    workflowId: workflowId('report', input),
  });
  await tx.flush();
  await removeOldRuns(tx, report);
  await (scheduledAt ? appendWorkflow : appendJob)(tx, 'report', input);
  return run;
}
