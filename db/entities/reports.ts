import { defineEntity, p } from '@mikro-orm/core';
import { bigid, id, json, resourceColumns, tenantId, tenantTable, timestamp } from './base.ts';

export const REPORT_RUN_STATUSES = ['PENDING', 'RUNNING', 'COMPLETED', 'FAILED'] as const;
export const REPORT_TYPES = ['dashboard', 'campaigns', 'contacts', 'emails', 'forms'] as const;
export type ReportType = (typeof REPORT_TYPES)[number];
export const REPORT_FORMATS = ['json', 'csv', 'pdf', 'xlsx'] as const;
export type ReportFormat = (typeof REPORT_FORMATS)[number];
/** `week` begins on Monday (ISO 8601). */
export const REPORT_PERIODS = ['day', 'week', 'month'] as const;
export type ReportPeriod = (typeof REPORT_PERIODS)[number];
const INTERVALS = ['hour', 'day', 'week', 'month'] as const;

/** When a report is made again, and who gets it. */
export interface ReportSchedule {
  /** Five parts. */
  cron: string;
  /** An IANA name: of `cron` and of the period. */
  timezone: string;
  /** Addresses of users. */
  recipients: string[];
  /** Each report is on the last whole one before its firing. */
  period: ReportPeriod;
}

const ReportSchema = defineEntity({
  name: 'Report',
  tableName: 'analytics_reports',
  ...tenantTable,
  uniques: [{ name: 'analytics_reports_tenant_id_id_key', properties: ['tenantId', 'id'] }],
  properties: {
    id: id(),
    tenantId: tenantId(),
    name: p.string().length(255),
    type: p.enum(REPORT_TYPES),
    format: p.enum(REPORT_FORMATS),
    /** Null: what suits the period of the schedule. */
    interval: p.enum(INTERVALS).nullable(),
    schedule: json<ReportSchedule>().nullable(),
    /** Since when the schedule is as it is: earlier firings do not count. */
    scheduledSince: timestamp().nullable(),
    ...resourceColumns(),
  },
});
/** A report on figures: made once, or on a schedule. */
export class Report extends ReportSchema.class {}
ReportSchema.setClass(Report);

const ReportRunSchema = defineEntity({
  name: 'ReportRun',
  tableName: 'analytics_report_runs',
  ...tenantTable,
  uniques: [
    { name: 'analytics_report_runs_tenant_id_id_key', properties: ['tenantId', 'id'] },
    { name: 'analytics_report_runs_scheduled_key', properties: ['tenantId', 'reportId', 'scheduledAt'] },
  ],
  indexes: [
    { name: 'analytics_report_runs_report_idx', properties: ['tenantId', 'reportId', 'id'] },
    { name: 'analytics_report_runs_files_idx', properties: ['finishedAt'], where: 'object_key is not null' },
  ],
  properties: {
    id: id(),
    tenantId: tenantId(),
    reportId: bigid(),
    /** The nominal time of the firing, which makes one run; null if it was requested. */
    scheduledAt: timestamp().nullable(),
    from: timestamp().name('from_at'),
    to: timestamp().name('to_at'),
    interval: p.enum(INTERVALS),
    timezone: p.string().length(64),
    format: p.enum(REPORT_FORMATS),
    status: p.enum(REPORT_RUN_STATUSES).default('PENDING'),
    /** In percent. */
    progress: p.integer().default(0),
    error: p.text().nullable(),
    /** A kept file (domain/common/kept-files.ts), until it expires. */
    objectKey: p.text().nullable(),
    /** In bytes. */
    size: bigid().nullable(),
    /** The figures are complete up to then. */
    asOf: timestamp().nullable(),
    /** The emails that need the file until they have ended. */
    emailIds: p.array(Number).columnType('bigint[]').nullable(),
    workflowId: p.text(),
    createdAt: timestamp().defaultRaw('now()'),
    startedAt: timestamp().nullable(),
    finishedAt: timestamp().nullable(),
  },
});
/** One making of a report, for one period. */
export class ReportRun extends ReportRunSchema.class {}
ReportRunSchema.setClass(ReportRun);

export const reportEntities = [Report, ReportRun];
