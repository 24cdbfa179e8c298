import type { Report, ReportSchedule } from '../../db/entities/reports.ts';
import type { EntityManager } from '../../db/orm.ts';
import { activeUsers } from '../addresses/active-users.ts';
import { addressKey } from '../addresses/address-key.ts';
import { readPeriod, type Interval } from '../analytics/period.ts';
import { AppError, type Violation } from '../common/errors.ts';
import { isTimezone } from '../common/local-time.ts';
import { scheduleProblem } from '../common/schedule-cron.ts';
import type { ValidPart } from '../common/valid-part.ts';

/** What a report is made of, as given; `from`, `to` and `timezone` are those of a report without a schedule. */
export interface PeriodInput {
  from?: string;
  to?: string;
  interval?: Interval | null;
  timezone?: string;
  schedule?: ReportSchedule | null;
}

/** The violations of a new report, or of a change of one, beyond its schema; invalid parts may be missing. */
export async function reportViolations(
  tx: EntityManager,
  tenantId: string,
  { schedule, ...period }: ValidPart<PeriodInput>,
  current: Report | null,
  now: Date,
): Promise<Violation[]> {
  if (schedule) return [...mixed(period), ...(await scheduleViolations(tx, tenantId, schedule, current))];
  return current ? [] : periodViolations(period, now);
}

const mixed = (period: ValidPart<PeriodInput>): Violation[] =>
  (['from', 'to', 'timezone'] as const)
    .filter((name) => period[name] !== undefined)
    .map((name) => ({
      path: `/${name}`,
      code: 'not_allowed',
      message: 'must be left out with a schedule, which has its own period and timezone',
    }));

function periodViolations({ from, to, interval, timezone }: ValidPart<PeriodInput>, now: Date): Violation[] {
  try {
    readPeriod({ from, to, interval: interval ?? undefined, timezone }, now);
    return [];
  } catch (error) {
    if (error instanceof AppError && error.errors) return error.errors;
    throw error;
  }
}

/** A name, not an offset: neither Temporal nor Postgres reads offsets as they are meant. */
const isZone = (timezone: string): boolean => /^[A-Za-z]/.test(timezone) && isTimezone(timezone);

async function scheduleViolations(
  tx: EntityManager,
  tenantId: string,
  { cron, timezone, recipients = [] }: ValidPart<ReportSchedule>,
  current: Report | null,
): Promise<Violation[]> {
  const hasZone = timezone !== undefined && isZone(timezone);
  const problem = cron === undefined ? null : scheduleProblem(cron, hasZone ? timezone : 'UTC');
  // A recipient who has left since must not prevent other changes.
  const known = new Set(current?.schedule?.recipients);
  const users = await activeUsers(tx, tenantId, recipients.map(addressKey));
  return [
    ...(timezone === undefined || hasZone
      ? []
      : [{ path: '/schedule/timezone', code: 'timezone', message: 'must be an IANA time zone such as Europe/Berlin' }]),
    ...(problem === null ? [] : [{ path: '/schedule/cron', code: 'cron', message: problem }]),
    ...recipients.flatMap((address, index) =>
      users.has(addressKey(address)) || known.has(address)
        ? []
        : [
            {
              path: `/schedule/recipients/${index}`,
              code: 'not_found',
              message: 'must be the address of an active user of this account',
            },
          ],
    ),
  ];
}
