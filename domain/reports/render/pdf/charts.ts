import type { Chart, ReportContent } from '../../content/content.ts';
import { axisText, figureText } from '../../content/format.ts';
import { niceScale, thinned, type Scale } from './scale.ts';
import { COLOURS, type PdfSheet, type TextStyle } from './sheet.ts';

const TITLE: TextStyle = { size: 10.5, weight: 'bold' };
const LABEL: TextStyle = { size: 7, colour: COLOURS.muted };
const HEAD = 22;
const PLOT = 112;
const AXIS = 18;
const GAP = 16;
/** Up to so many points are marked one by one. */
const MOST_DOTS = 31;
/** Thinner bars are drawn as a line. */
const THINNEST_BAR = 1.5;
const BAR = 7;

interface Area {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Draws a chart at the next place, on a new page if it does not fit. */
export function drawChart(sheet: PdfSheet, chart: Chart, content: ReportContent): void {
  const isEmpty = chart.series.every(({ values }) => values.every((value) => value === 0));
  const byName = chart.over === 'name' && !isEmpty;
  const height = byName ? chart.points.length * groupHeight(chart) + AXIS : isEmpty ? 34 : PLOT + AXIS;
  sheet.ensure(HEAD + height + GAP);
  sheet.line(chart.title, sheet.left, sheet.y, { ...TITLE, width: sheet.width / 2 });
  if (!isEmpty) drawLegend(sheet, chart);
  sheet.y += HEAD;
  if (isEmpty) drawNothing(sheet, height);
  else if (byName) drawBarsByName(sheet, chart);
  else drawOverTime(sheet, chart, content);
  sheet.y += height + GAP;
}

const colourOf = (index: number): string => COLOURS.series[index % COLOURS.series.length]!;

function drawNothing(sheet: PdfSheet, height: number): void {
  sheet.doc.rect(sheet.left, sheet.y, sheet.width, height).fill(COLOURS.fill);
  const style = { ...LABEL, size: 8.5, align: 'center', width: sheet.width } as const;
  sheet.line('No data in this period', sheet.left, sheet.y + height / 2 - 6, style);
}

/** To the right of the title; a single series needs none. */
function drawLegend(sheet: PdfSheet, { series, over }: Chart): void {
  if (series.length === 1 && over === 'at') return;
  let x = sheet.left + sheet.width;
  for (const [index, { label }] of [...series.entries()].reverse()) {
    x -= sheet.widthOf(label, { ...LABEL, size: 8 });
    sheet.line(label, x, sheet.y + 1, { ...LABEL, size: 8 });
    sheet.doc.rect(x - 11, sheet.y + 4, 7, 7).fill(colourOf(index));
    x -= 24;
  }
}

function drawOverTime(sheet: PdfSheet, chart: Chart, content: ReportContent): void {
  const scale = niceScale(Math.max(...chart.series.flatMap(({ values }) => maxOf(values))), chart.unit);
  const labels = scale.ticks.map((tick) => tickText(tick, scale, chart.unit));
  const margin = Math.max(...labels.map((label) => sheet.widthOf(label, LABEL))) + 6;
  const area = { x: sheet.left + margin, y: sheet.y, width: sheet.width - margin, height: PLOT };
  for (const [index, tick] of scale.ticks.entries()) {
    const y = heightOf(tick, scale, area);
    horizontal(sheet, area, y, index === 0 ? COLOURS.muted : COLOURS.line);
    sheet.line(labels[index]!, sheet.left, y - 5, { ...LABEL, align: 'right', width: margin - 6 });
  }
  const bar = (area.width / chart.points.length / chart.series.length) * 0.7;
  if (chart.kind === 'bar' && bar >= THINNEST_BAR) drawBars(sheet, chart, scale, area, Math.min(bar, 22));
  else drawLines(sheet, chart, scale, area);
  drawTimes(sheet, chart, content, area);
}

const maxOf = (values: readonly number[]): number => values.reduce((most, value) => Math.max(most, value), 0);

const heightOf = (value: number, { top }: Scale, { y, height }: Area): number => y + height * (1 - value / top);

/** The middle of the space of a point. */
const middleOf = (index: number, count: number, { x, width }: Area): number => x + (width * (index + 0.5)) / count;

/** With as many decimals as the steps need. */
function tickText(tick: number, { ticks }: Scale, unit: Chart['unit']): string {
  if (unit === 'integer') return figureText(tick, unit);
  const decimals = Number.isInteger(Number((ticks[1]! * 100).toPrecision(6))) ? 0 : 1;
  return `${(tick * 100).toFixed(decimals)}%`;
}

function horizontal({ doc }: PdfSheet, { x, width }: Area, y: number, colour: string): void {
  doc
    .lineWidth(0.5)
    .strokeColor(colour)
    .moveTo(x, y)
    .lineTo(x + width, y)
    .stroke();
}

function drawLines({ doc }: PdfSheet, { points, series }: Chart, scale: Scale, area: Area): void {
  for (const [index, { values }] of series.entries()) {
    const place = (at: number): [number, number] => [
      middleOf(at, points.length, area),
      heightOf(values[at]!, scale, area),
    ];
    doc.lineWidth(1.4).lineJoin('round').strokeColor(colourOf(index)).fillColor(colourOf(index));
    for (const [step, at] of thinned(values, Math.floor(area.width)).entries()) {
      if (step === 0) doc.moveTo(...place(at));
      else doc.lineTo(...place(at));
    }
    doc.stroke();
    if (points.length > MOST_DOTS) continue;
    for (const at of points.keys()) doc.circle(...place(at), 1.7).fill();
  }
}

function drawBars({ doc }: PdfSheet, { points, series }: Chart, scale: Scale, area: Area, bar: number): void {
  const base = area.y + area.height;
  for (const [index, { values }] of series.entries()) {
    for (const at of points.keys()) {
      const x = middleOf(at, points.length, area) + (index - series.length / 2) * bar;
      const top = heightOf(values[at]!, scale, area);
      if (base - top > 0) doc.rect(x, top, bar, base - top).fill(colourOf(index));
    }
  }
}

/** The times below the axis: as many as fit without touching. */
function drawTimes(sheet: PdfSheet, { points }: Chart, { period }: ReportContent, area: Area): void {
  const days = (Date.parse(period.to) - Date.parse(period.from)) / 86_400_000;
  const texts = points.map((at) => axisText(at, period, days));
  const widest = texts.slice(0, 100).reduce((most, text) => Math.max(most, sheet.widthOf(text, LABEL)), 0) + 12;
  const stride = Math.ceil(widest / (area.width / points.length));
  const end = area.x + area.width + 6;
  for (let at = 0; at < points.length; at += stride) {
    const start = middleOf(at, points.length, area) - widest / 2;
    if (start + widest > end && at > 0) break;
    sheet.line(texts[at]!, start, area.y + area.height + 5, { ...LABEL, align: 'center', width: widest });
  }
}

const groupHeight = ({ series }: Chart): number => series.length * BAR + 9;

/** Horizontal bars, a group for each name, each with its figure. */
function drawBarsByName(sheet: PdfSheet, chart: Chart): void {
  const { doc, left, y, width } = sheet;
  const names = Math.min(170, Math.max(...chart.points.map((name) => sheet.widthOf(name, { ...LABEL, size: 8 }))) + 4);
  const area = {
    x: left + names + 8,
    y,
    width: width - names - 8 - 44,
    height: chart.points.length * groupHeight(chart),
  };
  const most = Math.max(1, ...chart.series.map(({ values }) => maxOf(values)));
  for (const [at, name] of chart.points.entries()) {
    const top = y + at * groupHeight(chart);
    const middle = top + (chart.series.length * BAR) / 2;
    sheet.line(name, left, middle - 6, { size: 8, align: 'right', width: names });
    for (const [index, { values }] of chart.series.entries()) {
      const length = Math.max(0.75, (area.width * values[at]!) / most);
      const barTop = top + index * BAR;
      doc.rect(area.x, barTop, length, BAR - 1.5).fill(colourOf(index));
      sheet.line(figureText(values[at]!, chart.unit), area.x + length + 4, barTop - 1.8, { ...LABEL, size: 6.5 });
    }
  }
  doc
    .lineWidth(0.5)
    .strokeColor(COLOURS.muted)
    .moveTo(area.x, y - 3)
    .lineTo(area.x, y + area.height - 6)
    .stroke();
}
