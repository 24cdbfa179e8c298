import { join } from 'node:path';
import { makeRunDir, startTestStack } from '../../dev/stack/test-stack.ts';

/** Runs a measurement on its own temporary stack, which is removed afterwards in any case. */
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

/** The median of an odd number of values. */
export const median = (values: number[]): number => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;

/**
 * Prints pairs of rates and their ratios. The ratio is what gets quoted, because machines vary from minute to minute.
 */
export function printPairs(unit: string, ours: string, reference: string, pairs: [number, number][]): void {
  const round = (value: number): string => value.toFixed(value < 10 ? 2 : 0);
  for (const [a, b] of pairs)
    console.log(`  ${ours} ${round(a)} ${unit}   ${reference} ${round(b)} ${unit}   ratio ${(a / b).toFixed(3)}`);
  const ratios = pairs.map(([a, b]) => a / b);
  console.log(
    `  median ratio ${median(ratios).toFixed(3)} (${Math.min(...ratios).toFixed(3)} to ${Math.max(...ratios).toFixed(3)})`,
  );
}
