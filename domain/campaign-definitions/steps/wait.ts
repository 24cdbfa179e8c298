import { Type } from 'typebox';
import { parseDateTime } from '../../../lib/time/instants.ts';
import { TimeSchema, WEEKDAYS, WeekdaySchema, nextLocalTime, weekdayNumber } from '../../../lib/time/local-time.ts';
import { duration } from '../duration.ts';
import { MAX_MINUTES } from '../schemas.ts';
import { stepKind } from './kind.ts';

const MINUTE_MS = 60_000;
// Durations are stored as 64-bit nanoseconds, which a timer of some centuries would overflow.
const LAST_YEAR = 2199;
const FORMS = ['waitMinutes', 'until', 'untilLocalTime'] as const;

/**
 * Waits for one of: `waitMinutes` from arrival; `until` a point in time (no wait if it is past); `untilLocalTime`, the
 * next such time in the contact's timezone, always later than the arrival.
 */
export const wait = stepKind({
  config: Type.Object(
    {
      waitMinutes: Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_MINUTES })),
      until: Type.Optional(Type.String()),
      untilLocalTime: Type.Optional(
        Type.Object({ weekday: Type.Optional(WeekdaySchema), time: TimeSchema }, { additionalProperties: false }),
      ),
    },
    { additionalProperties: false },
  ),
  about:
    '`WAIT {waitMinutes}` (0 to 5,256,000), `{until}` (a date-time; if past, no wait) or ' +
    "`{untilLocalTime: {weekday?, time}}` (HH:MM in the contact's timezone, UTC if it has none; " +
    '`weekday` is `monday` to `sunday`)',
  summary: ({ waitMinutes, until, untilLocalTime: local }) => {
    if (local) {
      const weekday = local.weekday === undefined ? undefined : weekdayNumber(local.weekday);
      return `wait until ${weekday === undefined ? '' : `${WEEKDAYS[weekday - 1]} `}${local.time} local time`;
    }
    return until === undefined ? `wait ${duration(waitMinutes ?? 0)}` : `wait until ${until}`;
  },
  // The wait itself was scheduled on arrival, by `due`.
  plan: () => ({ effect: 'none' }),
  due: ({ waitMinutes, until, untilLocalTime: local }, _entry, { now, timezone }) => {
    if (local) return nextLocalTime(local, now, timezone);
    return until === undefined ? new Date(now.getTime() + (waitMinutes ?? 0) * MINUTE_MS) : parseDateTime(until)!;
  },
  // `until` takes time only once: it is past in every later passage of a loop.
  takesTime: ({ waitMinutes, untilLocalTime }) => untilLocalTime !== undefined || (waitMinutes ?? 0) > 0,
  check: (config) => {
    if (FORMS.filter((form) => config[form] !== undefined).length !== 1) {
      return [{ path: '', code: 'invalid', message: `must have exactly one of ${FORMS.join(', ')}` }];
    }
    const { until, untilLocalTime: local } = config;
    if (until !== undefined && !((parseDateTime(until)?.getUTCFullYear() ?? Infinity) <= LAST_YEAR)) {
      const message = `until must be an RFC 3339 date-time with its offset, up to the year ${LAST_YEAR}`;
      return [{ path: '/until', code: 'format', message }];
    }
    if (local?.weekday !== undefined && weekdayNumber(local.weekday) === undefined) {
      const message = `untilLocalTime.weekday must be one of ${WEEKDAYS.join(', ')}, or 1 to 7`;
      return [{ path: '/untilLocalTime/weekday', code: 'enum', message }];
    }
    return [];
  },
});
