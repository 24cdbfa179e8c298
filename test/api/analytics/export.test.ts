import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import { problemsOf, newTenant } from '../../support/accounts.ts';
import { download, type Downloaded } from '../../support/download.ts';
import { eventOf, publish, settled } from '../../support/events.ts';
import { makeTemplate } from '../../support/mail/emails.ts';
import { readPdf, readWorkbook } from '../../support/report-files.ts';
import { startService, type Service } from '../../support/service.ts';

let service: Service;
let templateId: number;
const TYPES = ['dashboard', 'campaigns', 'contacts', 'emails', 'forms'] as const;
const FEBRUARY = { from: '2026-01-31T23:00:00Z', to: '2026-02-28T23:00:00Z', timezone: 'Europe/Warsaw' };

beforeAll(async () => {
  service = await startService({ worker: ['intake', 'consumers', 'relay'] });
  templateId = await makeTemplate(service, { name: '=Żółta „ulotka”' });
  const on = (day: string) => new Date(`${day}T12:00:00Z`);
  const sent = (day: string, emailId: number) =>
    eventOf('EMAIL_SENT', { emailId, recipientId: emailId, status: 'SENT', templateId, campaignId: 77 }, on(day));
  const opened = (day: string, emailId: number) =>
    eventOf(
      'EMAIL_OPENED',
      { emailId, contactId: null, automated: false, first: true, templateId, campaignId: 77 },
      on(day),
    );
  await publish(
    service,
    ...[1, 2, 3, 4].map((n) => sent('2026-01-10', n)),
    ...[5, 6, 7, 8, 9, 10].map((n) => sent('2026-02-0' + String(n - 4), n)),
    opened('2026-01-11', 1),
    ...[5, 6, 7].map((n) => opened('2026-02-20', n)),
    eventOf('FORM_SUBMITTED', { formId: 5, contactId: 1, submissionId: 1 }, on('2026-02-03')),
    eventOf('CONTACT_UNSUBSCRIBED', { contactId: 1, reason: 'api' }, on('2026-02-04')),
  );
  await settled(service, 'analytics');
});
afterAll(() => service.stop());

const query = (parameters: Record<string, string>): string => new URLSearchParams(parameters).toString();
const exported = (parameters: Record<string, string>): Promise<Downloaded> =>
  download(service, `/analytics/export?${query(parameters)}`);
async function figures(type: string, parameters: Record<string, string>) {
  const { status, body } = await service.api('GET', `/analytics/${type}?${query(parameters)}`);
  assert.equal(status, 200);
  return body;
}
const linesOf = ({ text }: Downloaded) => parse<Record<string, string>>(text, { columns: true });
/** All numbers of an object by their paths. */
const leaves = (value: Record<string, unknown>, path = ''): [string, number][] =>
  Object.entries(value).flatMap(([key, inner]): [string, number][] => {
    if (typeof inner === 'number') return [[`${path}${key}`, inner]];
    return inner && typeof inner === 'object' && !Array.isArray(inner)
      ? leaves(inner as Record<string, unknown>, `${path}${key}.`)
      : [];
  });

test.each(TYPES)('%s: the CSV has every figure of the API, and of the month before', async (type) => {
  const answer = await exported({ type, format: 'csv', ...FEBRUARY });
  assert.equal(answer.status, 200, answer.text);
  const lines = linesOf(answer);
  const body = await figures(type, FEBRUARY);
  const { series, period: _period, asOf: _asOf, page: _page, ...totals } = body;
  const of = (section: string) => lines.filter((line) => line['section'] === section);
  const pairs = (section: string) =>
    Object.fromEntries(of(section).map(({ metric, value }) => [metric, Number(value)]));
  assert.deepEqual(pairs('period'), Object.fromEntries(leaves(totals)));
  const january = { from: '2025-12-31T23:00:00Z', to: FEBRUARY.from, timezone: FEBRUARY.timezone };
  const before = Object.fromEntries(leaves(await figures(type, january)));
  for (const [metric, value] of Object.entries(pairs('previousPeriod'))) assert.equal(value, before[metric], metric);
  const points = series.flatMap(({ at, ...point }: { at: string }) =>
    leaves(point).map(([metric, value]) => `${at} ${metric} ${value}`),
  );
  const written = of('series').map(({ at, metric, value }) => `${at} ${metric} ${value}`);
  assert.deepEqual(written.toSorted(), points.toSorted());
  assert.equal(series.length, 28);
  // Each part of a breakdown, by its id: none in the dashboard, statuses of no contacts.
  for (const [section, parts] of Object.entries<Record<string, number>[]>(totals).filter(([, one]) =>
    Array.isArray(one),
  )) {
    const figuresOf = parts.flatMap(({ campaignId, templateId, formId, ...part }) =>
      leaves(part).map(([metric, value]) => `${campaignId ?? templateId ?? formId ?? ''} ${metric} ${value}`),
    );
    const lines = of(section).map(({ id, metric, value }) => `${id} ${metric} ${value}`);
    assert.deepEqual(lines.toSorted(), figuresOf.toSorted(), section);
  }
  if (type !== 'dashboard' && type !== 'contacts')
    assert.ok(lines.some(({ section, value }) => section!.startsWith('by') && Number(value) > 0));
});

