/**
 * A fraction 0..1, rounded to four decimals; 0 if `whole` is 0. A part larger than the whole gives 1: a program may
 * submit a form that nobody viewed, and an email may be opened in a later period than it was sent in.
 */
export const rate = (part: number, whole: number): number =>
  whole === 0 ? 0 : Math.min(1, Math.round((part / whole) * 10_000) / 10_000);
