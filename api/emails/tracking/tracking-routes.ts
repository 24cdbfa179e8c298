import type { Context } from 'koa';
import type { NamedEmail } from '../../../domain/addresses/tokens.ts';
import { readTracking } from '../../../domain/emails/history/read-tracking.ts';
import { AppError } from '../../../lib/checks/errors.ts';
import { recipientErrorPage } from '../pages/pages.ts';
import { withoutPunctuation } from '../../route/without-punctuation.ts';
import { IdParams } from '../../route/schemas.ts';
import { hitPublisher } from '../../tracking/hit-publisher.ts';
import { clickNotStored, emailHit, noStore } from '../../tracking/hits.ts';
import { presentTracking } from '../ledger/presenter.ts';
import * as schema from '../ledger/schema.ts';
import { route, type Reply, type RouteSpec } from '../../route/route.ts';

/** 1 by 1 pixel, transparent. */
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNgYAAAAAMAASsJTYQAAAAASUVORK5CYII=',
  'base64',
);

const hitIn = (ctx: Context, type: 'OPEN' | 'CLICK', named: NamedEmail, url: string | null) =>
  emailHit({ type, url }, named, { address: ctx.ip, method: ctx.method, headers: ctx.headers });

function pixel(ctx: Context): Reply {
  // Never answer 304: an open served from a cache would not be counted.
  delete ctx.req.headers['if-none-match'];
  delete ctx.req.headers['if-modified-since'];
  return { body: PIXEL, headers: { ...noStore, 'Content-Type': 'image/png' } };
}

export const trackingRoutes: RouteSpec[] = [
  route({
    method: 'GET',
    path: '/emails/tracking/open/{trackingId}',
    operationId: 'trackOpen',
    summary: 'Tracking pixel that records an open',
    access: 'public',
    description: 'Always returns the pixel; the open is recorded only if the id is known.',
    params: schema.TrackingParams,
    openQuery: true,
    responses: { 200: { contentType: 'image/png', description: 'A transparent pixel' } },
    handler: async ({ ctx, deps, params }) => {
      const named = deps.links.verifyOpen(params.trackingId);
      if (named) await hitPublisher(deps.nats, deps.log).publish(hitIn(ctx, 'OPEN', named, null));
      return pixel(ctx);
    },
  }),
  route({
    method: 'GET',
    path: '/emails/tracking/click/{trackingId}',
    operationId: 'trackClick',
    summary: 'Record a click and redirect to the link',
    access: 'public',
    description: 'Redirects only to links that the email contains.',
    params: schema.TrackingParams,
    query: schema.ClickQuery,
    openQuery: true,
    responses: { 302: { description: 'Redirect to the link' } },
    errors: ['invalid_link', 'unavailable'],
    errorPage: recipientErrorPage,
    handler: async ({ ctx, deps, params, query: { url } }) => {
      // What a program took into the link with its end is no part of it.
      for (const target of new Set([url, withoutPunctuation(url)])) {
        const named = deps.links.verifyClick(params.trackingId, target);
        if (!named) continue;
        if (!(await hitPublisher(deps.nats, deps.log).publish(hitIn(ctx, 'CLICK', named, target)))) {
          throw clickNotStored();
        }
        return { headers: { ...noStore, Location: target } };
      }
      throw new AppError('invalid_link', undefined, { headers: noStore });
    },
  }),
  route({
    method: 'GET',
    path: '/emails/tracking/{id}',
    operationId: 'getTracking',
    summary: 'Get the opens and clicks of an email',
    access: 'emails:read',
    description: 'Automated hits are included in `events` but not in the counts.',
    params: IdParams,
    responses: { 200: { schema: schema.Tracking } },
    errors: ['not_found'],
    handler: async ({ em, params }) => ({ body: presentTracking(await readTracking(em, params.id)) }),
  }),
];
