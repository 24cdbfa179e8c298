import type { Violation } from '../../lib/checks/errors.ts';
import type { Step } from './step-kinds.ts';

const DAY = 1440;

/** The minutes between the emails of the prebuilt types, one wait fewer than emails. */
const PREBUILT_WAITS = {
  /** Close together while the interest is fresh: on days 0, 2 and 5. */
  WELCOME_SERIES: [2 * DAY, 3 * DAY],
  /** One email per week: five emails over four weeks. */
  NURTURE: [7 * DAY, 7 * DAY, 7 * DAY, 7 * DAY],
  /** One week to react before the second and last email. */
  RE_ENGAGEMENT: [7 * DAY],
} as const satisfies Record<string, readonly number[]>;

export type PrebuiltType = keyof typeof PREBUILT_WAITS;

/**
 * The steps of a prebuilt campaign: `email-1`, `wait-1`, `email-2`, … with the templates in the given order. A wrong
 * number of templates (3, 5 and 2 are needed) is a violation at `/templateIds`, and no steps are returned. Whether the
 * templates exist is checked by `validateDefinition`.
 */
export function prebuiltSteps(
  type: PrebuiltType,
  templateIds: readonly number[],
): { steps: Step[]; violations: Violation[] } {
  const waits: readonly number[] = PREBUILT_WAITS[type];
  const needed = waits.length + 1;
  if (templateIds.length !== needed) {
    const message = `a ${type} campaign needs ${needed} templates, not ${templateIds.length}`;
    const code = templateIds.length < needed ? 'too_few' : 'too_many';
    return { steps: [], violations: [{ path: '/templateIds', code, message }] };
  }
  const steps = templateIds.flatMap((templateId, index): Step[] => {
    const email: Step = { id: `email-${index + 1}`, type: 'EMAIL', config: { templateId } };
    const waitMinutes = waits[index];
    if (waitMinutes === undefined) return [email];
    return [email, { id: `wait-${index + 1}`, type: 'WAIT', config: { waitMinutes } }];
  });
  return { steps, violations: [] };
}
