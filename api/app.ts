import type { IncomingMessage, ServerResponse } from 'node:http';
import cors from '@koa/cors';
import etag from '@koa/etag';
import Router from '@koa/router';
import Koa, { type Context, type Next } from 'koa';
import { AppError } from '../lib/checks/errors.ts';
import type { Principal } from '../domain/audit/principal.ts';
import type { Deps } from '../runtime/deps.ts';
import { createAdmission, createWideLimit } from './guard/admission.ts';
import { missingPage } from './emails/pages/pages.ts';
import { imprintOf } from './pages/imprint.ts';
import { withoutPunctuation } from './route/without-punctuation.ts';
import { createFollowClick } from './tracking/follow-click.ts';
import { createSiteOrigins } from './channels/site-origins.ts';
import { guard } from './guard/guard.ts';
import { accessLog, createLogAnswer, requestIdOf, type LogAnswer } from './middleware/access-log.ts';
import { clientAddress } from './middleware/address.ts';
import { conditional } from './middleware/conditional.ts';
import { earlyAnswers } from './middleware/early-answer.ts';
import { readQueries } from './middleware/fields.ts';
import { problems } from './middleware/problem.ts';
import { securityHeaders, unstored } from './middleware/security-headers.ts';
import { traced } from './middleware/traced.ts';
import { routes } from './routes.ts';
import type { Access, RouteSpec } from './route/route.ts';

/** Paths that browsers may use from any site: the public form endpoints set their own CORS headers. */
const OPEN_TO_ANY_ORIGIN =
  /^\/api\/v1\/(forms\/(\d+\/(submit|token|fields|script|captcha|abandon)|assets\/[^/]+)|scoring\/visits(\/script\.js)?)$/;

async function requestId(ctx: Context, next: Next): Promise<void> {
  const id = requestIdOf(ctx.req);
  ctx.state['requestId'] = id;
  ctx.set('X-Request-Id', id);
  await next();
}

/**
 * Answers CORS preflights of the endpoints for pages of any site; the response to the actual request decides
 * whether it may be read.
 */
async function openPreflight(ctx: Context, next: Next): Promise<void> {
  if (
    ctx.method !== 'OPTIONS' ||
    !OPEN_TO_ANY_ORIGIN.test(ctx.path) ||
    ctx.get('access-control-request-method') === ''
  ) {
    await next();
    return;
  }
  ctx.set({
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Allow-Methods': 'GET, POST',
    'Access-Control-Allow-Headers': 'Content-Type',
    'Access-Control-Max-Age': '600',
  });
  ctx.status = 204;
}

/**
 * Lets any page read the answers of the endpoints for pages of any site. For forms, their own origins apply as soon as
 * the form is known.
 */
async function openErrors(ctx: Context, next: Next): Promise<void> {
  if (ctx.get('origin') !== '' && OPEN_TO_ANY_ORIGIN.test(ctx.path)) {
    ctx.set('Access-Control-Allow-Origin', '*');
    ctx.vary('Origin');
  }
  await next();
}

/** The link to a recipient's page that was cut before its token, which looks like the path of an email. */
const CUT_LINK = /^\/api\/v1\/emails\/(unsubscribe|preferences|confirm|confirm-sender|view|tracking\/click)\/?$/;

const tooMany = (retrySeconds: number): AppError =>
  new AppError('too_many_requests', 'Too many requests; retry after the Retry-After time', {
    headers: { 'Retry-After': String(Math.max(1, retrySeconds)) },
  });

/** The path pattern of a route, with its parameters in braces. */
const pathOf = ({ path }: RouteSpec): string => (path.startsWith('//') ? path.slice(1) : `/api/v1${path}`);

/** The methods of each path without parameters. */
function fixedPaths(specs: readonly RouteSpec[]): Map<string, string[]> {
  const fixed = specs.filter((spec) => !spec.path.includes('{'));
  return new Map(
    [...Map.groupBy(fixed, pathOf)].map(([path, same]) => [
      path,
      same.flatMap(({ method }) => (method === 'GET' ? ['HEAD', 'GET'] : [method])),
    ]),
  );
}

const fixed = fixedPaths(routes);

