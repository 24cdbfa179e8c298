import type { Report, ReportSchedule } from '../../db/entities/reports.ts';
import type { EntityManager } from '../../db/orm.ts';
import { addressKey } from '../addresses/address-key.ts';
import { readPeriod, type Interval } from '../common/period.ts';
import { AppError, type Violation } from '../../lib/checks/errors.ts';
import { oftenProblem, scheduleProblem } from '../../lib/time/schedule-cron.ts';
import type { ValidPart } from '../../lib/checks/valid-part.ts';
import { usersAt } from './recipients.ts';

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
  if (schedule) return [...mixed(period), ...(await scheduleViolations(tx, tenantId, schedule, current, now))];
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

async function scheduleViolations(
  tx: EntityManager,
  tenantId: string,
  { cron, timezone, recipients = [] }: ValidPart<ReportSchedule>,
  current: Report | null,
  now: Date,
): Promise<Violation[]> {
  const zone = timezone === undefined ? [] : periodViolations({ timezone }, now);
  const problem = cron === undefined ? null : cronProblem(cron, zone.length === 0 ? timezone : undefined);
  // A recipient who has left since, or lost the permission, must not prevent other changes.
  const known = new Set(current?.schedule?.recipients);
  const users = await usersAt(tx, tenantId, recipients);
  return [
    ...zone.map((violation) => ({ ...violation, path: '/schedule/timezone' })),
    ...(problem === null ? [] : [{ path: '/schedule/cron', code: 'cron', message: problem }]),
    ...recipients.flatMap((address, index) =>
      known.has(address) ? [] : recipientViolations(users.get(addressKey(address)), `/schedule/recipients/${index}`),
    ),
  ];
}

const cronProblem = (cron: string, timezone = 'UTC'): string | null =>
  scheduleProblem(cron, timezone) ?? oftenProblem(cron);

function recipientViolations(user: { mayRead: boolean } | undefined, path: string): Violation[] {
  if (!user) return [{ path, code: 'not_found', message: 'must be the address of an active user of this account' }];
  return user.mayRead ? [] : [{ path, code: 'forbidden', message: 'must have the permission analytics:read' }];
}
