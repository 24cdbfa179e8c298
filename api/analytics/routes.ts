import { Type, type TProperties } from 'typebox';
import * as dashboard from '../../domain/analytics/dashboard.ts';
import { INTERVALS, readPeriod, type Period } from '../../domain/analytics/period.ts';
import { oldestWaitingEvent } from '../../domain/analytics/read-figures.ts';
import { nextMessage } from '../../events/nats.ts';
import { EVENT_BATCHES } from '../../events/streams.ts';
import type { Deps } from '../../runtime/deps.ts';
import type { EntityManager } from '../../db/orm.ts';
import { Id, nullable, oneOf, strict, Timestamp } from '../route/schemas.ts';
import { route, type RouteSpec } from '../route/route.ts';

const query = strict({
  from: Type.Optional(
    Type.String({ format: 'date-time', description: 'Inclusive; rounded down to the start of its 5-minute window' }),
  ),
  to: Type.Optional(
    Type.String({ format: 'date-time', description: 'Exclusive; rounded up to the end of its 5-minute window' }),
  ),
  interval: Type.Optional(oneOf(INTERVALS, { default: 'day' })),
  timezone: Type.Optional(Type.String({ maxLength: 64, default: 'UTC', examples: ['Europe/Warsaw'] })),
});
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

/** The time limit for each request to JetStream, so that an outage does not delay the response. */
const JETSTREAM_MS = 1_500;

/**
 * The time up to which the analytics consumer has processed all events: `now`, or the publish time of the oldest batch
 * that it may not have acknowledged.
 */
async function foldedUntil({ nats: { connection } }: Deps, now: Date): Promise<Date> {
  const jsm = await connection.jetstreamManager({ checkAPI: false, timeout: JETSTREAM_MS });
  const info = await jsm.consumers.info(EVENT_BATCHES, 'analytics').catch(() => null);
  if (!info || info.num_pending + info.num_ack_pending === 0) return now;
  const oldest = await nextMessage(jsm, EVENT_BATCHES, info.ack_floor.stream_seq + 1).catch(() => null);
  return oldest?.time ?? new Date(info.created);
}

/** The time up to which the figures are complete: events still in the outbox or in the stream are not included. */
async function asOf(deps: Deps, em: EntityManager, now: Date): Promise<Date> {
  const waiting = await oldestWaitingEvent(em);
  const folded = await foldedUntil(deps, now);
  return waiting && waiting < folded ? waiting : folded;
}

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
    query,
    responses: { 200: { schema: strict({ period: PeriodAnswer, ...properties, asOf: Timestamp }) } },
    handler: async ({ deps, em, query: asked }) => {
      const now = new Date();
      const period = readPeriod(asked, now);
      // Read first: events processed between the two reads are in the figures although `asOf` does not cover them,
      // never the reverse.
      const complete = await asOf(deps, em, now);
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
