import { randomUUID } from 'node:crypto';
import type { Context } from 'koa';
import type { Hit } from '../../domain/emails/record-hits.ts';
import { isAutomatedAgent } from '../../domain/emails/tracking-agents.ts';
import { readTracking } from '../../domain/emails/read-tracking.ts';
import { AppError } from '../../domain/errors.ts';
import { route, type Reply, type RouteSpec } from '../guard.ts';
import { IdParams } from '../schemas.ts';
import { hitPublisher } from './hit-publisher.ts';
import { presentTracking } from './presenter.ts';
import * as schema from './schema.ts';

/** 1 by 1, transparent. */
const PIXEL = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNgYAAAAAMAASsJTYQAAAAASUVORK5CYII=', 'base64');
const MAX_AGENT = 500;
const noStore = { 'Cache-Control': 'no-store, private', 'X-Robots-Tag': 'noindex' };

function hitOf(ctx: Context, type: Hit['type'], emailId: number, url: string | null): Hit {
  const userAgent = ctx.get('user-agent').slice(0, MAX_AGENT) || null;
  return {
    id: randomUUID(), type, emailId, at: new Date().toISOString(), url, ip: ctx.ip || null, userAgent,
    automated: ctx.method === 'HEAD' || isAutomatedAgent(userAgent),
  };
}

function pixel(ctx: Context): Reply {
  // It is never "not modified": an open that is answered from a cache is not seen.
  delete ctx.req.headers['if-none-match'];
  delete ctx.req.headers['if-modified-since'];
  return { body: PIXEL, headers: { ...noStore, 'Content-Type': 'image/png' } };
}

export const trackingRoutes: RouteSpec[] = [
  route({
    method: 'GET', path: '/emails/tracking/open/{trackingId}', operationId: 'trackOpen', summary: 'The picture that tells of an open', access: 'public',
    description: 'Always the picture; recorded if the id is one of ours.', params: schema.TrackingParams, openQuery: true,
    responses: { 200: { contentType: 'image/png', description: 'A transparent pixel' } },
    handler: async ({ ctx, deps, params }) => {
      const emailId = deps.links.verifyOpen(params.trackingId);
      if (emailId !== null) await hitPublisher(deps.nats, deps.log).publish(hitOf(ctx, 'OPEN', emailId, null));
      return pixel(ctx);
    },
  }),
  route({
    method: 'GET', path: '/emails/tracking/click/{trackingId}', operationId: 'trackClick', summary: 'Follow a link of an email', access: 'public',
    description: 'Redirects only to a link that was in that very email.', params: schema.TrackingParams, query: schema.ClickQuery, openQuery: true,
    responses: { 302: { description: 'To the link' } }, errors: ['invalid_link', 'unavailable'],
    handler: async ({ ctx, deps, params, query: { url } }) => {
      const emailId = deps.links.verifyClick(params.trackingId, url);
      if (emailId === null) throw new AppError('invalid_link', undefined, { headers: noStore });
      if (!(await hitPublisher(deps.nats, deps.log).publish(hitOf(ctx, 'CLICK', emailId, url)))) {
        throw new AppError('unavailable', 'The click could not be recorded in time; try again', { headers: { ...noStore, 'Retry-After': '1' } });
      }
      return { headers: { ...noStore, Location: url } };
    },
  }),
  route({
    method: 'GET', path: '/emails/tracking/{id}', operationId: 'getTracking', summary: 'Opens and clicks of an email', access: 'emails:read',
    description: 'Automated hits are among the events and kept out of the figures.', params: IdParams,
    responses: { 200: { schema: schema.Tracking } }, errors: ['not_found'],
    handler: async ({ em, params }) => ({ body: presentTracking(await readTracking(em, params.id)) }),
  }),
];
