import { join } from 'node:path';
import { makeRunDir, startTestStack } from '../../dev/stack/test-stack.ts';

/** Runs a measurement on a throw-away stack of its own, and takes the stack away whatever happens. */
export async function onStack(slots: number, measure: () => Promise<void>): Promise<void> {
  const log = (line: string): void => {
    process.stderr.write(`${line}\n`);
  };
  const runDir = await makeRunDir(log);
  const file = join(runDir.dir, 'stack.json');
  const stack = await startTestStack(runDir, slots, file, log);
  process.env['PERENNIAL_TEST_STACK'] = file;
  try {
    await measure();
  } finally {
    await stack.stop();
    await runDir.remove();
  }
}

/** The middle of an odd number of values. */
export const median = (values: number[]): number => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;

/** Prints pairs of rates and their ratios, pair by pair: what is quoted is the ratio, for machines differ from minute to minute. */
export function printPairs(unit: string, ours: string, reference: string, pairs: [number, number][]): void {
  const round = (value: number): string => value.toFixed(value < 10 ? 2 : 0);
  for (const [a, b] of pairs)
    console.log(`  ${ours} ${round(a)} ${unit}   ${reference} ${round(b)} ${unit}   ratio ${(a / b).toFixed(3)}`);
  const ratios = pairs.map(([a, b]) => a / b);
  console.log(
    `  median ratio ${median(ratios).toFixed(3)} (${Math.min(...ratios).toFixed(3)} to ${Math.max(...ratios).toFixed(3)})`,
  );
}
