import { isFigure, type ReportColumn, type ReportContent, type ReportTable } from '../../content/content.ts';
import { cellText, figureText } from '../../content/format.ts';
import { COLOURS, PAGE_WIDTH, type PdfSheet, type TextStyle } from './sheet.ts';

/** Nobody reads more of a table on paper; the other formats have all rows. */
const MOST_ROWS = 1000;
const TITLE: TextStyle = { size: 12, weight: 'bold' };
const HEADER: TextStyle = { size: 7, weight: 'bold' };
const CELL: TextStyle = { size: 7.5 };
const ROW = 15;
const PADDING = 4;
const NARROWEST_NAME = 130;
/** As many rows as this are measured to find the widths of columns. */
const MEASURED = 200;

/**
 * Draws a table, on landscape pages if it is too wide for portrait ones, its header again on each page. Columns that fit
 * on neither are left out, the last first, and a note says so.
 */
export function drawTable(sheet: PdfSheet, table: ReportTable, { period }: ReportContent): void {
  const texts = table.rows
    .slice(0, MOST_ROWS)
    .map((row) => row.map((cell, at) => cellText(cell, table.columns[at]!, period)));
  const least = leastWidths(sheet, table.columns, texts);
  const shown = countFitting(least, PAGE_WIDTH.landscape);
  const [columns, rows] = [table.columns.slice(0, shown), texts.map((row) => row.slice(0, shown))];
  const total = sumOf(least.slice(0, shown));
  const isWide = total > PAGE_WIDTH.portrait;
  if (isWide !== sheet.isLandscape || !sheet.fits(5 * ROW)) sheet.newPage(isWide ? 'landscape' : 'portrait');
  const widths = spread(least.slice(0, shown), columns, sheet.width - total);
  sheet.line(table.title, sheet.left, sheet.y, TITLE);
  sheet.y += 24;
  if (!hasFigures(table)) {
    sheet.line('No data in this period', sheet.left, sheet.y, { ...CELL, colour: COLOURS.muted });
    sheet.y += 2 * ROW;
    return;
  }
  const labels = columns.map(({ label }) => label);
  drawRow(sheet, columns, widths, labels, 'header');
  for (const [index, row] of rows.entries()) {
    if (!sheet.fits(ROW)) {
      sheet.ensure(ROW);
      drawRow(sheet, columns, widths, labels, 'header');
    }
    drawRow(sheet, columns, widths, row, index % 2 === 1 ? 'shaded' : 'plain');
  }
  const note = leftOut(table, shown);
  if (note !== null) {
    sheet.ensure(2 * ROW);
    sheet.line(note, sheet.left, sheet.y + 5, { ...CELL, colour: COLOURS.muted, width: sheet.width });
    sheet.y += ROW;
  }
  sheet.y += ROW;
}

/** What the table does not show of all rows and columns; null if nothing. */
function leftOut({ rows, columns }: ReportTable, shown: number): string | null {
  const parts: string[] = [];
  if (rows.length > MOST_ROWS)
    parts.push(`The first ${figureText(MOST_ROWS, 'integer')} of ${figureText(rows.length, 'integer')} rows.`);
  if (shown < columns.length)
    parts.push(
      `Not shown: ${columns
        .slice(shown)
        .map(({ label }) => label)
        .join(', ')}.`,
    );
  return parts.length === 0 ? null : [...parts, 'The formats CSV, XLSX and JSON have these.'].join(' ');
}

const sumOf = (widths: number[]): number => widths.reduce((sum, width) => sum + width, 0);

/** How many of these columns, from the first on, fit into `width`. */
function countFitting(widths: number[], width: number): number {
  let count = widths.length;
  while (count > 1 && sumOf(widths.slice(0, count)) > width) count -= 1;
  return count;
}

const hasFigures = ({ columns, rows }: ReportTable): boolean =>
  rows.some((row) => row.some((cell, at) => isFigure(columns[at]!) && cell !== 0));

const isText = ({ kind }: ReportColumn): boolean => kind === 'text';

/** How wide each column must be for what it contains; names may be cut. */
function leastWidths(sheet: PdfSheet, columns: ReportColumn[], rows: string[][]): number[] {
  return columns.map((column, at) => {
    const widths = rows.slice(0, MEASURED).map((row) => sheet.widthOf(row[at]!, CELL));
    const content = Math.max(sheet.widthOf(column.label, HEADER), ...widths) + 2 * PADDING;
    return isText(column) ? Math.min(content, NARROWEST_NAME) : content;
  });
}

/** Gives the rest of the width to the first column, but not so much that its figures are far from their names. */
function spread(least: number[], columns: ReportColumn[], rest: number): number[] {
  const first = Math.min(rest, isText(columns[0]!) ? 130 : 20);
  const others = Math.max(0, rest - first) / Math.max(1, least.length - 1);
  return least.map((width, at) => width + (at === 0 ? first : Math.min(others, 60)));
}

function drawRow(
  sheet: PdfSheet,
  columns: ReportColumn[],
  widths: number[],
  texts: string[],
  look: 'header' | 'shaded' | 'plain',
): void {
  const { doc, left, y } = sheet;
  const total = sumOf(widths);
  if (look !== 'plain') doc.rect(left, y, total, ROW).fill(look === 'header' ? '#e3e9f0' : COLOURS.fill);
  let x = left;
  for (const [at, text] of texts.entries()) {
    const width = widths[at]! - 2 * PADDING;
    const align = isFigure(columns[at]!) || columns[at]!.kind === 'id' ? 'right' : 'left';
    // A little more than it measures, for rounding must not cut a figure.
    sheet.line(text, x + PADDING, y + 3, { ...(look === 'header' ? HEADER : CELL), align, width: width + 0.5 });
    x += widths[at]!;
  }
  sheet.y += ROW;
}
