import { Type, type TProperties } from 'typebox';
import * as dashboard from '../../domain/analytics/dashboard.ts';
import { INTERVALS, readPeriod, type Period } from '../../domain/analytics/period.ts';
import { figuresAsOf } from '../../runtime/figures-as-of.ts';
import type { EntityManager } from '../../db/orm.ts';
import { periodQuery } from './period-query.ts';
import { Id, nullable, oneOf, strict, Timestamp } from '../route/schemas.ts';
import { route, type RouteSpec } from '../route/route.ts';

const count = Type.Integer();
const fraction = Type.Number({ minimum: 0, maximum: 1, description: 'A fraction: 0.25 = 25%' });
const PeriodAnswer = strict({ from: Timestamp, to: Timestamp, interval: oneOf(INTERVALS), timezone: Type.String() });
const delivered = Type.Integer({
  description:
    '`sent` minus `bounces` of the same period, at least 0. An email can bounce in a later period than it was sent in, so the figures of parts of a period need not add up',
});
const emailFigures = {
  sent: count,
  delivered,
  failed: count,
  opens: count,
  clicks: count,
  bounces: count,
  unsubscribes: count,
  openRate: fraction,
  clickRate: fraction,
};
const campaignFigures = { entries: count, completions: count, ...emailFigures };
const series = <T extends TProperties>(figures: T) => Type.Array(strict({ at: Timestamp, ...figures }));

function figures<A extends object>(
  name: string,
  summary: string,
  properties: TProperties,
  read: (em: EntityManager, period: Period) => Promise<A>,
): RouteSpec {
  return route({
    method: 'GET',
    path: `/analytics/${name}`,
    operationId: `get${name[0]!.toUpperCase()}${name.slice(1)}${name === 'dashboard' ? '' : 'Analytics'}`,
    summary,
    access: 'analytics:read',
    query: strict(periodQuery),
    responses: { 200: { schema: strict({ period: PeriodAnswer, ...properties, asOf: Timestamp }) } },
    handler: async ({ deps, em, query: asked }) => {
      const now = new Date();
      const period = readPeriod(asked, now);
      // Read first: events processed between the two reads are in the figures although `asOf` does not cover them,
      // never the reverse.
      const complete = await figuresAsOf(deps, em, now);
      return { body: { period, ...(await read(em, period)), asOf: complete } };
    },
  });
}

export const analyticsRoutes: RouteSpec[] = [
  figures(
    'dashboard',
    'Key figures of a period',
    {
      contacts: strict({ total: count, new: count }),
      emails: strict(emailFigures),
      conversions: strict({ total: count, rate: fraction }),
      campaigns: strict({ active: count, running: count, completed: count }),
      forms: strict({ views: count, submissions: count }),
      series: series({
        contacts: count,
        sent: count,
        opens: count,
        clicks: count,
        unsubscribes: count,
        submissions: count,
      }),
    },
    dashboard.readDashboard,
  ),
  figures(
    'emails',
    'Email figures',
    {
      totals: strict(emailFigures),
      byTemplate: Type.Array(strict({ templateId: nullable(Id), ...emailFigures })),
      series: series(emailFigures),
    },
    dashboard.readEmailAnalytics,
  ),
  figures(
    'contacts',
    'Contact figures',
    {
      totals: strict({ total: count, new: count, unsubscribes: count }),
      byStatus: Type.Array(strict({ status: Type.String(), count })),
      series: series({ new: count, unsubscribes: count }),
    },
    dashboard.readContactAnalytics,
  ),
  figures(
    'campaigns',
    'Campaign figures',
    {
      totals: strict(campaignFigures),
      byCampaign: Type.Array(strict({ campaignId: Id, ...campaignFigures })),
      series: series(campaignFigures),
    },
    dashboard.readCampaignAnalytics,
  ),
  figures(
    'forms',
    'Form figures',
    {
      totals: strict({ views: count, submissions: count, conversionRate: fraction }),
      byForm: Type.Array(strict({ formId: Id, views: count, submissions: count, conversionRate: fraction })),
      series: series({ submissions: count }),
    },
    dashboard.readFormAnalytics,
  ),
];
