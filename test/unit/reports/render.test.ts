import assert from 'node:assert/strict';
import { test } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import type { ReportFormat } from '../../../db/entities/reports.ts';
import type { ReportContent } from '../../../domain/reports/content/content.ts';
import { LAYOUTS } from '../../../domain/reports/content/layouts.ts';
import { renderInThread, RenderError } from '../../../domain/reports/render/report-thread.ts';
import { readPdf, readWorkbook } from '../../support/report-files.ts';
import { campaigns, contentOf, MAY } from './support.ts';

const HOUR_MS = 3_600_000;
const { keyFigures, breakdown, series: timeFigures } = LAYOUTS.campaigns;
/** The lines of a CSV: figures of two periods, those of `parts` campaigns and of `points` intervals. */
const csvLines = (parts: number, points: number): number =>
  keyFigures.length * 2 + parts * breakdown!.columns.length + points * timeFigures.length;
const render = (content: ReportContent, format: ReportFormat) => renderInThread({ content, format });
const names = new Map([
  [14, 'Zażółć gęślą jaźń'],
  [13, '日本の皆様へ'],
  [12, '=SUM(A1:A9)'],
  [11, `Ελληνικά и русский, "quoted",\r\nin lines`],
  [10, 'x'.repeat(300)],
]);
const month = contentOf('campaigns', campaigns(14, 31, { names }), { title: 'Board – maj / 5月' });

test('what the font of a PDF lacks is named, and the rest is printed', async () => {
  for (const [title, printed] of [
    ['🎉 Größe 👩‍💻👍🏽 ✓ Ж 日本', '[emoji] Größe [emoji] ✓ Ж 日本'],
    ['Отчёт: مرحبا بكم!', 'Отчёт: [Arabic]!'],
    ['한국어 보고서 1', '[Korean] 1'],
    ['🇩🇪 ไทย 1️⃣ अ ✓\uFE0F \u{1D11E}', '[emoji] [Thai] [emoji] [Devanagari] ✓ [?]'],
    ['🎉', '[emoji]'],
  ] as const) {
    const { pages, info } = await readPdf(await render({ ...month, title }, 'pdf'));
    assert.ok(pages[0]!.includes(printed), `${title}: ${pages[0]!.slice(0, 200)}`);
    assert.equal(info['Title'], title);
  }
});

test('JSON is the content itself', async () => {
  const text = new TextDecoder().decode(await render(month, 'json'));
  assert.deepEqual(JSON.parse(text), JSON.parse(JSON.stringify(month)));
});

test('CSV: RFC 4180, a figure per row, formulas escaped', async () => {
  const text = new TextDecoder().decode(await render(month, 'csv'));
  assert.ok(text.endsWith('\r\n') && !/[^\r]\n(?!lines)/.test(text.replace('\r\nin lines', '')), 'lines end with CRLF');
  const [header, ...lines] = parse(text, { record_delimiter: '\r\n' });
  assert.deepEqual(header, ['section', 'at', 'id', 'name', 'metric', 'value']);
  const find = (...[section, at, id, name, metric]: string[]) =>
    lines.find((line) => [section, at, id, name, metric].every((cell, index) => line[index] === cell))?.[5];
  const { from } = month.period;
  assert.equal(find('period', from, '', '', 'totals.clickRate'), '0.1234');
  assert.equal(find('previousPeriod', month.previousPeriod.from, '', '', 'totals.sent'), '1000');
  assert.equal(find('byCampaign', '', '14', 'Zażółć gęślą jaźń', 'sent'), '26');
  assert.equal(find('byCampaign', '', '12', "'=SUM(A1:A9)", 'sent'), '22');
  assert.equal(find('byCampaign', '', '11', 'Ελληνικά и русский, "quoted",\r\nin lines', 'opens'), '20');
  assert.equal(find('series', '2027-05-31T22:00:00.000Z', '', '', 'sent'), undefined, 'the end is exclusive');
  assert.equal(find('series', '2027-05-30T22:00:00.000Z', '', '', 'sent'), '0');
  assert.equal(lines.length, csvLines(14, 31));
});

