import type { IncomingMessage, ServerResponse } from 'node:http';
import { poolOf } from '../../db/orm.ts';
import type { Deps } from '../../runtime/deps.ts';
import { AppError } from '../../domain/common/errors.ts';
import { hasBody } from '../middleware/early-answer.ts';
import { refuseWith } from './refuse.ts';
import { whenBodyIsThere } from './slow-bodies.ts';

const TICK_MS = 10;
/** With fewer than these at work, a late event loop is a pause that ends by itself; under load, more make no process busier. */
const FEW = 64;
const LATE_MS = 10;
/** Requests that wait for a database connection. */
const POOL_WAITING = 100;
/** Pressure that passes sooner is a burst, and all of it is answered. */
const BURST_MS = 1000;
/** It is forgotten so many times slower than it builds up: under load the pressure comes and goes. */
const RELIEF = 4;
/** Never more than these, burst or not. */
const MANY = 2000;

/** Monitors must see the process, and a recipient's picture is always answered. */
const NEVER_REFUSED = /^\/(metrics$|api\/v1\/([a-z]+\/)?health$|api\/v1\/emails\/tracking\/)/;
/** What waits in a queue of its own (passwords are hashed in threads) or runs for minutes (uploads) says nothing about the load. */
const NOT_COUNTED = /^\/api\/v1\/(auth\/|contacts\/(import|export))/;

/**
 * Turns requests away with 503 before the process gives way: once the event loop has for a while been late with many requests
 * at work, or too many have been waiting for the database. A refusal costs next to nothing, so that what is let in is answered as fast as ever.
 */
export interface Shedder {
  /** Answers the request itself and tells so, or lets it in. */
  refuses: (request: IncomingMessage, response: ServerResponse) => boolean;
  stop: () => void;
}

/** Watches this process. `atWork` counts the responses that are not over, one that is asked about among them; `unread` those of them that only wait for their client. */
export async function createShedder(
  deps: Deps,
  { atWork, unread }: { atWork: () => number; unread: () => number },
): Promise<Shedder> {
  const pool = await poolOf(deps.orm);
  const refuse = refuseWith(
    new AppError('unavailable', 'The server is overloaded: too many requests in progress; try again', {
      headers: { 'Retry-After': '1' },
    }),
  );
  /** What is at work and does not count. */
  let leftOut = 0;
  /** What is written and not read, at the last tick. */
  let waiting = 0;
  let ticked = performance.now();
  /** How long there was pressure (ms). */
  let strain = 0;
  let guarded = false;

  const timer = setInterval(() => {
    const now = performance.now();
    const passed = now - ticked;
    ticked = now;
    waiting = atWork() > FEW ? unread() : 0;
    const pressed =
      (atWork() - leftOut - waiting > FEW && passed - TICK_MS > LATE_MS) || pool.waitingCount > POOL_WAITING;
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
      // Only these few need a listener for their end.
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
