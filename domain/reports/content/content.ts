import type { ReportType } from '../../../db/entities/reports.ts';
import type { Interval } from '../../common/period.ts';

/** A figure is an integer, or a fraction 0..1 (`percent`). */
export type FigureKind = 'integer' | 'percent';

/** A figure of the period, and of the period before. */
export interface KeyFigure {
  /** Its path in the answer of the API: `emails.openRate`. */
  key: string;
  label: string;
  kind: FigureKind;
  value: number;
  /** In the period before; null for what is counted now, not over a period. */
  previous: number | null;
  /**
   * Against the period before. Integers: a fraction of it, 0.5 = half as much again, null if it was 0. Percentages: the
   * difference, 0.02 = 2 percentage points.
   */
  change: number | null;
  /** Whether a higher value is better; null if neither is. */
  higherIsBetter: boolean | null;
}

export interface ChartSeries {
  key: string;
  label: string;
  values: number[];
}

/** A chart over time (`at`, RFC 3339), or of named things (`name`). */
export interface Chart {
  title: string;
  kind: 'line' | 'bar';
  unit: FigureKind;
  over: 'at' | 'name';
  points: string[];
  series: ChartSeries[];
}

export interface ReportColumn {
  key: string;
  label: string;
  /** `at`: the start of an interval (RFC 3339), shown as a date or time in the report's timezone. */
  kind: FigureKind | 'text' | 'id' | 'at';
}

export type ReportCell = string | number | null;

export interface ReportTable {
  /** Its name in the answer of the API: `series`, `byTemplate`. */
  key: string;
  title: string;
  columns: ReportColumn[];
  /** One cell per column. */
  rows: ReportCell[][];
}

/** What a report says, in any format. Times are RFC 3339 in UTC. */
export interface ReportContent {
  type: ReportType;
  title: string;
  tenantId: string;
  period: { from: string; to: string; interval: Interval; timezone: string };
  previousPeriod: { from: string; to: string };
  generatedAt: string;
  /** The figures are complete up to then. */
  asOf: string;
  /** What is not as usual, for whoever reads it. */
  notes: string[];
  keyFigures: KeyFigure[];
  charts: Chart[];
  tables: ReportTable[];
}

/** Whether nothing at all happened in the period. */
export const isEmpty = ({ keyFigures, tables }: ReportContent): boolean =>
  keyFigures.every(({ value, previous }) => previous === null || value === 0) &&
  tables.every(({ columns, rows }) =>
    rows.every((row) => row.every((cell, index) => !isFigure(columns[index]!) || cell === 0)),
  );

export const isFigure = ({ kind }: ReportColumn): boolean => kind === 'integer' || kind === 'percent';
