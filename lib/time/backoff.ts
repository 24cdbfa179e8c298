/**
 * How long to wait after a number of failures (from 1), in the unit of `first`: `first`, then twice as long each time,
 * `longest` at most.
 */
export const backoff = (failures: number, first: number, longest: number): number =>
  Math.min(first * 2 ** Math.min(failures - 1, 30), longest);
