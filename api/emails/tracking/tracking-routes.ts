import type { Context } from 'koa';
import { readTracking } from '../../../domain/emails/history/read-tracking.ts';
import { AppError } from '../../../domain/common/errors.ts';
import { IdParams } from '../../route/schemas.ts';
import { hitPublisher } from './hit-publisher.ts';
import { clickNotStored, hitOf, noStore } from './hits.ts';
import { presentTracking } from '../ledger/presenter.ts';
import * as schema from '../ledger/schema.ts';
import { route, type Reply, type RouteSpec } from '../../route/route.ts';

/** 1 by 1, transparent. */
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNgYAAAAAMAASsJTYQAAAAASUVORK5CYII=',
  'base64',
);

const hitIn = (ctx: Context, type: 'OPEN' | 'CLICK', emailId: number, url: string | null) =>
  hitOf({ type, emailId, url, address: ctx.ip, userAgent: ctx.get('user-agent'), method: ctx.method });

function pixel(ctx: Context): Reply {
  // It is never "not modified": an open that is answered from a cache is not seen.
  delete ctx.req.headers['if-none-match'];
  delete ctx.req.headers['if-modified-since'];
  return { body: PIXEL, headers: { ...noStore, 'Content-Type': 'image/png' } };
}

export const trackingRoutes: RouteSpec[] = [
  route({
    method: 'GET',
    path: '/emails/tracking/open/{trackingId}',
    operationId: 'trackOpen',
    summary: 'The picture that tells of an open',
    access: 'public',
    description: 'Always the picture; recorded if the id is one of ours.',
    params: schema.TrackingParams,
    openQuery: true,
    responses: { 200: { contentType: 'image/png', description: 'A transparent pixel' } },
    handler: async ({ ctx, deps, params }) => {
      const emailId = deps.links.verifyOpen(params.trackingId);
      if (emailId !== null) await hitPublisher(deps.nats, deps.log).publish(hitIn(ctx, 'OPEN', emailId, null));
      return pixel(ctx);
    },
  }),
  route({
    method: 'GET',
    path: '/emails/tracking/click/{trackingId}',
    operationId: 'trackClick',
    summary: 'Follow a link of an email',
    access: 'public',
    description: 'Redirects only to a link that was in that very email.',
    params: schema.TrackingParams,
    query: schema.ClickQuery,
    openQuery: true,
    responses: { 302: { description: 'To the link' } },
    errors: ['invalid_link', 'unavailable'],
    handler: async ({ ctx, deps, params, query: { url } }) => {
      const emailId = deps.links.verifyClick(params.trackingId, url);
      if (emailId === null) throw new AppError('invalid_link', undefined, { headers: noStore });
      if (!(await hitPublisher(deps.nats, deps.log).publish(hitIn(ctx, 'CLICK', emailId, url)))) {
        throw clickNotStored();
      }
      return { headers: { ...noStore, Location: url } };
    },
  }),
  route({
    method: 'GET',
    path: '/emails/tracking/{id}',
    operationId: 'getTracking',
    summary: 'Opens and clicks of an email',
    access: 'emails:read',
    description: 'Automated hits are among the events and kept out of the figures.',
    params: IdParams,
    responses: { 200: { schema: schema.Tracking } },
    errors: ['not_found'],
    handler: async ({ em, params }) => ({ body: presentTracking(await readTracking(em, params.id)) }),
  }),
];
