import { IsolationLevel } from '@mikro-orm/core';
import type { EntityManager } from '../../../db/orm.ts';
import { ALL_ROWS } from '../../analytics/breakdowns.ts';
import {
  readCampaignAnalytics,
  readContactAnalytics,
  readDashboard,
  readEmailAnalytics,
  readFormAnalytics,
  totalsReaders,
} from '../../analytics/dashboard.ts';
import type { Period } from '../../common/period.ts';
import { buildContent, type ReportSource } from './build-content.ts';
import type { ReportType } from '../../../db/entities/reports.ts';
import type { ReportContent } from './content.ts';
import { LAYOUTS, type FiguresOf } from './layouts.ts';
import { periodBefore } from './period-before.ts';

/** Of a breakdown that is too long, the rows that the report has first. */
const largest = (type: 'campaigns' | 'emails' | 'forms') => ({
  ...ALL_ROWS,
  sort: `-${LAYOUTS[type].breakdown!.orderBy}`,
});

const READERS: { [T in ReportType]: (em: EntityManager, period: Period) => Promise<FiguresOf[T]> } = {
  dashboard: readDashboard,
  campaigns: (em, period) => readCampaignAnalytics(em, period, largest('campaigns')),
  contacts: readContactAnalytics,
  emails: (em, period) => readEmailAnalytics(em, period, largest('emails')),
  forms: (em, period) => readFormAnalytics(em, period, largest('forms')),
};

/** Reads the content of a report: the figures of its period and of the one before, in one snapshot. */
export async function readContent(
  em: EntityManager,
  {
    period,
    ...report
  }: Pick<ReportSource, 'type' | 'title' | 'tenantId' | 'asOf' | 'generatedAt'> & { period: Period },
): Promise<ReportContent> {
  const { type } = report;
  const read: (em: EntityManager, period: Period) => Promise<FiguresOf[ReportType]> = READERS[type];
  const readTotals: (em: EntityManager, period: Period) => Promise<{ period: Period }> = totalsReaders[type];
  return em.transactional(
    async (tx) => {
      const figures = await read(tx, period);
      // As long as what the figures cover. Only its totals are shown, so it needs few points.
      const before = await readTotals(tx, { ...figures.period, ...periodBefore(figures.period), interval: 'month' });
      return buildContent({ ...report, figures, before });
    },
    { isolationLevel: IsolationLevel.REPEATABLE_READ },
  );
}
