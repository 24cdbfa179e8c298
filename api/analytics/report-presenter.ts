import type { ReportRun } from '../../db/entities/reports.ts';
import { readCron } from '../../lib/time/cron.ts';
import { downloadPath } from '../../domain/reports/mail-report.ts';
import type { ReportState } from '../../domain/reports/read-reports.ts';
import { expiryOf } from '../../domain/reports/report-files.ts';

/** What a run has made so far; `publicUrl` is PUBLIC_URL. */
const presentMade = (run: ReportRun | null, publicUrl: string) => ({
  progress: run?.progress ?? 0,
  error: run?.error ?? null,
  downloadUrl: run?.objectKey ? `${publicUrl}${downloadPath(run.reportId, run.id)}` : null,
  size: run?.size ?? null,
  asOf: run?.asOf ?? null,
  startedAt: run?.startedAt ?? null,
  finishedAt: run?.finishedAt ?? null,
  expiresAt: run?.objectKey && run.finishedAt ? expiryOf(run.finishedAt) : null,
  workflowId: run?.workflowId ?? null,
});

export const presentReport = ({ report, run }: ReportState, publicUrl: string) => ({
  id: report.id,
  name: report.name,
  type: report.type,
  format: report.format,
  interval: report.interval ?? null,
  schedule: report.schedule ?? null,
  nextRunAt: report.schedule ? readCron(report.schedule.cron, report.schedule.timezone).nextRun() : null,
  status: run?.status ?? (report.schedule ? ('SCHEDULED' as const) : ('STOPPED' as const)),
  from: run?.from ?? null,
  to: run?.to ?? null,
  timezone: run?.timezone ?? report.schedule?.timezone ?? null,
  ...presentMade(run, publicUrl),
  tenantId: report.tenantId,
  version: report.version,
  createdAt: report.createdAt,
  updatedAt: report.updatedAt,
});

export const presentRun = (run: ReportRun, publicUrl: string) => ({
  id: run.id,
  reportId: run.reportId,
  scheduledAt: run.scheduledAt ?? null,
  format: run.format,
  status: run.status,
  from: run.from,
  to: run.to,
  interval: run.interval,
  timezone: run.timezone,
  ...presentMade(run, publicUrl),
  createdAt: run.createdAt,
});
