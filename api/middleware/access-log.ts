import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Context, Next } from 'koa';
import { beginAtZero, STATUS_CLASSES } from '../../config/metrics.ts';
import type { Deps } from '../../runtime/deps.ts';
import { loggedPath } from './problem.ts';

/** The client's X-Request-Id if it is well-formed, or else a new id. */
export function requestIdOf(request: IncomingMessage): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && /^[\w.:/+=-]{1,128}$/.test(given) ? given : randomUUID();
}

/** The status in logs and metrics, as in nginx, of a request whose client disconnected before the response. */
const CLIENT_GONE = 499;

/** The operations by which others watch a process. */
const WATCHING = /^get(\w*Health|Metrics)$/;

export interface Answered {
  requestId: string;
  path: string;
  operation: string;
  traceId?: string | undefined;
}

export type LogAnswer = (request: IncomingMessage, response: ServerResponse, answered: () => Answered) => void;

/** Creates a function that writes a log line and an observation for each request when its response is closed. */
export function createLogAnswer(deps: Deps): LogAnswer {
  // None of its fields has a redacted name, and checking for them took four times as long as writing the line.
  const log = deps.log.child({}, { redact: [] });
  beginAtZero(deps.metrics.httpResponses, 'class', STATUS_CLASSES);
  return (request, response, answered) => {
    const started = performance.now();
    // Emitted exactly once.
    response.on('close', () => {
      const ms = performance.now() - started;
      const { requestId, path, operation, traceId } = answered();
      const status = response.headersSent ? response.statusCode : CLIENT_GONE;
      deps.metrics.httpDuration.observe({ operation, status: String(status) }, ms / 1000);
      deps.metrics.httpResponses.inc({ class: `${Math.floor(status / 100)}xx` });
      // They come every few seconds, and what health finds is logged when it changes.
      const level = WATCHING.test(operation) && status < 400 ? 'debug' : 'info';
      log[level](
        { requestId, method: request.method, path, status, ms: Math.round(ms), operation, traceId },
        'request',
      );
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