test('a csv begins with a byte order mark if that is asked for', async () => {
  const marked = await exported({ type: 'emails', format: 'csv', bom: 'true', ...FEBRUARY });
  assert.deepEqual([...marked.bytes.subarray(0, 4)], [0xef, 0xbb, 0xbf, 's'.charCodeAt(0)]);
  const book = await exported({ type: 'emails', format: 'xlsx', bom: 'true', ...FEBRUARY });
  assert.equal(book.bytes[0], 'P'.charCodeAt(0));
});

test('emails in all formats: the figures are those of the API, with the names of templates', async () => {
  const { totals, byTemplate } = await figures('emails', FEBRUARY);
  assert.deepEqual([totals.sent, totals.opens, totals.unsubscribes, byTemplate.length], [6, 3, 1, 2]);

  const book = readWorkbook((await exported({ type: 'emails', format: 'xlsx', ...FEBRUARY })).bytes);
  const row = (label: string) => book.get('Summary')!.rows.find(([first]) => first === label);
  assert.deepEqual(row('Sent'), ['Sent', 6, 4, 0.5, null]);
  assert.deepEqual(row('Open rate'), ['Open rate', 0.5, 0.25, 0.25, 'percentage points']);
  const parts = book.get('By template')!.rows;
  assert.deepEqual(parts[1]!.slice(0, 3), ['=Żółta „ulotka”', templateId, 6]);
  assert.deepEqual([parts[2]![0], parts[2]![parts[0]!.indexOf('Unsubscribes')]], ['No template', 1]);

  const { pages } = await readPdf((await exported({ type: 'emails', format: 'pdf', ...FEBRUARY })).bytes);
  const text = pages.join('\n');
  for (const shown of ['1 Feb 2026 – 28 Feb 2026', '=Żółta „ulotka”', '▲ +50% (was 4)', '50.0%', '+25 pts (was 25.0%)'])
    assert.ok(text.includes(shown), `${shown}: ${text}`);
});

test('a download has a name, its type, and is not stored', async () => {
  const types = {
    csv: 'text/csv; charset=utf-8',
    pdf: 'application/pdf',
    xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  };
  for (const [format, type] of Object.entries(types)) {
    const { status, headers, bytes } = await exported({ type: 'forms', format, ...FEBRUARY });
    assert.equal(status, 200);
    assert.equal(headers.get('content-type'), type);
    assert.equal(headers.get('content-disposition'), `attachment; filename="Forms 2026-02-01 to 2026-02-28.${format}"`);
    assert.equal(headers.get('cache-control'), 'private, no-store');
    assert.equal(Number(headers.get('content-length')), bytes.length);
  }
  assert.match((await exported({ type: 'contacts' })).headers.get('content-type')!, /csv/);
});

test('a request that is not valid gets all its violations', async () => {
  const problems = async (parameters: Record<string, string>) => {
    const answer = await service.api('GET', `/analytics/export?${query(parameters)}`);
    assert.equal(answer.status, 400);
    return problemsOf(answer);
  };
  assert.deepEqual(await problems({}), ['/type required']);
  assert.deepEqual(await problems({ type: 'people', format: 'json', colour: 'red' }), [
    '/colour unknown_field',
    '/format enum',
    '/type enum',
  ]);
  assert.deepEqual(await problems({ type: 'emails', from: FEBRUARY.to, to: FEBRUARY.from, timezone: 'Mars/One' }), [
    '/from out_of_range',
    '/timezone timezone',
  ]);
  assert.deepEqual(
    await problems({ type: 'emails', from: '2000-01-01T00:00:00Z', to: '2020-01-01T00:00:00Z', interval: 'hour' }),
    ['/interval out_of_range'],
  );
});

test('another tenant sees its own figures only', async () => {
  const other = await newTenant(service);
  const answer = await download(service, `/analytics/export?${query({ type: 'emails', ...FEBRUARY })}`, other.token);
  assert.equal(answer.status, 200);
  const sent = linesOf(answer).find(({ metric }) => metric === 'totals.sent');
  assert.equal(sent!['value'], '0');
  assert.ok(!answer.text.includes('ulotka'));
});

test('the event loop goes on while exports are made, and too many at once are refused', async () => {
  const all = Array.from({ length: 8 }, () => exported({ type: 'emails', format: 'pdf', ...FEBRUARY }));
  const health = await service.api('GET', '/health', undefined, { token: null });
  assert.equal(health.status, 200);
  const statuses = (await Promise.all(all)).map(({ status }) => status).sort();
  assert.deepEqual(statuses, [200, 200, 200, 200, 200, 503, 503, 503]);
});
