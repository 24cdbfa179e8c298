import { nextInWindow } from '../../lib/time/local-time.ts';
import type { Entry } from './entry.ts';
import type { Effect, Moment } from './steps/kind.ts';

/** When the entry's send window opens next; null if it is open or there is none. */
export function sendOpening({ sendWindow }: Entry, { now, timezone }: Moment): Date | null {
  const opens = sendWindow ? nextInWindow(sendWindow, now, timezone) : now;
  return opens > now ? opens : null;
}

/** The effect of a step that sends: outside the entry's send window, it waits until the window opens. */
export function sendInWindow(effect: Effect, entry: Entry, moment: Moment): Effect {
  const until = sendOpening(entry, moment);
  return until ? { effect: 'wait', until } : effect;
}
