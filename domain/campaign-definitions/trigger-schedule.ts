import { cronExpressionsOf } from '../../lib/time/schedule-cron.ts';
import type { Trigger } from './triggers.ts';

/** The triggers for which a campaign has a Temporal Schedule. */
export type ScheduledTrigger = Extract<Trigger, { type: 'SCHEDULE' | 'DATE' }>;
export const SCHEDULED_TRIGGERS = ['SCHEDULE', 'DATE'] as const satisfies readonly ScheduledTrigger['type'][];

/** When a Temporal Schedule fires: at the times of each of these cron expressions. */
export interface FiringTimes {
  cronExpressions: string[];
  timezone: string;
}

/** All timezones are multiples of this from UTC. */
const QUARTER = 15;

/**
 * When the campaign's Temporal Schedule fires; null for a trigger that needs none. DATE: every 15 minutes, so that it
 * fires at `time` in every timezone.
 */
export function firingTimes(trigger: Trigger): FiringTimes | null {
  if (trigger.type === 'SCHEDULE') {
    return { cronExpressions: cronExpressionsOf(trigger.cron), timezone: trigger.timezone };
  }
  if (trigger.type === 'DATE') {
    const minute = Number(trigger.time.slice(3)) % QUARTER;
    return { cronExpressions: [`${minute}-59/${QUARTER} * * * *`], timezone: 'UTC' };
  }
  return null;
}