/** The fixed segments of our paths. */
const words = new Set(routes.flatMap((spec) => pathOf(spec).split('/')).filter((part) => !part.startsWith('{')));
const isId = (part: string): boolean => /^\d{1,16}$/.test(part);
const MAX_PARTS = 12;

/** A path for logs, with only known segments and ids: anything else comes from the client and may be personal data. */
const safePath = (path: string): string =>
  path
    .split('/', MAX_PARTS)
    .map((part) => (words.has(part) || isId(part) ? part : '…'))
    .join('/');

/**
 * A route's path for logs, with its ids filled in. Other parameters are not, because a token in a log could be used by
 * others.
 */
const safePathOf = (spec: RouteSpec, params: Record<string, string>): string =>
  pathOf(spec).replaceAll(/\{(\w+)\}/g, (name, param: string) => (isId(params[param]!) ? params[param]! : name));

async function pathForLogs(ctx: Context, next: Next): Promise<void> {
  ctx.state['loggedPath'] = safePath(ctx.path);
  await next();
}

function methodNotAllowed(path: string, methods: readonly string[]): AppError {
  const allow = [...new Set(methods), 'OPTIONS'].join(', ');
  return new AppError('method_not_allowed', `${path} allows only ${allow}`, { headers: { Allow: allow } });
}

/** What the application and the fast path for clicks (`createFollowClick`) share. */
interface Edge {
  deps: Deps;
  mayPass: (address: string) => boolean;
  headers: Record<string, string>;
  logAnswer: LogAnswer;
}

/** Rate limiting, authentication and authorisation of each route, before its body is read. */
function createAccessCheck({ deps, mayPass }: Edge) {
  const admission = createAdmission(deps);
  return (spec: RouteSpec) =>
    async (ctx: Context, next: Next): Promise<void> => {
      ctx.state['operation'] = spec.operationId;
      ctx.state['errorPage'] = spec.errorPage;
      ctx.state['loggedPath'] = safePathOf(spec, ctx['params'] as Record<string, string>);
      // `/contacts/search` is not a contact id, whatever the method.
      const own = spec.path.includes('{') ? fixed.get(ctx.path) : undefined;
      if (own) throw methodNotAllowed(ctx.path, own);
      if (ctx.method === 'GET' && CUT_LINK.test(ctx.path) && ctx.get('authorization') === '') {
        ctx.state['errorPage'] = missingPage;
        throw new AppError('not_found', 'The link lacks its end');
      }
      const needed = permissionOf(spec, ctx);
      if (needed === 'public' && !spec.path.startsWith('/auth/')) {
        if (deps.env.ENABLE_RATE_LIMITING && !mayPass(ctx.ip)) throw tooMany(1);
        await next();
        return;
      }
      const { caller, rate } = await admission({
        authorization: needed === 'public' ? null : ctx.get('authorization'),
        address: ctx.ip,
      });
      if (rate) {
        ctx.set({
          'RateLimit-Limit': String(rate.limit),
          'RateLimit-Remaining': String(rate.remaining),
          'RateLimit-Reset': String(rate.resetSeconds),
        });
        if (!rate.allowed) throw tooMany(rate.retrySeconds);
      }
      if (caller instanceof AppError) throw caller;
      if (needed !== 'public') assertAllowed(needed, caller!);
      ctx.state['principal'] = caller;
      await next();
    };
}

/** The access that a request needs: who sends a token to a public route is authenticated, if the route says so. */
const permissionOf = ({ access, accessWithToken }: RouteSpec, ctx: Context): Access =>
  accessWithToken !== undefined && ctx.get('authorization') !== '' ? accessWithToken : access;

function assertAllowed(access: Access, caller: Principal): void {
  if (access === 'user') {
    if (caller.actor.type !== 'user')
      throw new AppError('forbidden', 'This operation requires a user login; API keys cannot call it');
  } else if (!caller.permissions.has(access)) {
    throw new AppError('forbidden', `This operation requires the permission ${access}`);
  }
}

/** Sorts fixed segments before parameters, so that `/contacts/search` is not parsed as an id. */
function bySpecificity(a: RouteSpec, b: RouteSpec): number {
  const key = (spec: RouteSpec) => spec.path.replaceAll('{', '~');
  return key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0;
}

