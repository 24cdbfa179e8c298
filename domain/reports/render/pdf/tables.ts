import { isFigure, type ReportColumn, type ReportContent, type ReportTable } from '../../content/content.ts';
import { cellText, figureText } from '../format.ts';
import { COLOURS, type PdfSheet, type TextStyle } from './sheet.ts';

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

/** Draws a table, on a page of its own orientation if it is too wide, its header again on each page. */
export function drawTable(sheet: PdfSheet, table: ReportTable, { period }: ReportContent): void {
  const { columns } = table;
  const rows = table.rows.slice(0, MOST_ROWS).map((row) => row.map((cell, at) => cellText(cell, columns[at]!, period)));
  const least = leastWidths(sheet, columns, rows);
  const total = least.reduce((sum, width) => sum + width, 0);
  const isWide = total > 500;
  if (isWide !== sheet.isLandscape || !sheet.fits(5 * ROW)) sheet.newPage(isWide ? 'landscape' : 'portrait');
  const widths = spread(least, columns, sheet.width - total);
  sheet.line(table.title, sheet.left, sheet.y, TITLE);
  sheet.y += 24;
  if (!hasFigures(table)) {
    sheet.line('No data in this period', sheet.left, sheet.y, { ...CELL, colour: COLOURS.muted });
    sheet.y += 2 * ROW;
    return;
  }
  drawRow(
    sheet,
    columns,
    widths,
    columns.map(({ label }) => label),
    'header',
  );
  for (const [index, row] of rows.entries()) {
    if (!sheet.fits(ROW)) {
      sheet.ensure(ROW);
      drawRow(
        sheet,
        columns,
        widths,
        columns.map(({ label }) => label),
        'header',
      );
    }
    drawRow(sheet, columns, widths, row, index % 2 === 1 ? 'shaded' : 'plain');
  }
  if (table.rows.length > MOST_ROWS) {
    sheet.ensure(2 * ROW);
    const all = figureText(table.rows.length, 'integer');
    const note = `The first ${figureText(MOST_ROWS, 'integer')} of ${all} rows. The formats CSV, XLSX and JSON have all of them.`;
    sheet.line(note, sheet.left, sheet.y + 5, { ...CELL, colour: COLOURS.muted, width: sheet.width });
    sheet.y += ROW;
  }
  sheet.y += ROW;
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
  const total = widths.reduce((sum, width) => sum + width, 0);
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