test('XLSX: typed cells, formats, widths, frozen headers', async () => {
  const book = readWorkbook(await render(month, 'xlsx'));
  assert.deepEqual([...book.keys()], ['Summary', 'By campaign', 'Over time']);
  const summary = book.get('Summary')!;
  assert.deepEqual(summary.rows[0], ['Board – maj / 5月']);
  assert.deepEqual(summary.rows[1], ['Period', '1 May 2027 – 31 May 2027 (Europe/Warsaw)']);
  const clickRate = summary.rows.findIndex(([label]) => label === 'Click rate');
  assert.deepEqual(summary.rows[clickRate], ['Click rate', 0.1234, 0.1234, 0, 'percentage points']);
  assert.deepEqual(summary.formats[clickRate]!.slice(0, 4), ['General', '0.00%', '0.00%', '0.00%']);
  const parts = book.get('By campaign')!;
  assert.deepEqual(parts.rows[0]!.slice(0, 5), ['Campaign', 'Id', 'Entries', 'Completions', 'Sent']);
  assert.deepEqual(parts.rows[1]!.slice(0, 5), ['Zażółć gęślą jaźń', 14, 1, 0, 26]);
  assert.equal(parts.rows[3]![0], '=SUM(A1:A9)');
  assert.equal(parts.formats[1]![4], '#,##0');
  const series = book.get('Over time')!;
  // 1 May 2027 is day 46,508 after 30 December 1899; midnight in Warsaw.
  assert.deepEqual([series.rows[1]![0], series.formats[1]![0]], [46_508, 'yyyy-mm-dd']);
  for (const { xml } of book.values()) assert.match(xml, /<pane ySplit="[18]" [^>]*state="frozen"/);
  assert.match(parts.xml, /<cols><col min="1" max="1" width="40" customWidth="1"\/>/);

  const hourly = contentOf('campaigns', campaigns(1, 48, { stepMs: HOUR_MS }), {
    period: { ...MAY, interval: 'hour' },
  });
  const hours = readWorkbook(await render(hourly, 'xlsx')).get('Over time')!;
  assert.equal(hours.formats[2]![0], 'yyyy-mm-dd hh:mm');
  assert.ok(Math.abs(Number(hours.rows[2]![0]) - (46_508 + 1 / 24)) < 1e-6, String(hours.rows[2]![0]));
});

test('PDF: title, period, figures, all scripts, page numbers, an embedded font', async () => {
  const bytes = await render(month, 'pdf');
  const { pages, info } = await readPdf(bytes);
  assert.equal(info['Title'], 'Board – maj / 5月');
  assert.ok(pages[0]!.includes('Board – maj / 5月'), pages[0]);
  assert.ok(pages[0]!.includes('1 May 2027 – 31 May 2027'));
  assert.ok(pages[0]!.includes('Compared with 1 Apr 2027 – 30 Apr 2027'));
  const whole = pages.join('\n');
  for (const text of ['Zażółć gęślą jaźń', '日本の皆様へ', '=SUM(A1:A9)', 'Ελληνικά и русский', '12.3%'])
    assert.ok(whole.includes(text), text);
  assert.ok(!whole.includes('x'.repeat(100)) && /x{15,}\.\.\./.test(whole), 'a long name is cut');
  pages.forEach((page, index) => {
    assert.ok(page.includes(`Page ${index + 1} of ${pages.length}`), page);
    assert.ok(page.includes('Figures complete up to 1 Jun 2027, 08:00'), page);
  });
  const raw = Buffer.from(bytes).toString('latin1');
  assert.match(raw, /\/BaseFont \/[A-Z]{6}\+MPLUS1p-Regular/);
  assert.match(raw, /\/FontFile2 \d+ 0 R/);
  assert.ok(bytes.length < 100_000, 'only the glyphs that are used are embedded');
});

