import type { Context, Next } from 'koa';
import type { Tracing } from '../../config/tracing.ts';
import { loggedPath } from './problem.ts';

/** A span per request, in the caller's trace, named after the operation because there are too many paths. */
export function traced(tracing: Tracing) {
  return (ctx: Context, next: Next): Promise<void> =>
    tracing.span(ctx.method, { kind: 'SERVER', headers: ctx.headers }, async (span) => {
      ctx.state['traceId'] = span.spanContext().traceId;
      await next();
      const operation = ctx.state['operation'] as string | undefined;
      if (operation) span.updateName(`${ctx.method} ${operation}`);
      span.setAttributes({
        'http.request.method': ctx.method,
        'url.path': loggedPath(ctx),
        'http.response.status_code': ctx.status,
        'perennial.request_id': ctx.state['requestId'] as string,
        ...(ctx.status >= 500 ? { 'error.type': String(ctx.status) } : {}),
      });
    });
}
