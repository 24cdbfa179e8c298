import { DateTime } from 'luxon';
import { workbook, type CellStyle, type Sheet, type SheetCell } from '../../export/xlsx.ts';
import type { FigureKind, ReportCell, ReportColumn, ReportContent, ReportTable } from '../content/content.ts';
import { momentText, periodText } from '../content/format.ts';

/** Widths are in characters. */
const [NARROW, MEDIUM, NAME] = [13, 18, 40];
/** As many names as this are looked at to find how wide a column of names must be. */
const LOOKED_AT = 1000;

const header = (label: string): SheetCell => ({ value: label, style: 'header' });
const figure = (value: number | null, kind: FigureKind): SheetCell => (value === null ? null : { value, style: kind });

/** A report as a workbook: a summary with the key figures, and a sheet for each table. */
export const renderXlsx = (content: ReportContent): AsyncIterable<Buffer> =>
  workbook([summarySheet(content), ...content.tables.map((table) => tableSheet(table, content))]);

function summarySheet(content: ReportContent): Sheet {
  const { title, period, previousPeriod, keyFigures, notes } = content;
  const rows: SheetCell[][] = [
    [{ value: title, style: 'title' }],
    ['Period', `${periodText(period, period)} (${period.timezone})`],
    ['Compared with', periodText(previousPeriod, period)],
    ['Figures complete up to', momentText(content.asOf, period)],
    ['Generated', momentText(content.generatedAt, period)],
    ['Account', content.tenantId],
    ...notes.map((note) => ['Note', note]),
    [],
    ['Figure', 'Value', 'Period before', 'Change', ''].map(header),
    ...keyFigures.map(({ label, kind, value, previous, change }): SheetCell[] => [
      label,
      figure(value, kind),
      figure(previous, kind),
      figure(change, 'percent'),
      kind === 'percent' && change !== null ? 'percentage points' : null,
    ]),
  ];
  return { name: 'Summary', rows, frozenRows: 8 + notes.length, widths: [34, MEDIUM, MEDIUM, NARROW, MEDIUM] };
}

function tableSheet({ title, columns, rows }: ReportTable, { period }: ReportContent): Sheet {
  return {
    name: title,
    frozenRows: 1,
    widths: columns.map((column, index) => widthOf(column, rows, index)),
    rows: [
      columns.map(({ label, kind }) => header(kind === 'at' ? `${label} (${period.timezone})` : label)),
      ...rows.map((row) => row.map((cell, index) => sheetCell(cell, columns[index]!, period))),
    ],
  };
}

function widthOf({ kind, label }: ReportColumn, rows: ReportCell[][], index: number): number {
  if (kind === 'at') return 24;
  if (kind !== 'text') return Math.max(NARROW, label.length + 2);
  const longest = rows
    .slice(0, LOOKED_AT)
    .reduce((most, row) => Math.max(most, String(row[index]).length), label.length);
  return Math.min(NAME, longest + 2);
}

function sheetCell(cell: ReportCell, { kind }: ReportColumn, period: ReportContent['period']): SheetCell {
  if (cell === null) return null;
  if (kind === 'at') return dateCell(cell as string, period);
  if (typeof cell === 'string') return cell;
  return kind === 'text' || kind === 'id' ? cell : figure(cell, kind);
}

const DAY_MS = 86_400_000;
/** Day 0 of a spreadsheet: 30 December 1899. */
const DAY_ZERO_MS = -25_569 * DAY_MS;

/** A date or time cell: what clocks of the period's timezone show, for spreadsheets know no timezones. */
function dateCell(at: string, { timezone, interval }: ReportContent['period']): SheetCell {
  const local = DateTime.fromISO(at, { zone: timezone }).setZone('UTC', { keepLocalTime: true }).toMillis();
  const style: CellStyle = interval === 'hour' ? 'timestamp' : 'date';
  return { value: (local - DAY_ZERO_MS) / DAY_MS, style };
}
