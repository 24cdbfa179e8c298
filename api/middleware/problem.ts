import type { Context, Next } from 'koa';
import { isUnanswered } from '../../transport/nats.ts';
import { AppError } from '../../lib/checks/errors.ts';
import type { Logger } from '../../config/logger.ts';
import { toAppError } from '../../domain/common/database-errors.ts';
import type { RouteSpec } from '../route/route.ts';

/** A request's path for logs, without text from the client. */
export const loggedPath = (ctx: Context): string => ctx.state['loggedPath'] as string;

/** System errors of a full disk, and of a quota. */
const NO_ROOM: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT']);

/** Maps an error to a client-facing one; null for an internal error. */
export function asAppError(error: unknown): AppError | null {
  if (error instanceof AppError) return error;
  if (isUnanswered(error))
    return new AppError('unavailable', 'The message server is not available', {
      cause: error,
      headers: { 'Retry-After': '5' },
    });
  if (NO_ROOM.has((error as NodeJS.ErrnoException | null)?.code ?? ''))
    return new AppError('unavailable', 'There is no room left on the disk', {
      cause: error,
      headers: { 'Retry-After': '60' },
    });
  return toAppError(error);
}

/** Writes all error bodies (RFC 9457). Anything but an AppError or a known database error is a 500. */
export function problems(log: Logger) {
  return async (ctx: Context, next: Next): Promise<void> => {
    try {
      await next();
    } catch (error) {
      const known = asAppError(error);
      if (!known)
        log.error(
          {
            err: error as Error,
            requestId: ctx.state['requestId'] as string,
            method: ctx.method,
            path: loggedPath(ctx),
          },
          'request failed',
        );
      writeProblem(
        ctx,
        known ??
          new AppError(
            'internal',
            'The request failed because of an internal error; the requestId identifies it in the logs',
          ),
      );
    }
  };
}

/** An error as problem JSON. */
export function problemBody(error: AppError, requestId: string): string {
  return JSON.stringify({
    type: `/docs#${error.code}`,
    title: error.title,
    status: error.status,
    detail: error.message,
    code: error.code,
    requestId,
    ...(error.errors ? { errors: error.errors } : {}),
  });
}

/** Writes an error to `ctx`: as the route's error page if it has one and a browser asked, else as problem JSON. */
export function writeProblem(ctx: Context, error: AppError): void {
  if (error.status === 503) ctx.set('Retry-After', '5');
  if (error.headers) ctx.set(error.headers);
  const errorPage = ctx.state['errorPage'] as RouteSpec['errorPage'];
  if (errorPage) ctx.vary('Accept');
  if (errorPage && ctx.accepts('json', 'html') === 'html') {
    const { status = error.status, headers = {}, body } = errorPage(ctx, error);
    ctx.status = status;
    ctx.set(headers);
    ctx.body = body;
    return;
  }
  ctx.status = error.status;
  ctx.body = problemBody(error, ctx.state['requestId'] as string);
  ctx.type = 'application/problem+json';
}
