import { keepReportSchedule, keepSchedule, type KeptSchedule } from '../../activities/keep-schedule.ts';
import { engineEm, type EntityManager } from '../../db/orm.ts';
import {
  nextScheduledCampaigns,
  nextScheduledReports,
  type ScheduledRow,
} from '../../domain/reconciliation/scheduled-rows.ts';
import type { Findings } from '../../domain/reconciliation/comparison.ts';
import type { Deps } from '../../runtime/deps.ts';
import type { Found } from './found.ts';

const PAGE = 200;

interface ScheduledKind {
  type: 'campaignSchedule' | 'reportSchedule';
  /** The ids of its schedules are `{prefix}/{tenant}/{id}`. */
  prefix: string;
  next: (em: EntityManager, page: { after: number; before: Date; limit: number }) => Promise<ScheduledRow[]>;
  keep: (deps: Deps, row: { tenantId: string; id: number }) => Promise<KeptSchedule>;
}

const KINDS: readonly ScheduledKind[] = [
  {
    type: 'campaignSchedule',
    prefix: 'campaign-schedule',
    next: nextScheduledCampaigns,
    keep: (deps, { tenantId, id }) => keepSchedule(deps, { tenantId, campaignId: id }),
  },
  {
    type: 'reportSchedule',
    prefix: 'report-schedule',
    next: nextScheduledReports,
    keep: (deps, { tenantId, id }) => keepReportSchedule(deps, { tenantId, reportId: id }),
  },
];

/**
 * Makes the Temporal Schedules of campaigns and reports agree with their rows: those that are missing or wrong are made,
 * those of no row deleted. Rows that have just changed are left to the workflows that follow them.
 */
export async function compareSchedules(deps: Deps, before: Date, found: Found): Promise<null> {
  const listed = new Set<string>();
  for await (const { scheduleId } of deps.temporal.schedule.list({ pageSize: PAGE })) listed.add(scheduleId);
  for (const kind of KINDS) {
    const keep = (row: { tenantId: string; id: number }, done: keyof Findings): Promise<boolean> =>
      found.attempt(kind.type, `${kind.prefix}/${row.tenantId}/${row.id}`, async () =>
        (await kind.keep(deps, row)).changed ? done : null,
      );
    for (let after = 0; ;) {
      const page = await kind.next(engineEm(deps.orm), { after, before, limit: PAGE });
      for (const row of page) {
        listed.delete(`${kind.prefix}/${row.tenantId}/${row.id}`);
        if (row.isSettled) await keep(row, 'started');
      }
      if (page.length < PAGE) break;
      after = page.at(-1)!.id;
      await found.breathe();
    }
    const parsed = new RegExp(`^${kind.prefix}/(.+)/(\\d+)$`);
    for (const [, tenantId, id] of [...listed].flatMap((one) => [parsed.exec(one)].filter((match) => match !== null)))
      await keep({ tenantId: tenantId!, id: Number(id) }, 'ended');
  }
  return null;
}
