import { Type, type Static, type TObject, type TProperties } from 'typebox';
import { BREAKDOWNS } from '../../domain/analytics/breakdowns.ts';
import * as dashboard from '../../domain/analytics/dashboard.ts';
import { readPeriod, type Period } from '../../domain/common/period.ts';
import type { Violation } from '../../lib/checks/errors.ts';
import type { EntityManager } from '../../db/orm.ts';
import { figuresAsOf } from '../../runtime/figures-freshness.ts';
import { periodQuery, series } from '../route/period-schema.ts';
import { route, type RouteSpec } from '../route/route.ts';
import { Id, nullable, oneOf, strict, Timestamp } from '../route/schemas.ts';
import * as schemas from './schemas.ts';

const { count, name, now } = schemas;

function figures<Q extends TProperties, A extends object>(
  area: string,
  summary: string,
  description: string,
  filters: Q,
  properties: TProperties,
  read: (em: EntityManager, period: Period, query: Static<TObject<Q>>) => Promise<A>,
  violationsOf: (query: Static<TObject<Q>>) => Violation[] = () => [],
): RouteSpec {
  return route({
    method: 'GET',
    path: `/analytics/${area}`,
    operationId: `get${area[0]!.toUpperCase()}${area.slice(1)}${area === 'dashboard' ? '' : 'Analytics'}`,
    summary,
    description: `${description} All figures are of one moment; \`asOf\` tells up to when the events that they count are complete.`,
    access: 'analytics:read',
    query: strict({ ...periodQuery, ...filters }),
    responses: { 200: { schema: strict({ period: schemas.Period, ...properties, asOf: Timestamp }) } },
    handler: async ({ deps, em, query }) => {
      const time = new Date();
      const filter = query as Static<TObject<Q>>;
      const period = readPeriod(query, time, violationsOf(filter));
      // Read first: events processed between the two reads are in the figures although `asOf` does not cover them,
      // never the reverse.
      const asOf = await figuresAsOf(deps, em, time);
      return { body: { ...(await read(em, period, filter)), asOf } };
    },
  });
}

const newContacts = count('Contacts that were created, also those that were deleted since');
const { sent, opens, clicks, bounces, unsubscribes } = schemas.emailFigures;
const { views, submissions } = schemas.formFigures;

const DIMENSIONS = ['template', 'link'] as const;

/** The violation of sorting by a figure that the breakdown does not have. */
function sortViolations(by: (typeof DIMENSIONS)[number], sort: string | undefined): Violation[] {
  const figures = [...Object.keys(BREAKDOWNS[by].sortable), 'id'];
  if (sort === undefined || figures.includes(sort.replace('-', ''))) return [];
  const message = `must be one of ${figures.join(', ')}, with or without - in front, if by is ${by}`;
  return [{ path: '/sort', code: 'enum', message }];
}

export const analyticsRoutes: RouteSpec[] = [
  figures(
    'dashboard',
    'Key figures of a period',
    'What happened in the period, and what there is now: contacts, active campaigns, contacts in them.',
    {},
    {
      contacts: strict({ total: now('Contacts'), new: newContacts }),
      emails: strict(schemas.emailTotals),
      conversions: strict(schemas.conversionFigures),
      campaigns: strict({
        active: now('Campaigns that are ACTIVE'),
        running: now('Executions that are RUNNING, one for each contact in a campaign,'),
        completed: count('Executions that reached the end: a contact that completes two campaigns counts twice'),
      }),
      forms: strict({ views, submissions }),
      series: series({
        contacts: newContacts,
        sent,
        opens,
        clicks,
        bounces,
        unsubscribes,
        views,
        submissions,
        conversions: schemas.conversionFigures.total,
      }),
    },
    dashboard.readDashboard,
  ),
  figures(
    'emails',
    'Email figures',
    'All emails, also those of campaigns: in all, over time, and for each template (or link), a page at a time.',
    {
      by: Type.Optional(
        oneOf(DIMENSIONS, { default: 'template', description: 'Which breakdown to return, `byTemplate` or `byLink`' }),
      ),
      ...schemas.breakdownQuery(...DIMENSIONS),
    },
    {
      totals: strict(schemas.emailTotals),
      byTemplate: Type.Optional(
        Type.Array(strict({ templateId: nullable(Id), name, ...schemas.emailTotals }), {
          description: 'The row with `templateId` null is what belongs to no template',
        }),
      ),
      byLink: Type.Optional(
        Type.Array(
          strict({
            linkId: Id,
            url: nullable(Type.String({ description: 'Null if it was erased, because it named a person' })),
            ...schemas.linkFigures,
          }),
        ),
      ),
      page: schemas.BreakdownPage,
      series: series(schemas.emailFigures),
    },
    async (em, period, { by, ...page }) =>
      by === 'link' ? dashboard.readLinkAnalytics(em, period, page) : dashboard.readEmailAnalytics(em, period, page),
    ({ by = 'template', sort }) => sortViolations(by, sort),
  ),
  figures(
    'contacts',
    'Contact figures',
    'What contacts there are now, and how many were created and unsubscribed in the period.',
    {},
    {
      totals: strict({ total: now('Contacts'), new: newContacts, unsubscribes }),
      byStatus: Type.Array(strict({ status: Type.String(), count: now('Contacts with this status') }), {
        description: 'Now, whatever the period is',
      }),
      series: series({ new: newContacts, unsubscribes }),
    },
    dashboard.readContactAnalytics,
  ),
  figures(
    'campaigns',
    'Campaign figures',
    'What belongs to campaigns and email campaigns: in all, over time, and for each, a page at a time.',
    schemas.breakdownQuery('campaign'),
    {
      totals: strict(schemas.campaignTotals),
      byCampaign: Type.Array(strict({ campaignId: Id, name, ...schemas.campaignTotals })),
      page: schemas.BreakdownPage,
      series: series(schemas.campaignFigures),
    },
    dashboard.readCampaignAnalytics,
  ),
  figures(
    'forms',
    'Form figures',
    'Views and submissions of forms: in all, over time, and for each, a page at a time.',
    schemas.breakdownQuery('form'),
    {
      totals: strict(schemas.formTotals),
      byForm: Type.Array(strict({ formId: Id, name, ...schemas.formTotals })),
      page: schemas.BreakdownPage,
      series: series(schemas.formFigures),
    },
    dashboard.readFormAnalytics,
  ),
];
