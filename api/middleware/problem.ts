import type { Context, Next } from 'koa';
import { toAppError } from '../../db/errors.ts';
import { AppError } from '../../domain/errors.ts';
import type { Logger } from '../../config/logger.ts';

/** The one writer of error bodies (RFC 9457). Whatever is not an AppError or a database error that we know is a 500. */
export function problems(log: Logger) {
  return async (ctx: Context, next: Next): Promise<void> => {
    try {
      await next();
    } catch (error) {
      const known = error instanceof AppError ? error : toAppError(error);
      if (!known) log.error({ err: error as Error, requestId: ctx.state['requestId'] as string, method: ctx.method, path: ctx.path }, 'request failed');
      writeProblem(ctx, known ?? new AppError('internal', 'The request failed; its requestId is in our logs'));
    }
  };
}

export function writeProblem(ctx: Context, error: AppError): void {
  if (error.headers) ctx.set(error.headers);
  ctx.status = error.status;
  ctx.body = JSON.stringify({
    type: `/docs#${error.code}`,
    title: error.title,
    status: error.status,
    detail: error.message,
    code: error.code,
    requestId: ctx.state['requestId'] as string,
    ...(error.errors ? { errors: error.errors } : {}),
  });
  ctx.type = 'application/problem+json';
}
