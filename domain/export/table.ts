import { escapeFormula } from './formula.ts';
import type { Cell } from './xlsx.ts';

/**
 * A column of an exported table. `plain`: its texts are no formulas, although they may begin like one; a CSV has them
 * unescaped.
 */
export type Column<Row> = [header: string, value: (row: Row) => Cell, plain?: 'plain'];

/**
 * Yields the header row, then pages of rows. For a CSV, texts that a spreadsheet would run are escaped; cells of a
 * workbook have types, so a text is never run there.
 */
export async function* tablePages<Row>(
  columns: readonly Column<Row>[],
  pages: AsyncIterable<Row[]>,
  { escaped }: { escaped: boolean },
): AsyncGenerator<Cell[][]> {
  yield [columns.map(([name]) => name)];
  const cells = columns.map(([, valueOf, plain]) =>
    escaped && !plain ? (row: Row) => csvCell(valueOf(row)) : valueOf,
  );
  for await (const page of pages) yield page.map((row) => cells.map((cellOf) => cellOf(row)));
}

/** A cell of a CSV: texts are escaped, other values are not. */
export const csvCell = (cell: Cell): Cell => (typeof cell === 'string' ? escapeFormula(cell) : cell);
