import { isDeepStrictEqual } from 'node:util';
import type { Deps } from '../runtime/deps.ts';
import { makeSchedule, type ScheduleOf } from '../runtime/temporal-schedules.ts';
import { tenantEm } from '../db/orm.ts';
import { CATCH_UP_MS, wantedSchedule, type WantedSchedule } from '../domain/campaigns/enrolment/wanted-schedule.ts';
import type { WorkflowInputs } from '../workflows/registry.ts';

type Campaign = WorkflowInputs['campaignSchedule'];

/** The id of a campaign's Temporal Schedule. */
export const scheduleIdOf = ({ tenantId, campaignId }: Campaign): string =>
  `campaign-schedule/${tenantId}/${campaignId}`;

/**
 * Makes the Temporal Schedule of a campaign what it should be; returns a description of it. Reads the campaign again
 * after each change: of two that run at once, the one that has read an older campaign corrects itself.
 */
export async function keepSchedule(deps: Pick<Deps, 'orm' | 'temporal'>, campaign: Campaign): Promise<string> {
  const em = tenantEm(deps.orm, campaign.tenantId);
  for (let wanted = await wantedSchedule(em, campaign); ;) {
    await makeSchedule(deps.temporal, scheduleIdOf(campaign), wanted && scheduleOf(campaign, wanted));
    const now = await wantedSchedule(em, campaign);
    if (isDeepStrictEqual(now, wanted)) return wanted ? describe(wanted) : 'no schedule';
    wanted = now;
  }
}

function scheduleOf(campaign: Campaign, wanted: WantedSchedule): ScheduleOf<'campaignOccurrence'> {
  const { campaignName, campaignVersion, cronExpressions, timezone, activatedAt } = wanted;
  return {
    type: 'campaignOccurrence',
    input: { ...campaign, campaignName, campaignVersion },
    cronExpressions,
    timezone,
    catchUpMs: CATCH_UP_MS,
    since: activatedAt,
  };
}

const describe = ({ cronExpressions, timezone }: WantedSchedule): string =>
  `fires at ${cronExpressions.join(' and ')}, ${timezone}`;
