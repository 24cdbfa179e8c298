import { LockMode } from '@mikro-orm/core';
import { Report, ReportRun } from '../../db/entities/reports.ts';
import { freshEm, type EntityManager } from '../../db/orm.ts';
import { cronExpressionsOf } from '../../lib/time/schedule-cron.ts';
import { lastWhole } from './content/period-before.ts';
import { intervalOf, openRun } from './open-run.ts';

/** A firing that is later than this, after an outage, makes no report: the next one is near. */
const CATCH_UP_MS = 24 * 3_600_000;

interface ReportId {
  tenantId: string;
  reportId: number;
}

/** The Temporal Schedule that a report should have. */
export interface WantedReportSchedule {
  cronExpressions: string[];
  timezone: string;
  catchUpMs: number;
  since: Date;
}

/** The Temporal Schedule that a report should have now; null if none. */
export async function wantedReportSchedule(
  em: EntityManager,
  { tenantId, reportId }: ReportId,
): Promise<WantedReportSchedule | null> {
  const report = await freshEm(em).findOne(Report, { tenantId, id: reportId });
  if (!report?.schedule) return null;
  const { cron, timezone } = report.schedule;
  return {
    cronExpressions: cronExpressionsOf(cron),
    // Temporal distinguishes upper and lower case.
    timezone: new Intl.DateTimeFormat('en', { timeZone: timezone }).resolvedOptions().timeZone,
    catchUpMs: CATCH_UP_MS,
    since: report.scheduledSince!,
  };
}

export interface ReportOccurrence extends ReportId {
  /** The nominal time of the firing (RFC 3339). */
  scheduledAt: string;
  /** The time now, in ms since the epoch. */
  at: number;
}

/**
 * Opens the run of one firing of a report's schedule, for the last whole day, week or month before it; a repeated call
 * finds it. There is none if the report has no schedule any more, or if the firing is from before the schedule or too
 * late.
 */
export async function openScheduledRun(
  em: EntityManager,
  { tenantId, reportId, scheduledAt: nominal, at }: ReportOccurrence,
): Promise<{ runId: number } | { skipped: string }> {
  const scheduledAt = new Date(nominal);
  return freshEm(em).transactional(async (tx) => {
    const report = await tx.findOne(Report, { tenantId, id: reportId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (!report?.schedule) return { skipped: 'the report has no schedule any more' };
    const known = await tx.findOne(ReportRun, { tenantId, reportId, scheduledAt });
    if (known) return { runId: known.id };
    if (scheduledAt < report.scheduledSince!) return { skipped: 'before the schedule was set' };
    if (at - scheduledAt.getTime() > CATCH_UP_MS) return { skipped: 'more than a day late' };
    const { period, timezone } = report.schedule;
    const run = await openRun(
      tx,
      report,
      { ...lastWhole(period, scheduledAt, timezone), interval: intervalOf(report), timezone },
      scheduledAt,
    );
    return { runId: run.id };
  });
}
