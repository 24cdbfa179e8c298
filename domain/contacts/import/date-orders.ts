import type { Violation } from '../../../lib/checks/violation.ts';
import { isCalendarDate } from '../../contact-values/custom-values.ts';
import type { ColumnPlan, CustomFields } from './map-header.ts';
import type { ParsedRow } from './csv/read-csv.ts';

/**
 * How a column writes dates such as 3/4/2025: day or month first. `unclear`: no date of the column tells. `mixed`: some
 * can only be the one, some only the other.
 */
export type DateOrder = 'day_first' | 'month_first' | 'unclear' | 'mixed';

/** The orders of the date columns that need one, by the index of the column. */
export type DateOrders = Readonly<Record<number, DateOrder>>;

const TIME = /[T ,]+\d{1,2}:\d{2}(:\d{2}([.,]\d+)?)?( ?[ap]\.?m\.?)?( ?(z|utc|[+-]\d{2}:?\d{2}))?$/i;
const YEAR_FIRST = /^(\d{4})(?:[-/.]|\. |年)(\d{1,2})(?:[-/.]|\. |月)(\d{1,2})[日.]?$/;
const YEAR_LAST = /^(\d{1,2})([-/.]|\. )(\d{1,2})(?:\2)(\d{4}|\d{2})\.?$/;

const invalid = (message: string): Violation => ({ code: 'invalid_date', message });
const NO_DATE = invalid('must be a date such as 2025-12-31');
const UNCLEAR = invalid(
  'may be day first or month first, and no date in the column tells which: write dates as 2025-12-31',
);
const MIXED = invalid(
  'the column has dates with the day first and dates with the month first: write them as 2025-12-31',
);

/** A date with the year last, with its first two numbers in the order of the text. */
interface YearLast {
  readonly first: number;
  readonly second: number;
  readonly year: number;
  readonly dots: boolean;
}

const withoutTime = (cell: string): string => cell.trim().replace(TIME, '');

function yearLast(text: string): YearLast | null {
  const found = YEAR_LAST.exec(text);
  if (found === null) return null;
  const [, first, separator, second, year] = found as unknown as [string, string, string, string, string];
  // As spreadsheets read them: 29 is 2029, 30 is 1930.
  const century = year.length === 4 ? 0 : Number(year) < 30 ? 2000 : 1900;
  const dots = separator.startsWith('.');
  return { first: Number(first), second: Number(second), year: century + Number(year), dots };
}

/**
 * Reads a date as spreadsheets write it; a time of day is dropped. Dates with dots have the day first, others the order
 * of their column. Returns it as `YYYY-MM-DD`, or the violation `invalid_date` with the reason.
 */
export function parseDate(cell: string, order: DateOrder = 'unclear'): string | Violation {
  const text = withoutTime(cell);
  const yearFirst = YEAR_FIRST.exec(text);
  if (yearFirst) return calendarDate(Number(yearFirst[1]), Number(yearFirst[2]), Number(yearFirst[3]));
  const date = yearLast(text);
  if (date === null) return NO_DATE;
  const { first, second, year } = date;
  if (date.dots || first === second || order === 'day_first') return calendarDate(year, second, first);
  if (order === 'month_first') return calendarDate(year, first, second);
  if (first > 31 || second > 31) return NO_DATE;
  return order === 'mixed' ? MIXED : UNCLEAR;
}

function calendarDate(year: number, month: number, day: number): string | Violation {
  const pad = (number: number, length: number): string => String(number).padStart(length, '0');
  const text = `${pad(year, 4)}-${pad(month, 2)}-${pad(day, 2)}`;
  return isCalendarDate(text) ? text : NO_DATE;
}

/** Whether a file has columns of dates, so that their order must be found before its rows are checked. */
export const hasDates = (plan: ColumnPlan, customFields: CustomFields): boolean =>
  dateColumns(plan, customFields).length > 0;

function dateColumns({ columns }: ColumnPlan, customFields: CustomFields): number[] {
  return columns
    .filter(
      ({ field }) =>
        field.startsWith('customFields.') && customFields.get(field.slice('customFields.'.length))?.type === 'date',
    )
    .map(({ index }) => index);
}

/** Finds the order of the dates in each column of dates: all rows of a file are added, then `orders` tells. */
export function createOrderFinder(plan: ColumnPlan, customFields: CustomFields) {
  const found = dateColumns(plan, customFields).map((index) => ({
    index,
    any: false,
    dayFirst: false,
    monthFirst: false,
  }));
  return {
    add(rows: readonly ParsedRow[]): void {
      for (const { cells } of rows) {
        for (const column of found) {
          const cell = cells[column.index];
          if (!cell || isCalendarDate(cell)) continue;
          const date = yearLast(withoutTime(cell));
          if (date === null || date.dots) continue;
          const { first, second } = date;
          column.any = true;
          if (first > 12 && first <= 31 && second <= 12) column.dayFirst = true;
          if (second > 12 && second <= 31 && first <= 12) column.monthFirst = true;
        }
      }
    },
    /** Only of columns with dates that need one. */
    orders(): DateOrders {
      return Object.fromEntries(
        found
          .filter(({ any }) => any)
          .map(({ index, dayFirst, monthFirst }) => {
            const order =
              dayFirst && monthFirst ? 'mixed' : dayFirst ? 'day_first' : monthFirst ? 'month_first' : 'unclear';
            return [index, order satisfies DateOrder];
          }),
      );
    },
  };
}
