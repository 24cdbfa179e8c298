import type { ReportType } from '../../../db/entities/reports.ts';
import type { Period } from '../../../domain/common/period.ts';
import { periodBefore } from '../../../domain/reports/content/period-before.ts';
import { buildContent } from '../../../domain/reports/content/build-content.ts';
import type { ReportContent } from '../../../domain/reports/content/content.ts';
import type { FiguresOf } from '../../../domain/reports/content/layouts.ts';

export const MAY: Period = {
  from: new Date('2027-04-30T22:00:00Z'),
  to: new Date('2027-05-31T22:00:00Z'),
  interval: 'day',
  timezone: 'Europe/Warsaw',
};
const DAY_MS = 86_400_000;

/** Email figures, `n` of each, half as many clicks. */
export const emails = (n: number) => ({
  sent: n,
  delivered: n,
  failed: 0,
  opens: n,
  uniqueOpens: n,
  clicks: n / 2,
  uniqueClicks: n / 2,
  automatedOpens: 0,
  automatedClicks: 0,
  bounces: 0,
  unsubscribes: 0,
  openRate: n > 0 ? 0.5 : 0,
  clickRate: n > 0 ? 0.1234 : 0,
});

/** The same with figures of people. */
const emailTotals = (n: number) => ({ ...emails(n), contactsOpened: n, contactsClicked: n / 2 });

const NO_CONVERSIONS = { total: 0, contacts: 0, rate: 0 };

/** Figures as a report of this type reads them. */
export type Figures<T extends ReportType> = Omit<FiguresOf[T], 'period' | 'page'> & { page?: { hasMore: boolean } };

/** Figures of campaigns over `points` intervals; those with an id in `names` are called so. */
export const campaigns = (
  parts: number,
  points: number,
  { stepMs = DAY_MS, names = new Map<number, string>() } = {},
): Figures<'campaigns'> => ({
  totals: { entries: 20, completions: 5, ...emailTotals(1000), conversions: NO_CONVERSIONS },
  byCampaign: Array.from({ length: parts }, (_, index) => ({
    campaignId: index + 1,
    name: names.get(index + 1) ?? `Campaign ${index + 1}`,
    entries: 1,
    completions: 0,
    ...emailTotals(2 * index),
    conversions: NO_CONVERSIONS,
  })),
  series: Array.from({ length: points }, (_, index) => ({
    at: new Date(MAY.from.getTime() + index * stepMs),
    entries: 1,
    completions: 0,
    ...emails(index % 10),
  })),
});

interface More<T extends ReportType> {
  period?: Period;
  before?: Figures<T>;
  title?: string;
}

/** The content of a report on May 2027 in Warsaw. */
export const contentOf = <T extends ReportType>(
  type: T,
  figures: Figures<T>,
  { period = MAY, before = figures, ...more }: More<T> = {},
): ReportContent =>
  buildContent({
    type,
    title: null,
    tenantId: 'mill',
    generatedAt: new Date('2027-06-01T06:00:03Z'),
    asOf: new Date('2027-06-01T06:00:01Z'),
    figures: { ...figures, period },
    before: { ...before, period: { ...period, ...periodBefore(period) } },
    ...more,
  });
