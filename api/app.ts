import { randomUUID } from 'node:crypto';
import cors from '@koa/cors';
import etag from '@koa/etag';
import Router from '@koa/router';
import helmet from 'koa-helmet';
import Koa, { type Context, type Next } from 'koa';
import { AppError } from '../domain/errors.ts';
import { authenticate } from '../domain/auth/authenticate.ts';
import type { Deps } from '../config/deps.ts';
import { guard, type RouteSpec } from './guard.ts';
import { conditional } from './middleware/conditional.ts';
import { problems } from './middleware/problem.ts';
import { routes } from './routes.ts';

/** Paths that browsers of any site may read: the public form endpoints set their own CORS headers. */
const OPEN_TO_ANY_ORIGIN = /^\/api\/v1\/forms\/\d+\/(submit|token|fields|script)$/;

function requestId() {
  return async (ctx: Context, next: Next): Promise<void> => {
    const given = ctx.get('x-request-id');
    const id = /^[\w.:/+=-]{1,128}$/.test(given) ? given : randomUUID();
    ctx.state['requestId'] = id;
    ctx.set('X-Request-Id', id);
    await next();
  };
}

/** Preflights of the public form endpoints: any origin may ask; the answer to the request itself says whether it may read. */
async function openPreflight(ctx: Context, next: Next): Promise<void> {
  if (ctx.method !== 'OPTIONS' || !OPEN_TO_ANY_ORIGIN.test(ctx.path) || ctx.get('access-control-request-method') === '') return next();
  ctx.set({ 'Access-Control-Allow-Origin': '*', 'Access-Control-Allow-Methods': 'GET, POST', 'Access-Control-Allow-Headers': 'Content-Type', 'Access-Control-Max-Age': '600' });
  ctx.status = 204;
}

function accessLog(deps: Deps) {
  return async (ctx: Context, next: Next): Promise<void> => {
    const started = process.hrtime.bigint();
    ctx.res.once('close', () => {
      const seconds = Number(process.hrtime.bigint() - started) / 1e9;
      const operation = (ctx.state['operation'] as string | undefined) ?? 'unmatched';
      deps.metrics.httpDuration.observe({ operation, status: String(ctx.status) }, seconds);
      deps.log.info({ requestId: ctx.state['requestId'] as string, method: ctx.method, path: ctx.path, status: ctx.status, ms: Math.round(seconds * 1000), operation }, 'request');
    });
    await next();
  };
}

/** Authentication and permission of one route, before its body is read. */
function admit(spec: RouteSpec, deps: Deps) {
  return async (ctx: Context, next: Next): Promise<void> => {
    ctx.state['operation'] = spec.operationId;
    if (spec.access !== 'public') {
      const principal = await authenticate(deps.orm, deps.env, ctx.get('authorization'));
      if (spec.access === 'user') {
        if (principal.actor.type !== 'user') throw new AppError('forbidden', 'This is for users who are logged in, not for API keys');
      } else if (!principal.permissions.has(spec.access)) {
        throw new AppError('forbidden', `This needs the permission ${spec.access}`);
      }
      ctx.state['principal'] = principal;
    }
    await next();
  };
}

/** Fixed segments before parameters, so that `/contacts/search` is not an id. */
function bySpecificity(a: RouteSpec, b: RouteSpec): number {
  const key = (spec: RouteSpec) => spec.path.replaceAll('{', '~');
  return key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0;
}

/** What no route took: 404, or 405 with the methods that the path has. */
async function refuse(ctx: Context): Promise<void> {
  const { matched = [] } = ctx as { matched?: { methods: string[] }[] };
  if (matched.length === 0) throw new AppError('not_found', `There is nothing at ${ctx.path}`);
  const allow = [...new Set(matched.flatMap((layer) => layer.methods)), 'OPTIONS'].join(', ');
  if (ctx.method !== 'OPTIONS') throw new AppError('method_not_allowed', `${ctx.path} takes ${allow}`, { headers: { Allow: allow } });
  ctx.set('Allow', allow);
  ctx.status = 204;
}

/** The HTTP application over its dependencies; nothing listens yet. */
export function createApp(deps: Deps): Koa {
  const app = new Koa({ proxy: deps.env.TRUST_PROXY > 0, maxIpsCount: deps.env.TRUST_PROXY });
  const origins = deps.env.CORS_ALLOWED_ORIGINS.split(',').map((origin) => origin.trim()).filter(Boolean);
  const router = new Router();
  for (const spec of [...routes].sort(bySpecificity)) {
    const path = (spec.path.startsWith('//') ? spec.path.slice(1) : `/api/v1${spec.path}`).replaceAll(/\{(\w+)\}/g, ':$1');
    router.register(path, [spec.method], [admit(spec, deps) as never, guard(spec, deps) as never]);
  }

  app.use(requestId());
  app.use(accessLog(deps));
  app.use(problems(deps.log));
  app.use(helmet({ contentSecurityPolicy: { directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } }, crossOriginResourcePolicy: { policy: 'cross-origin' } }) as never);
  app.use(openPreflight);
  app.use(cors({
    origin: (ctx: Context) => (origins.includes(ctx.get('origin')) && !OPEN_TO_ANY_ORIGIN.test(ctx.path) ? ctx.get('origin') : ''),
    exposeHeaders: ['ETag', 'Location', 'X-Request-Id', 'Retry-After', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset', 'Idempotency-Replayed'],
    maxAge: 600,
  }) as never);
  app.use(conditional);
  app.use(etag({ weak: true }) as never);
  app.use(router.routes() as never);
  app.use(refuse);
  app.on('error', (error: Error, ctx?: Context) => {
    // Only what happens after the answer has begun ends here: a client that went away, most of the time.
    deps.log.debug({ err: error, requestId: ctx?.state['requestId'] as string }, 'connection ended early');
  });
  return app;
}
