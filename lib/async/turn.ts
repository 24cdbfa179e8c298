import { setImmediate as setImmediateCallback } from 'node:timers';
import { setImmediate } from 'node:timers/promises';

/** How long one piece of work may block the event loop (ms). */
const TURN_MS = 10;

/** For work in many small steps: tells when to yield to the event loop, and yields. */
export interface Yielder {
  isOver: () => boolean;
  next: () => Promise<void>;
}

export function createYielder(): Yielder {
  let began = performance.now();
  return {
    isOver: () => performance.now() - began > TURN_MS,
    async next() {
      await setImmediate();
      began = performance.now();
    },
  };
}

/** Maps a list like `map`, yielding to the event loop. */
export async function mapYielding<T, R>(items: readonly T[], work: (item: T, index: number) => R): Promise<R[]> {
  const turn = createYielder();
  const done: R[] = [];
  for (const [index, item] of items.entries()) {
    done.push(work(item, index));
    if (turn.isOver()) await turn.next();
  }
  return done;
}

/** How many background calls start per turn of the event loop: a few milliseconds' worth of requests. */
const BEGUN_IN_A_PASS = 16;

const background: (() => void)[] = [];
let isScheduled = false;

function beginSome(): void {
  for (const begin of background.splice(0, BEGUN_IN_A_PASS)) begin();
  isScheduled = background.length > 0;
  if (isScheduled) setImmediateCallback(beginSome);
}

/**
 * Queues a call of `begin`. A few queued calls start per turn of the event loop, so that thousands do not block it.
 */
export function inBackground(begin: () => void): void {
  background.push(begin);
  if (isScheduled) return;
  isScheduled = true;
  setImmediateCallback(beginSome);
}
