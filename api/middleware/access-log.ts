import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Context, Next } from 'koa';
import type { Deps } from '../../runtime/deps.ts';
import { loggedPath } from './problem.ts';

/** What the client calls its request, or a name that we give it. */
export function requestIdOf(request: IncomingMessage): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && /^[\w.:/+=-]{1,128}$/.test(given) ? given : randomUUID();
}

/** What logs and metrics say of a request whose client went away before its answer, as nginx does. */
const CLIENT_GONE = 499;

export interface Answered {
  requestId: string;
  path: string;
  operation: string;
  traceId?: string | undefined;
}

export type LogAnswer = (request: IncomingMessage, response: ServerResponse, answered: () => Answered) => void;

/** Makes what writes a line and an observation of a request when its answer has gone, or was given up. */
export function createLogAnswer(deps: Deps): LogAnswer {
  // None of its fields has a name that is redacted; to look for them took four times as long as writing the line.
  const log = deps.log.child({}, { redact: [] });
  return (request, response, answered) => {
    const started = performance.now();
    // It comes once.
    response.on('close', () => {
      const ms = performance.now() - started;
      const { requestId, path, operation, traceId } = answered();
      const status = response.headersSent ? response.statusCode : CLIENT_GONE;
      deps.metrics.httpDuration.observe({ operation, status: String(status) }, ms / 1000);
      log.info({ requestId, method: request.method, path, status, ms: Math.round(ms), operation, traceId }, 'request');
    });
  };
}

export function accessLog(logAnswer: LogAnswer) {
  return (ctx: Context, next: Next): Promise<void> => {
    logAnswer(ctx.req, ctx.res, () => ({
      requestId: ctx.state['requestId'] as string,
      path: loggedPath(ctx),
      operation: (ctx.state['operation'] as string | undefined) ?? 'unmatched',
      traceId: ctx.state['traceId'] as string | undefined,
    }));
    return next();
  };
}
