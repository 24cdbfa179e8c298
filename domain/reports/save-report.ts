import { LockMode } from '@mikro-orm/core';
import {
  Report,
  type ReportFormat,
  type ReportRun,
  type ReportSchedule,
  type ReportType,
} from '../../db/entities/reports.ts';
import { rows, sql, type EntityManager } from '../../db/orm.ts';
import { appendWorkflow } from '../../events/outbox.ts';
import { readPeriod } from '../common/period.ts';
import { appendAudit, type Author } from '../audit/audit.ts';
import { lockTenant } from '../auth/access/grants.ts';
import { AppError, assertValid, notFound } from '../../lib/checks/errors.ts';
import { openRun } from './open-run.ts';
import { lastRuns, type ReportState } from './read-reports.ts';
import { removeRuns } from './report-files.ts';
import { reportViolations, type PeriodInput } from './report-violations.ts';

export interface NewReport extends PeriodInput {
  name: string;
  type: ReportType;
  format: ReportFormat;
}
export type ReportChange = Partial<Pick<NewReport, 'name' | 'format' | 'interval' | 'schedule'>>;

/** Enough for a report to each of many teams; each is a Temporal Schedule, and makes and mails files for ever. */
const MOST_SCHEDULED = 200;

const contentOf = ({ name, type, format, interval, schedule }: Report) => ({ name, type, format, interval, schedule });
const resourceOf = (id: number) => ({ resourceType: 'report', resourceId: id });

/** When a schedule fires, to tell whether it has to be made anew. */
const firing = (schedule: ReportSchedule | null | undefined): string =>
  schedule ? `${schedule.cron} ${schedule.timezone}` : '';

/** Throws `limit_reached` if a tenant has as many reports with a schedule as it may have. */
async function assertMayScheduleMore(tx: EntityManager, tenantId: string): Promise<void> {
  // One after the other, for each must count those before it.
  await lockTenant(tx, tenantId);
  const [found] = await rows<{ count: number }>(
    tx,
    sql`select count(*) as count from analytics_reports where tenant_id = ${tenantId} and schedule is not null`,
  );
  if (found!.count >= MOST_SCHEDULED)
    throw new AppError('limit_reached', `An account may have ${MOST_SCHEDULED} reports with a schedule`);
}

/** Throws `conflict` if a change of what only later runs have is made to a report that has none. */
function assertTakesEffect(report: Report, { format, interval }: ReportChange): void {
  const changed = [
    ...(format === undefined || format === report.format ? [] : ['format']),
    ...(interval === undefined || interval === (report.interval ?? null) ? [] : ['interval']),
  ];
  if (changed.length > 0)
    throw new AppError(
      'conflict',
      `The report has no schedule, so it is not made again, and ${changed.join(' and ')} cannot be changed: create another report`,
    );
}

/**
 * Creates a report: without a schedule it is made at once, with one at its times. Throws `validation_failed`,
 * `limit_reached`.
 */
export async function createReport(em: EntityManager, author: Author, input: NewReport): Promise<ReportState> {
  const { tenantId } = author;
  const now = new Date();
  const { name, type, format, interval = null, schedule = null, ...asked } = input;
  return em.transactional(async (tx) => {
    assertValid(await reportViolations(tx, tenantId, input, null, now));
    if (schedule) await assertMayScheduleMore(tx, tenantId);
    const scheduledSince = schedule && now;
    const report = tx.create(Report, { tenantId, name, type, format, interval, schedule, scheduledSince });
    await tx.flush();
    let run: ReportRun | null = null;
    if (schedule) await appendWorkflow(tx, 'reportSchedule', { tenantId, reportId: report.id });
    else run = await openRun(tx, report, readPeriod({ ...asked, interval: interval ?? undefined }, now), null);
    await appendAudit(tx, author, { action: 'report.created', ...resourceOf(report.id), after: contentOf(report) });
    return { report, run };
  });
}

/** Locks a report, for a change that `check` allows. Throws 404. */
async function locked(
  tx: EntityManager,
  id: number,
  check: (current: ReportState) => void,
): Promise<{ report: Report; run: ReportRun | null }> {
  const report = await tx.findOne(Report, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (!report) throw notFound('report', id);
  const run = (await lastRuns(tx, [id])).get(id) ?? null;
  check({ report, run });
  return { report, run };
}

/**
 * Changes a report; runs that are open stay as they are. A changed schedule counts from now on; null ends it. Throws
 * 404, `validation_failed`, `conflict`, `limit_reached`.
 */
export async function updateReport(
  em: EntityManager,
  author: Author,
  id: number,
  input: ReportChange,
  check: (current: ReportState) => void,
): Promise<ReportState> {
  return em.transactional(async (tx) => {
    const { report, run } = await locked(tx, id, check);
    const { tenantId } = report;
    const now = new Date();
    assertValid(await reportViolations(tx, tenantId, input, report, now));
    const { schedule = report.schedule ?? null } = input;
    if (!schedule) assertTakesEffect(report, input);
    if (schedule && !report.schedule) await assertMayScheduleMore(tx, tenantId);
    const before = contentOf(report);
    tx.assign(report, input);
    const isRescheduled = firing(before.schedule) !== firing(report.schedule);
    if (isRescheduled) report.scheduledSince = report.schedule ? now : null;
    await tx.flush();
    if (isRescheduled) await appendWorkflow(tx, 'reportSchedule', { tenantId, reportId: id });
    await appendAudit(tx, author, { action: 'report.updated', ...resourceOf(id), before, after: contentOf(report) });
    return { report, run };
  });
}

/** Deletes a report with its runs, files and schedule, also while a run is being made. Throws 404. */
export async function deleteReport(
  em: EntityManager,
  author: Author,
  id: number,
  check: (current: ReportState) => void,
): Promise<void> {
  await em.transactional(async (tx) => {
    const { report } = await locked(tx, id, check);
    const { tenantId } = report;
    const before = contentOf(report);
    await removeRuns(tx, report);
    if (report.schedule) await appendWorkflow(tx, 'reportSchedule', { tenantId, reportId: id });
    await tx.remove(report).flush();
    await appendAudit(tx, author, { action: 'report.deleted', ...resourceOf(id), before });
  });
}