test('a table that breaks over pages repeats its header', async () => {
  const { pages } = await readPdf(await render(contentOf('campaigns', campaigns(120, 3)), 'pdf'));
  const withRows = pages.filter((page) => /Campaign \d+ /.test(page) && page.includes('Unsubscribes'));
  assert.ok(withRows.length >= 4, String(withRows.length));
  assert.ok(pages.at(-2)!.includes('Not shown: Contacts who clicked, Failed,'), pages.at(-2));
  assert.ok(pages.slice(2, -1).every((page) => page.includes('Completions') && page.includes('Campaign')));
});

test('an empty period says so', async () => {
  const none = { totals: { views: 0, submissions: 0, conversionRate: 0, contacts: 0 }, byForm: [], series: [] };
  const { pages } = await readPdf(await render(contentOf('forms', none), 'pdf'));
  assert.ok(pages[0]!.includes('Nothing happened in this period.'));
  assert.ok(pages[0]!.includes('No data in this period'));
});

test('thousands of points and rows: the PDF says what it leaves out, the others leave out nothing', async () => {
  const huge = contentOf('campaigns', campaigns(10_000, 5000, { stepMs: HOUR_MS }), {
    period: { ...MAY, interval: 'hour' },
  });
  const { pages } = await readPdf(await render(huge, 'pdf'));
  const whole = pages.join('\n');
  assert.ok(whole.includes('The first 1,000 of 10,000 rows.') && whole.includes('The first 1,000 of 5,000 rows.'));
  const sheets = readWorkbook(await render(huge, 'xlsx'));
  assert.deepEqual([sheets.get('By campaign')!.rows.length, sheets.get('Over time')!.rows.length], [10_001, 5001]);
  const lines = new TextDecoder().decode(await render(huge, 'csv')).split('\r\n');
  // The header, and the end of the last line.
  assert.equal(lines.length, 1 + csvLines(10_000, 5000) + 1);
});

test('every format has the notes', async () => {
  const cut = contentOf('campaigns', { ...campaigns(14, 3), page: { hasMore: true } });
  const [note] = cut.notes;
  const text = new TextDecoder().decode(await render(cut, 'csv'));
  assert.deepEqual(parse(text, { record_delimiter: '\r\n' })[1], ['note', '', '', note, '', '']);
  const summary = readWorkbook(await render(cut, 'xlsx')).get('Summary')!;
  assert.deepEqual(
    summary.rows.find(([label]) => label === 'Note'),
    ['Note', note],
  );
  assert.match(summary.xml, /<pane ySplit="9" /);
  assert.ok((await readPdf(await render(cut, 'pdf'))).pages[0]!.includes('only the 14 rows'));
  assert.deepEqual(JSON.parse(new TextDecoder().decode(await render(cut, 'json'))).notes, [note]);
});

test('a thread that takes too long or too much memory, or that fails, says so', async () => {
  const failure = async (content: ReportContent, limits?: { memoryMb: number; ms: number }): Promise<string> => {
    const error: unknown = await renderInThread({ content, format: 'csv' }, undefined, limits).catch((one) => one);
    assert.ok(error instanceof RenderError, String(error));
    return error.message;
  };
  assert.equal(await failure(month, { memoryMb: 512, ms: 1 }), 'Rendering the report took too long');
  const large = contentOf('campaigns', campaigns(20_000, 5000, { stepMs: HOUR_MS }));
  assert.equal(await failure(large, { memoryMb: 32, ms: 60_000 }), 'Rendering the report took too much memory');
  const wrong = { ...month, tables: null as never };
  assert.equal(await failure(wrong), 'The report could not be rendered');
});

test('a thread that is aborted ends', async () => {
  const controller = new AbortController();
  const made = renderInThread({ content: month, format: 'pdf' }, controller.signal);
  controller.abort(new Error('shut down'));
  await assert.rejects(made, /shut down/);
});
