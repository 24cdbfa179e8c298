import helmet from 'helmet';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Context, Next } from 'koa';

/** The headers of every response of the application. They do not depend on the request, so they are computed once. */
export function securityHeaders(): Record<string, string> {
  const headers: Record<string, string> = {};
  const response = {
    setHeader: (name: string, value: string) => {
      headers[name] = value;
    },
    removeHeader: () => {},
  };
  helmet({
    contentSecurityPolicy: { directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
    crossOriginResourcePolicy: { policy: 'cross-origin' },
  })({} as IncomingMessage, response as unknown as ServerResponse, () => {});
  return headers;
}

/**
 * No browser and no proxy may store a response, because most have personal data, unless its route says otherwise. Added
 * last, so that routes, errors and stored responses are seen without it.
 */
export async function unstored(ctx: Context, next: Next): Promise<void> {
  await next();
  if (!ctx.response.get('Cache-Control')) ctx.set('Cache-Control', 'no-store');
}