/** A path of ours without the punctuation that a program took into the link; null if that leads nowhere either. */
function meantPath(router: Router, path: string): string | null {
  let meant: string;
  try {
    meant = withoutPunctuation(decodeURIComponent(path));
  } catch {
    return null;
  }
  return meant !== path && /^(\/[\w-]+)+$/.test(meant) && router.match(meant, 'GET').route ? meant : null;
}

/**
 * Handles requests that no route matched: 404, or 405 with the methods of the path. A page whose link got something at
 * its end is shown nevertheless.
 */
function createRefuse(router: Router) {
  return async (ctx: Context): Promise<void> => {
    const { matched = [] } = ctx as { matched?: { methods: string[] }[] };
    if (matched.length === 0) {
      const meant = ctx.method === 'GET' || ctx.method === 'HEAD' ? meantPath(router, ctx.path) : null;
      if (meant) return ctx.redirect(`${meant}${ctx.search}`);
      ctx.state['errorPage'] = missingPage;
      throw new AppError('not_found', `No route matches ${ctx.path}`);
    }
    const refusal = methodNotAllowed(ctx.path, fixed.get(ctx.path) ?? matched.flatMap((layer) => layer.methods));
    if (ctx.method !== 'OPTIONS') throw refusal;
    ctx.set(refusal.headers!);
    ctx.status = 204;
  };
}

/** Creates the request handler of the API. It does not listen yet. */
export function createHandler(deps: Deps): (request: IncomingMessage, response: ServerResponse) => void {
  const edge: Edge = {
    deps,
    mayPass: createWideLimit(deps.env.RATE_LIMIT_PUBLIC_PER_MINUTE),
    headers: securityHeaders(),
    logAnswer: createLogAnswer(deps),
  };
  const application = createApp(edge).callback();
  return createFollowClick(edge, (request, response) => void application(request, response));
}

function createApp(edge: Edge): Koa {
  const { deps } = edge;
  const app = new Koa({ proxy: deps.env.TRUST_PROXY > 0, maxIpsCount: deps.env.TRUST_PROXY });
  const origins = deps.env.CORS_ALLOWED_ORIGINS.split(',')
    .map((origin) => origin.trim())
    .filter(Boolean);
  const router = new Router();
  const admit = createAccessCheck(edge);
  for (const spec of [...routes].sort(bySpecificity)) {
    router.register(
      pathOf(spec).replaceAll(/\{(\w+)\}/g, ':$1'),
      [spec.method],
      [admit(spec) as never, guard(spec, deps) as never],
    );
  }

  readQueries(app);
  app.use(earlyAnswers);
  app.use(requestId);
  app.use(pathForLogs);
  const imprint = imprintOf(deps.env);
  app.use((ctx, next) => {
    ctx.state['imprint'] = imprint;
    return next();
  });
  app.use(clientAddress(deps.env.TRUST_PROXY));
  app.use(accessLog(edge.logAnswer));
  if (deps.tracing) app.use(traced(deps.tracing));
  app.use(unstored);
  app.use(problems(deps.log));
  app.use((ctx, next) => {
    ctx.set(edge.headers);
    return next();
  });
  app.use(openPreflight);
  app.use(openErrors);
  app.use(createSiteOrigins(deps, origins));
  app.use(
    cors({
      origin: (ctx: Context) =>
        origins.includes(ctx.get('origin')) && !OPEN_TO_ANY_ORIGIN.test(ctx.path) ? ctx.get('origin') : '',
      exposeHeaders: [
        'ETag',
        'Location',
        'X-Request-Id',
        'Retry-After',
        'Content-Disposition',
        'RateLimit-Limit',
        'RateLimit-Remaining',
        'RateLimit-Reset',
        'Idempotency-Replayed',
      ],
      maxAge: 600,
    }) as never,
  );
  app.use(conditional);
  app.use(etag({ weak: true }) as never);
  app.use(router.routes() as never);
  app.use(createRefuse(router));
  app.on('error', (error: Error, ctx?: Context) => {
    // Only errors after the start of the response end here: mostly a client that disconnected.
    deps.log.debug(
      { err: error, requestId: ctx?.state['requestId'] as string },
      'connection closed before the response was complete',
    );
  });
  return app;
}
