import { Type } from 'typebox';
import {
  REPORT_FORMATS,
  REPORT_PERIODS,
  REPORT_RUN_STATUSES,
  REPORT_TYPES,
  type ReportSchedule,
} from '../../db/entities/reports.ts';
import { INTERVALS } from '../../domain/common/period.ts';
import { CronSchema } from '../../lib/time/schedule-cron.ts';
import { Id, listQuery, nameOf, nullable, oneOf, strict, Timestamp, Version, writable } from '../route/schemas.ts';
import { periodQuery } from '../route/period-schema.ts';

/** Enough for a board; each gets an email of its own. */
const MOST_RECIPIENTS = 20;

const Schedule = Type.Unsafe<ReportSchedule>(
  strict(
    {
      cron: CronSchema,
      timezone: Type.String({ minLength: 1, maxLength: 64, examples: ['Europe/Warsaw'] }),
      recipients: Type.Array(Type.String({ minLength: 1, maxLength: 100, examples: ['ada@example.com'] }), {
        maxItems: MOST_RECIPIENTS,
        description:
          'Addresses of active users with the permission `analytics:read`, who get the file by email. It goes to those who still are when it is made',
      }),
      period: oneOf(REPORT_PERIODS, {
        description: 'Each report is on the last whole day, week (from Monday) or month before its time',
      }),
    },
    {
      description:
        'Makes the report again at the times of `cron`, at most once an hour: its first field must be one minute. Null = once',
    },
  ),
);

const name = nameOf(255, { examples: ['Monthly report'] });
const type = oneOf(REPORT_TYPES, { description: 'The figures of the endpoint with this name' });
const format = oneOf(REPORT_FORMATS);
const interval = nullable(
  oneOf(INTERVALS, {
    description: 'Of figures over time. Null = `day`; with a schedule for each day, `hour`',
  }),
);
const { from, to } = periodQuery;
// Without a default that would be filled in: a schedule has its own.
const timezone = Type.Optional(
  Type.String({ minLength: 1, maxLength: 64, examples: ['Europe/Warsaw'], description: 'UTC if absent' }),
);

const madeFields = {
  progress: Type.Integer({ minimum: 0, maximum: 100, description: 'In percent' }),
  error: nullable(Type.String()),
  downloadUrl: nullable(Type.String({ description: 'The file, for requests with a token; null without a file' })),
  size: nullable(Type.Integer({ description: 'In bytes' })),
  asOf: nullable(Type.String({ format: 'date-time', description: 'The figures are complete up to then' })),
  startedAt: nullable(Timestamp),
  finishedAt: nullable(Timestamp),
  expiresAt: nullable(
    Type.String({
      format: 'date-time',
      description: 'When the file is removed; earlier if newer reports of the account need its room',
    }),
  ),
  workflowId: nullable(Type.String()),
};

export const Report = strict({
  id: Id,
  name,
  type,
  format,
  interval,
  schedule: nullable(Schedule),
  nextRunAt: nullable(Timestamp),
  status: oneOf(['SCHEDULED', 'STOPPED', ...REPORT_RUN_STATUSES], {
    description:
      'Of the most recent run, as are the fields below. SCHEDULED: before the first; STOPPED: the schedule ended before it',
  }),
  from: nullable(Timestamp),
  to: nullable(Timestamp),
  timezone: nullable(Type.String()),
  ...madeFields,
  tenantId: Type.String(),
  version: Version,
  createdAt: Timestamp,
  updatedAt: Timestamp,
});

/** What follows from runs and the clock. It changes by itself, so a PUT ignores it. */
const ofRuns = ['status', 'nextRunAt', ...Object.keys(madeFields)];
const readOnly = ['id', 'tenantId', 'version', 'createdAt', 'updatedAt', ...ofRuns];
const ignored = new Set([...ofRuns, 'from', 'to', 'timezone']);

/** The read-only fields of a report's definition. */
export const definitionOnly = (given: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(given).filter(([name]) => !ignored.has(name)));

export const ReportCreate = writable(
  {
    name,
    type,
    format,
    from,
    to,
    interval: Type.Optional(interval),
    timezone,
    schedule: Type.Optional(nullable(Schedule)),
  },
  readOnly,
);
export const ReportUpdate = writable(
  {
    name: Type.Optional(name),
    format: Type.Optional(format),
    interval: Type.Optional(interval),
    schedule: Type.Optional(nullable(Schedule)),
  },
  [...readOnly, 'type', 'from', 'to', 'timezone'],
);
export const ReportQuery = listQuery(['id', 'name', 'createdAt', 'updatedAt'], { type: Type.Optional(type) });

export const ReportRun = strict({
  id: Id,
  reportId: Id,
  scheduledAt: nullable(
    Type.String({ format: 'date-time', description: 'The time of the schedule; null if it was requested' }),
  ),
  format,
  status: oneOf(REPORT_RUN_STATUSES),
  from: Timestamp,
  to: Timestamp,
  interval: oneOf(INTERVALS),
  timezone: Type.String(),
  ...madeFields,
  createdAt: Timestamp,
});
export const RunQuery = listQuery(['id'], { status: Type.Optional(oneOf(REPORT_RUN_STATUSES)) });
