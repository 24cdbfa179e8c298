import type { IncomingMessage, ServerResponse } from 'node:http';
import { connectionTurnsOf } from '../../db/orm.ts';
import type { Deps } from '../../runtime/deps.ts';
import { AppError } from '../../lib/checks/errors.ts';
import { hasBody } from '../middleware/early-answer.ts';
import { refuseWith } from './refuse.ts';
import { whenBodyIsThere } from './slow-bodies.ts';

const TICK_MS = 10;
/**
 * With fewer requests than this in progress, a late event loop is a pause that ends by itself; under load, more of them
 * do not increase throughput.
 */
const FEW = 64;
const LATE_MS = 10;
/** Requests waiting for a database connection. */
const POOL_WAITING = 100;
/** Pressure for less than this is a burst, and all of it is answered. */
const BURST_MS = 1000;
/** Pressure is forgotten this many times slower than it builds up, because under load it comes and goes. */
const RELIEF = 4;
/** The maximum number of requests in progress, also during a burst. */
const MANY = 2000;

/** Monitors must always reach the process, and a recipient's tracking pixel is always answered. */
const NEVER_REFUSED = /^\/(metrics$|api\/v1\/([a-z]+\/)?health$|api\/v1\/emails\/tracking\/)/;
/**
 * Requests that wait in their own queue (password hashing in threads, submissions of forms) or run for minutes
 * (uploads) do not indicate load.
 */
const NOT_COUNTED = /^\/api\/v1\/(auth\/|contacts\/(import|export)|forms\/\d+\/submit$)/;

/**
 * Answers requests with 503 before the process is overloaded: when the event loop has been late for a while with many
 * requests in progress, or too many requests have been waiting for the database. A refusal costs next to nothing, so
 * accepted requests stay as fast as usual.
 */
export interface Shedder {
  /** Answers the request with 503 and returns true, or returns false to accept it. */
  refuses: (request: IncomingMessage, response: ServerResponse) => boolean;
  stop: () => void;
}

/**
 * Watches the load of this process. `atWork` counts the open responses, including that of the current request; `unread`
 * counts those of them that only wait for their client to read them.
 */
export function createShedder(deps: Deps, { atWork, unread }: { atWork: () => number; unread: () => number }): Shedder {
  const turns = connectionTurnsOf(deps.orm);
  const refuse = refuseWith(
    new AppError('unavailable', 'The server is overloaded: too many requests in progress; try again', {
      headers: { 'Retry-After': '1' },
    }),
  );
  /** The number of requests in progress that do not count as load. */
  let leftOut = 0;
  /** The number of written but unread responses at the last tick. */
  let waiting = 0;
  let ticked = performance.now();
  /** How long there has been pressure (ms). */
  let strain = 0;
  let guarded = false;

  const timer = setInterval(() => {
    const now = performance.now();
    const passed = now - ticked;
    ticked = now;
    waiting = atWork() > FEW ? unread() : 0;
    const pressed = (atWork() - leftOut - waiting > FEW && passed - TICK_MS > LATE_MS) || turns.waiting > POOL_WAITING;
    strain = pressed ? Math.min(BURST_MS, strain + passed) : Math.max(0, strain - passed / RELIEF);
    if (strain === BURST_MS) guarded = true;
    else if (strain === 0) guarded = false;
  }, TICK_MS);
  timer.unref();

  const leaveOut = (response: ServerResponse): void => {
    leftOut += 1;
    response.on('close', () => {
      leftOut -= 1;
    });
  };
  /** Does not count a request as load until its body has arrived or its response is closed. */
  const leaveOutUntilThere = (request: IncomingMessage, response: ServerResponse): void => {
    leftOut += 1;
    let counted = false;
    const count = (): void => {
      if (!counted) leftOut -= 1;
      counted = true;
    };
    whenBodyIsThere(request, count);
    response.on('close', count);
  };
  return {
    refuses(request, response) {
      const path = request.url ?? '';
      const others = atWork() - 1 - leftOut - waiting;
      const refuses = others > (guarded ? FEW : MANY) && !NEVER_REFUSED.test(path);
      // Only these few requests need a close listener.
      if (refuses || NOT_COUNTED.test(path)) leaveOut(response);
      else if (hasBody(request)) leaveOutUntilThere(request, response);
      if (!refuses) return false;
      refuse(request, response);
      deps.metrics.shed.inc();
      return true;
    },
    stop: () => clearInterval(timer),
  };
}
