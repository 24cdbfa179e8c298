import { isDeepStrictEqual } from 'node:util';
import type { Client } from '@temporalio/client';
import type { Deps } from '../runtime/deps.ts';
import { makeSchedule, type ScheduleOf } from '../runtime/temporal-schedules.ts';
import { tenantEm } from '../db/orm.ts';
import { CATCH_UP_MS, wantedSchedule } from '../domain/campaigns/enrolment/wanted-schedule.ts';
import { wantedReportSchedule } from '../domain/reports/scheduled-runs.ts';
import type { WorkflowInputs, WorkflowType } from '../registry/workflows.ts';

type Part = Pick<Deps, 'orm' | 'temporal'>;
type Campaign = WorkflowInputs['campaignSchedule'];
type Report = WorkflowInputs['reportSchedule'];

/** The id of a campaign's Temporal Schedule. */
export const scheduleIdOf = ({ tenantId, campaignId }: Campaign): string =>
  `campaign-schedule/${tenantId}/${campaignId}`;

/** The id of a report's Temporal Schedule. */
export const reportScheduleIdOf = ({ tenantId, reportId }: Report): string => `report-schedule/${tenantId}/${reportId}`;

/** A Temporal Schedule as it is now. */
export interface KeptSchedule {
  /** Whether it was not as it should be. */
  changed: boolean;
  description: string;
}

/** Makes the Temporal Schedule of a campaign what it should be. */
export const keepSchedule = ({ orm, temporal }: Part, campaign: Campaign): Promise<KeptSchedule> =>
  keepAsWanted(temporal, scheduleIdOf(campaign), async () => {
    const wanted = await wantedSchedule(tenantEm(orm, campaign.tenantId), campaign);
    if (!wanted) return null;
    const { campaignName, campaignVersion, cronExpressions, timezone, activatedAt } = wanted;
    return {
      type: 'campaignOccurrence',
      input: { ...campaign, campaignName, campaignVersion },
      cronExpressions,
      timezone,
      catchUpMs: CATCH_UP_MS,
      since: activatedAt,
    };
  });

/** Makes the Temporal Schedule of a report what it should be. */
export const keepReportSchedule = ({ orm, temporal }: Part, report: Report): Promise<KeptSchedule> =>
  keepAsWanted(temporal, reportScheduleIdOf(report), async () => {
    const wanted = await wantedReportSchedule(tenantEm(orm, report.tenantId), report);
    return wanted && { type: 'reportOccurrence', input: report, ...wanted };
  });

/**
 * Makes a Temporal Schedule what `read` says it should be. Reads again after each change:
 * of two that run at once, the one that has read something older corrects itself.
 */
async function keepAsWanted<Type extends WorkflowType>(
  temporal: Client,
  scheduleId: string,
  read: () => Promise<ScheduleOf<Type> | null>,
): Promise<KeptSchedule> {
  let changed = false;
  for (let wanted = await read(); ;) {
    if (await makeSchedule(temporal, scheduleId, wanted)) changed = true;
    const now = await read();
    if (isDeepStrictEqual(now, wanted)) return { changed, description: wanted ? describe(wanted) : 'no schedule' };
    wanted = now;
  }
}

const describe = ({ cronExpressions, timezone }: ScheduleOf<WorkflowType>): string =>
  `fires at ${cronExpressions.join(' and ')}, ${timezone}`;
