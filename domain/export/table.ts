import { escapeFormula } from './formula.ts';
import type { Cell } from './xlsx.ts';

/** A column of an exported table. */
export type Column<Row> = [header: string, value: (row: Row) => Cell];

/** The cell of a text, escaped; empty for null. */
export const textCell = (value: string | null | undefined): Cell => (value == null ? null : escapeFormula(value));

/** Yields the header row, then pages of rows. */
export async function* tablePages<Row>(
  columns: readonly Column<Row>[],
  pages: AsyncIterable<Row[]>,
): AsyncGenerator<Cell[][]> {
  yield [columns.map(([name]) => name)];
  for await (const page of pages) yield page.map((row) => columns.map(([, valueOf]) => valueOf(row)));
}
