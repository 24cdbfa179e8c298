import type { Context, Next } from 'koa';
import { engineEm } from '../../db/orm.ts';
import { AppError } from '../../lib/checks/errors.ts';
import { isOriginOfAnySite } from '../../domain/channels/devices/sites.ts';
import type { Deps } from '../../runtime/deps.ts';

/** What pages and workers of sites call. */
const CALLED_BY_SITES = /^\/api\/v1\/channels\/push\/(subscriptions(\/\d+)?|events)$/;

/**
 * CORS of what pages with push subscriptions call: only for origins that a site lists. Which site a call is for is known
 * later, from its body: `admitOrigin` judges it then. `configured` are the origins of CORS_ALLOWED_ORIGINS, which may do
 * more.
 */
export function createSiteOrigins({ orm }: Pick<Deps, 'orm'>, configured: readonly string[]) {
  return async (ctx: Context, next: Next): Promise<void> => {
    const origin = ctx.get('origin');
    const isCalled = origin !== '' && !configured.includes(origin) && CALLED_BY_SITES.test(ctx.path);
    if (isCalled) ctx.vary('Origin');
    if (isCalled && (await isOriginOfAnySite(engineEm(orm), origin))) {
      ctx.set('Access-Control-Allow-Origin', origin);
      if (ctx.method === 'OPTIONS' && ctx.get('access-control-request-method') !== '') {
        ctx.set({
          'Access-Control-Allow-Methods': 'POST, DELETE',
          'Access-Control-Allow-Headers': 'Content-Type',
          'Access-Control-Max-Age': '600',
        });
        ctx.status = 204;
        return;
      }
    }
    await next();
  };
}

/** Refuses a browser's call from an origin that its site does not list: 403 `origin_not_allowed`. */
export function admitOrigin(ctx: Context, origins: readonly string[]): void {
  const origin = ctx.get('origin');
  if (origin === '' || origins.includes(origin)) return;
  // Set by the middleware, because another site lists this origin.
  ctx.remove('Access-Control-Allow-Origin');
  throw new AppError('origin_not_allowed', `The site does not accept calls from ${origin}`);
}
