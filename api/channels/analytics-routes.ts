import { Type } from 'typebox';
import { CHANNELS } from '../../db/entities/channels.ts';
import { readChannelAnalytics } from '../../domain/analytics/channel-figures.ts';
import { readPeriod } from '../../domain/common/period.ts';
import { figuresAsOf } from '../../runtime/figures-freshness.ts';
import { periodOf, periodQuery, series } from '../route/period-schema.ts';
import { route, type RouteSpec } from '../route/route.ts';
import { oneOf, strict, Timestamp } from '../route/schemas.ts';

const count = (description: string) => Type.Integer({ description });
const figures = {
  audience: count('Messages that were queued: queued + sent + failed + suppressed + unknown'),
  queued: count('Not ended: waiting, or being sent'),
  sent: count('Accepted by a provider or a push service, including those that are delivered or undelivered'),
  delivered: count('Of `sent`: reported as delivered; of email: did not bounce'),
  undelivered: count('Of `sent`: reported as not delivered; of email: bounced'),
  failed: count('Refused, or could not be sent'),
  suppressed: count('Not sent, because a gate said no; see `suppressedBy`'),
  unknown: count('It is not known whether they were accepted'),
  clicks: count('Clicks, without automated ones'),
  uniqueClicks: count('Messages that were clicked for the first time'),
  optOuts: count('Decisions to get no more: unsubscribes of email, opt-outs of numbers, opt-outs from pushes'),
  segments: count('Segments of text messages'),
};

export const channelAnalyticsRoutes: RouteSpec[] = [
  route({
    method: 'GET',
    path: '/channels/analytics',
    operationId: 'getChannelAnalytics',
    summary: 'Figures of email, text messages and pushes',
    description:
      'Messages count when they were queued, by what has become of them until now: each is in exactly one of queued, sent, failed, suppressed and unknown, whose sum is `audience`; ' +
      '`delivered` and `undelivered` are parts of `sent`. A push to several devices is one message. Clicks and opt-outs count when they happened. `asOf` tells up to when clicks are complete.',
    access: 'channels:read',
    query: strict({ ...periodQuery, channel: Type.Optional(oneOf(CHANNELS, { description: 'Only this channel' })) }),
    responses: {
      200: {
        schema: strict(
          {
            period: periodOf('The period that the figures cover'),
            channels: Type.Array(
              strict({
                channel: oneOf(CHANNELS),
                ...figures,
                clickRate: Type.Number({
                  minimum: 0,
                  maximum: 1,
                  description: 'uniqueClicks of delivered; 0 if none is',
                }),
              }),
            ),
            suppressedBy: Type.Array(
              strict({ channel: oneOf(CHANNELS), reason: Type.String(), count: Type.Integer() }),
              { description: 'The most frequent first' },
            ),
            series: series(figures),
            asOf: Timestamp,
          },
          { title: 'ChannelAnalytics' },
        ),
      },
    },
    handler: async ({ deps, em, query }) => {
      const time = new Date();
      const { channel, ...asked } = query;
      const period = readPeriod(asked, time);
      // Read first, as by the other figures: what is counted in between is in the figures although `asOf` excludes it.
      const asOf = await figuresAsOf(deps, em, time);
      return { body: { ...(await readChannelAnalytics(em, period, channel)), asOf } };
    },
  }),
];
