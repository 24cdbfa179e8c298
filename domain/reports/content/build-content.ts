import type { Period } from '../../common/period.ts';
import type { ReportType } from '../../../db/entities/reports.ts';
import type { Chart, KeyFigure, ReportCell, ReportColumn, ReportContent, ReportTable } from './content.ts';
import { figureText } from './format.ts';
import { figureOf, LAYOUTS, type Breakdown, type Layout } from './layouts.ts';

/** How many of the largest rows a chart of named things has. */
const CHART_NAMES = 10;

type Row = Record<string, ReportCell>;
/** The answer of the API, of any type. */
type Answer = Record<string, unknown> & {
  period: Period;
  series: (Record<string, unknown> & { at: Date })[];
  /** Of a breakdown. */
  page?: { hasMore: boolean };
};

export interface ReportSource {
  type: ReportType;
  /** The name that a user gave it; null: named by its type. */
  title: string | null;
  tenantId: string;
  generatedAt: Date;
  asOf: Date;
  /** The figures of the period, and the totals of the one before; each with the period that it covers. */
  figures: { period: Period };
  before: { period: Period };
}

/** Makes the content of a report from figures as the API answers them. */
export function buildContent(source: ReportSource): ReportContent {
  const { type, generatedAt, asOf } = source;
  const layout: Layout = LAYOUTS[type];
  const [answer, before] = [source.figures as Answer, source.before as Answer];
  const { period } = answer;
  const { breakdown } = layout;
  const parts = breakdown ? breakdownRows(answer, breakdown) : [];
  const nameOf = (row: Row): string => rowName(row, breakdown!);
  return {
    type,
    title: source.title ?? layout.title,
    tenantId: source.tenantId,
    period: { ...period, from: period.from.toISOString(), to: period.to.toISOString() },
    previousPeriod: { from: before.period.from.toISOString(), to: before.period.to.toISOString() },
    generatedAt: generatedAt.toISOString(),
    asOf: asOf.toISOString(),
    notes: breakdown && answer.page?.hasMore ? [cutNote(breakdown, parts.length)] : [],
    keyFigures: layout.keyFigures.map((key) => keyFigure(key, answer, layout.now.includes(key) ? null : before)),
    charts: [
      ...layout.charts.map((chart) => timeChart(chart, answer)),
      ...(breakdown ? [nameChart(breakdown, parts, nameOf)] : []),
    ],
    tables: [...(breakdown ? [breakdownTable(breakdown, parts, nameOf)] : []), seriesTable(layout, answer)],
  };
}

/** The rows of a breakdown, the largest first. */
function breakdownRows(answer: object, { key, by, orderBy }: Breakdown): Row[] {
  const found = (answer as Record<string, Row[]>)[key]!;
  return found.toSorted(
    (one, other) => Number(other[orderBy]) - Number(one[orderBy]) || Number(one[by]) - Number(other[by]) || 0,
  );
}

const cutNote = ({ title, orderBy }: Breakdown, count: number): string =>
  `${title}: only the ${figureText(count, 'integer')} rows with the highest figures of "${figureOf(orderBy).label}". All other figures include the rest.`;

function rowName(row: Row, { by, of }: Breakdown): string {
  const value = row[by];
  if (of === 'status') return String(value);
  if (typeof value !== 'number') return `No ${of}`;
  return row['name'] === null ? `Deleted ${of} ${value}` : String(row['name']);
}

const at = (answer: object, path: string): number =>
  path.split('.').reduce<unknown>((value, part) => (value as Record<string, unknown>)[part], answer) as number;

/** Fractions are kept to four decimals, as the API's rates are. */
const rounded = (value: number): number => Math.round(value * 10_000) / 10_000;

function keyFigure(key: string, answer: Answer, before: Answer | null): KeyFigure {
  const { label, kind, higherIsBetter } = figureOf(key);
  const value = at(answer, key);
  const previous = before && at(before, key);
  let change: number | null = null;
  if (previous !== null) {
    if (kind === 'percent') change = rounded(value - previous);
    else if (previous !== 0) change = rounded((value - previous) / previous);
  }
  return { key, label, kind, value, previous, change, higherIsBetter };
}

function timeChart({ title, kind, unit = 'integer', figures }: Layout['charts'][number], { series }: Answer): Chart {
  return {
    title,
    kind,
    unit,
    over: 'at',
    points: series.map((point) => point.at.toISOString()),
    series: figures.map((key) => ({
      key,
      label: figureOf(key).label,
      values: series.map((point) => point[key] as number),
    })),
  };
}

function nameChart({ chart }: Breakdown, rows: Row[], nameOf: (row: Row) => string): Chart {
  const shown = rows.filter((row) => chart.figures.some((key) => row[key] !== 0)).slice(0, CHART_NAMES);
  return {
    title: chart.title,
    kind: 'bar',
    unit: 'integer',
    over: 'name',
    points: shown.map(nameOf),
    series: chart.figures.map((key) => ({
      key,
      label: figureOf(key).label,
      values: shown.map((row) => row[key] as number),
    })),
  };
}

/** The column of a figure in the table of a list. */
function figureColumn(list: string, key: string): ReportColumn {
  const { label, kind } = figureOf(`${list}.${key}`);
  return { key, label, kind };
}

function breakdownTable(breakdown: Breakdown, rows: Row[], nameOf: (row: Row) => string): ReportTable {
  const { key, title, by, of, columns } = breakdown;
  const hasIds = of !== 'status';
  const name = hasIds ? `${of[0]!.toUpperCase()}${of.slice(1)}` : 'Status';
  return {
    key,
    title,
    columns: [
      { key: hasIds ? 'name' : by, label: name, kind: 'text' },
      ...(hasIds ? [{ key: by, label: 'Id', kind: 'id' } as const] : []),
      ...columns.map((column) => figureColumn(key, column)),
    ],
    rows: rows.map((row) => [
      nameOf(row),
      ...(hasIds ? [row[by] ?? null] : []),
      ...columns.map((column) => at(row, column) ?? null),
    ]),
  };
}

function seriesTable({ series }: Layout, answer: Answer): ReportTable {
  return {
    key: 'series',
    title: 'Over time',
    columns: [{ key: 'at', label: 'From', kind: 'at' }, ...series.map((figure) => figureColumn('series', figure))],
    rows: answer.series.map((point) => [point.at.toISOString(), ...series.map((key) => point[key] as number)]),
  };
}
