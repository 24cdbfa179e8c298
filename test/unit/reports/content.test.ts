import assert from 'node:assert/strict';
import { test } from '@jest/globals';
import { changeText } from '../../../domain/reports/content/format.ts';
import { figureOf, LAYOUTS, type Layout } from '../../../domain/reports/content/layouts.ts';
import { campaigns, contentOf, MAY, type Figures } from './support.ts';

const forms = (views: number, submissions: number, conversionRate: number): Figures<'forms'> => ({
  totals: { views, submissions, conversionRate, contacts: 4 },
  byForm: [
    { formId: 1, name: null, views, submissions: 0, conversionRate: 0, contacts: 0 },
    { formId: 2, name: 'Żółw', views: 0, submissions, conversionRate: 1, contacts: 4 },
    { formId: 3, name: null, views: 1, submissions: 0, conversionRate: 0, contacts: 0 },
  ],
  series: [{ at: new Date('2027-05-01T00:00:00Z'), views, submissions, conversionRate }],
});

test('key figures are compared with the period before', () => {
  const content = contentOf('forms', forms(150, 12, 0.08), { before: forms(100, 0, 0.1) });
  assert.deepEqual(
    content.keyFigures.map(({ key, value, previous, change }) => [key, value, previous, change]),
    [
      ['totals.views', 150, 100, 0.5],
      ['totals.submissions', 12, 0, null],
      ['totals.conversionRate', 0.08, 0.1, -0.02],
      ['totals.contacts', 4, 4, 0],
    ],
  );
  assert.deepEqual(content.keyFigures.map(changeText), ['+50%', 'new', '-2 pts', 'no change']);
  assert.deepEqual(content.previousPeriod, { from: '2027-03-31T22:00:00.000Z', to: '2027-04-30T22:00:00.000Z' });
});

test('a breakdown has the largest first, with names, and what is deleted is named by its id', () => {
  const content = contentOf('forms', forms(150, 12, 0.08));
  const [byForm, series] = content.tables;
  assert.deepEqual(
    byForm!.columns.map(({ label }) => label),
    ['Form', 'Id', 'Views', 'Submissions', 'Conversion rate', 'Converted contacts'],
  );
  assert.deepEqual(byForm!.rows, [
    ['Żółw', 2, 0, 12, 1, 4],
    ['Deleted form 1', 1, 150, 0, 0, 0],
    ['Deleted form 3', 3, 1, 0, 0, 0],
  ]);
  assert.deepEqual(series!.rows, [['2027-05-01T00:00:00.000Z', 150, 12, 0.08]]);
  const chart = content.charts.at(-1)!;
  assert.deepEqual([chart.over, chart.points[0], chart.series[1]!.values], ['name', 'Żółw', [12, 0, 0]]);
});

test('what is counted now has no period before', () => {
  const figures = {
    totals: { total: 7, new: 1, unsubscribes: 0 },
    byStatus: [{ status: 'active', count: 7 }],
    series: [],
  };
  const [total, added] = contentOf('contacts', figures).keyFigures;
  assert.deepEqual([total!.previous, total!.change, changeText(total!)], [null, null, '']);
  assert.deepEqual([added!.previous, added!.change, changeText(added!)], [1, 0, 'no change']);
});

test('a chart of names has the ten largest', () => {
  const chart = contentOf('campaigns', campaigns(14, 3)).charts.at(-1)!;
  assert.equal(chart.points.length, 10);
  assert.deepEqual(chart.series[0]!.values, [26, 24, 22, 20, 18, 16, 14, 12, 10, 8]);
});

test('a content has the periods that its figures say they cover', () => {
  const period = { ...MAY, from: new Date('2027-04-30T21:00:00Z') };
  const content = contentOf('forms', forms(1, 1, 1), { period });
  assert.equal(content.period.from, '2027-04-30T21:00:00.000Z');
  assert.deepEqual(content.previousPeriod, { from: '2027-03-30T20:00:00.000Z', to: '2027-04-30T21:00:00.000Z' });
});

test('a breakdown that is cut says so', () => {
  const cut = contentOf('campaigns', { ...campaigns(14, 3), page: { hasMore: true } });
  assert.deepEqual(cut.notes, [
    'By campaign: only the 14 rows with the highest figures of "Sent". All other figures include the rest.',
  ]);
  assert.deepEqual(contentOf('campaigns', { ...campaigns(14, 3), page: { hasMore: false } }).notes, []);
});

test('every figure of a layout has a label', () => {
  for (const layout of Object.values<Layout>(LAYOUTS)) {
    const { breakdown } = layout;
    for (const path of [...layout.keyFigures, ...layout.series, ...(breakdown?.columns ?? [])])
      assert.match(figureOf(path).label, /^[A-Z]/, path);
  }
});
