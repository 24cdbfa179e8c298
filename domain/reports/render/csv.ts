import { stringify } from 'csv-stringify/sync';
import { CSV } from '../../export/csv.ts';
import { csvCell } from '../../export/table.ts';
import { isFigure, type ReportCell, type ReportContent, type ReportTable } from '../content/content.ts';

const HEADER = ['section', 'at', 'id', 'name', 'metric', 'value'];
type Line = (string | number | boolean | null)[];

/**
 * A report as CSV (RFC 4180), one figure per row: the table that a program can read whatever the report's type is.
 * `section` is `note` (a text as `name`, without a value), `period`, `previousPeriod` (key figures of the period and of the one before), `series` or the name of a
 * breakdown; `metric` is the figure's name in the API; rates are fractions; `at` is RFC 3339 in UTC.
 */
export function renderCsv({ keyFigures, tables, notes, period, previousPeriod }: ReportContent): string {
  const lines: Line[] = [
    HEADER,
    ...notes.map((note) => ['note', null, null, note, null, null]),
    ...keyFigures.map(({ key, value }) => ['period', period.from, null, null, key, value]),
    ...keyFigures.flatMap(({ key, previous }) =>
      previous === null ? [] : [['previousPeriod', previousPeriod.from, null, null, key, previous]],
    ),
    ...tables.flatMap(linesOf),
  ];
  return stringify(lines, CSV);
}

function linesOf({ key: section, columns, rows }: ReportTable): Line[] {
  const at = columns.findIndex(({ kind }) => kind === 'at');
  const id = columns.findIndex(({ kind }) => kind === 'id');
  const name = columns.findIndex(({ kind }) => kind === 'text');
  const cell = (row: ReportCell[], index: number): ReportCell => (index < 0 ? null : row[index]!);
  return rows.flatMap((row) =>
    columns.flatMap((column, index) =>
      isFigure(column)
        ? [[section, cell(row, at), cell(row, id), csvCell(cell(row, name)), column.key, row[index]!]]
        : [],
    ),
  );
}
