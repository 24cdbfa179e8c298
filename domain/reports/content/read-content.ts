import { IsolationLevel } from '@mikro-orm/core';
import type { EntityManager } from '../../../db/orm.ts';
import {
  readCampaignAnalytics,
  readContactAnalytics,
  readDashboard,
  readEmailAnalytics,
  readFormAnalytics,
} from '../../analytics/dashboard.ts';
import type { Period } from '../../analytics/period.ts';
import { buildContent, type ReportSource } from './build-content.ts';
import type { ReportType } from '../../../db/entities/reports.ts';
import type { ReportContent } from './content.ts';
import type { FiguresOf } from './layouts.ts';
import { periodBefore } from './period-before.ts';

const READERS: { [T in ReportType]: (em: EntityManager, period: Period) => Promise<FiguresOf[T]> } = {
  dashboard: readDashboard,
  campaigns: readCampaignAnalytics,
  contacts: readContactAnalytics,
  emails: readEmailAnalytics,
  forms: readFormAnalytics,
};

/** Reads the content of a report: the figures of its period and of the one before, in one snapshot. */
export async function readContent(
  em: EntityManager,
  report: Pick<ReportSource, 'type' | 'title' | 'tenantId' | 'period' | 'asOf' | 'generatedAt'>,
): Promise<ReportContent> {
  const { type, period } = report;
  const read: (em: EntityManager, period: Period) => Promise<object> = READERS[type];
  return em.transactional(
    async (tx) => {
      const figures = await read(tx, period);
      const before = await read(tx, { ...period, ...periodBefore(period) });
      return buildContent({ ...report, figures, before });
    },
    { isolationLevel: IsolationLevel.REPEATABLE_READ },
  );
}
