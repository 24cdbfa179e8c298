/** How often a delivery is tried. */
export const MOST_ATTEMPTS = 10;

const MINUTE = 60;
const HOUR = 60 * MINUTE;
/** The seconds from one attempt to the next. */
const DELAYS = [5, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR];
/** Each delay is up to so much shorter or longer, so that what failed together does not come back together. */
const SPREAD = 0.1;
const LONGEST_ASKED = 24 * HOUR;

/**
 * The seconds until the next attempt after `failed` attempts in vain (from 1). `asked` are the seconds that the receiver
 * asked for (Retry-After): it is not tried before. `random` is from 0 to 1.
 */
export function delayAfter(failed: number, asked: number | null, random = Math.random()): number {
  const usual = DELAYS[Math.min(failed, DELAYS.length) - 1]! * (1 - SPREAD + 2 * SPREAD * random);
  return Math.max(usual, Math.min(asked ?? 0, LONGEST_ASKED));
}
