import type { Started } from '../whole/started.ts';

/** What every measurement has: the service, a list of `count` contacts, and a template. */
export interface Bench {
  started: Started;
  listId: number;
  templateId: number;
  count: number;
}

/** A line of the result. `reference` and `wanted` are empty where there is none. */
export interface Row {
  what: string;
  ours: string;
  reference?: string;
  wanted?: string;
  /** Whether it is as wanted. */
  holds?: boolean;
}

/** Prints the rows in columns; `!` marks what is not as wanted. */
export function printTable(rows: readonly Row[]): void {
  const cells = [
    ['', 'ours', 'reference', 'wanted'],
    ...rows.map(({ what, ours, reference = '', wanted = '', holds = true }) => [
      `${holds ? ' ' : '!'} ${what}`,
      ours,
      reference,
      wanted,
    ]),
  ];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...cells.map((row) => row[column]!.length)));
  for (const row of cells)
    console.log(
      row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    );
}

/** `0.91 (0.88 to 0.95)`: the median of ratios and their range. */
export function shownRatios(ratios: readonly number[]): { median: number; text: string } {
  const sorted = [...ratios].sort((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)]!;
  const text =
    sorted.length === 1
      ? median.toFixed(2)
      : `${median.toFixed(2)} (${sorted[0]!.toFixed(2)} to ${sorted.at(-1)!.toFixed(2)})`;
  return { median, text };
}
