import { IsolationLevel } from '@mikro-orm/core';
import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import {
  readCampaignAnalytics,
  readContactAnalytics,
  readDashboard,
  readEmailAnalytics,
  readFormAnalytics,
} from '../../analytics/dashboard.ts';
import type { Period } from '../../analytics/period.ts';
import { breakdownRows, buildContent, type ReportSource } from './build-content.ts';
import type { ReportType } from '../../../db/entities/reports.ts';
import type { ReportContent } from './content.ts';
import { LAYOUTS, type Breakdown, type FiguresOf, type Layout } from './layouts.ts';
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
  const { type, tenantId, period } = report;
  const read: (em: EntityManager, period: Period) => Promise<object> = READERS[type];
  const { breakdown }: Layout = LAYOUTS[type];
  return em.transactional(
    async (tx) => {
      const figures = await read(tx, period);
      const before = await read(tx, { ...period, ...periodBefore(period) });
      const names = breakdown ? await namesOf(tx, tenantId, breakdown, figures) : new Map<number, string>();
      return buildContent({ ...report, figures, before, names });
    },
    { isolationLevel: IsolationLevel.REPEATABLE_READ },
  );
}

/** Campaigns and email campaigns share one sequence of ids. */
const TABLES: Record<Breakdown['of'], readonly string[]> = {
  template: ['email_templates'],
  campaign: ['campaigns', 'email_campaigns'],
  form: ['forms'],
  status: [],
};

async function namesOf(
  tx: EntityManager,
  tenantId: string,
  breakdown: Breakdown,
  figures: object,
): Promise<Map<number, string>> {
  const names = new Map<number, string>();
  const ids = breakdownRows(figures, breakdown).map((row) => row[breakdown.by]);
  for (const table of TABLES[breakdown.of]) {
    const found = await rows<{ id: number; name: string }>(
      tx,
      sql`
      select id, name from ${sql.table(table)}
      where tenant_id = ${tenantId} and id = any(${ids.filter((id) => id !== null)}::bigint[])`,
    );
    for (const { id, name } of found) names.set(id, name);
  }
  return names;
}
