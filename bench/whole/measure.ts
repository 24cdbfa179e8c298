import { setTimeout as delay } from 'node:timers/promises';
import { median } from '../support/stack.ts';
import { printCosts, readUsage } from './costs.ts';
import type { Started } from './started.ts';

/** The rates of one run, per second. */
export interface Rates {
  /** Until the job says that it is over. */
  over: number;
  /** Until every consumer has caught up. */
  caughtUp: number;
}

/** How long Postgres's processes may take to report their statistics when they become idle. */
const STATISTICS_MS = 1_500;

/** Measures `work`, which resolves when its job is over, of `count` units; prints what a unit costs. */
export async function measureWork(
  started: Started,
  unit: string,
  count: number,
  work: () => Promise<void>,
): Promise<Rates> {
  await started.untilCaughtUp();
  await delay(STATISTICS_MS);
  const before = await readUsage(started);
  const begun = performance.now();
  const rate = (): number => (count * 1000) / (performance.now() - begun);
  await work();
  const over = rate();
  await started.untilCaughtUp();
  const caughtUp = rate();
  await delay(STATISTICS_MS);
  printCosts(unit, count, before, await readUsage(started));
  return { over, caughtUp };
}

/** Prints pairs of our rates and the reference's, and the medians of their ratios. */
export function printRates(
  units: string,
  reference: string,
  pairs: readonly { ours: Rates; reference: number }[],
): void {
  const round = (value: number): string => value.toFixed(value < 10 ? 2 : 0);
  const ratios = (key: keyof Rates): number[] => pairs.map((pair) => pair.ours[key] / pair.reference);
  for (const [n, pair] of pairs.entries())
    console.log(
      `  ${round(pair.ours.over)} ${units}/s until over (${ratios('over')[n]!.toFixed(3)}), ${round(pair.ours.caughtUp)} until caught up (${ratios('caughtUp')[n]!.toFixed(3)}); ${reference} ${round(pair.reference)}`,
    );
  for (const [key, name] of [
    ['over', 'until over'],
    ['caughtUp', 'until caught up'],
  ] as const) {
    const all = ratios(key);
    console.log(
      `  median ${name}: ${round(median(pairs.map(({ ours }) => ours[key])))} ${units}/s, ${median(all).toFixed(3)} of the reference (${Math.min(...all).toFixed(3)} to ${Math.max(...all).toFixed(3)})`,
    );
  }
}
