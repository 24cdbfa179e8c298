import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import { engineEm, sql, tenantEm } from '../../../db/orm.ts';
import { expireReportFiles, makeRoom } from '../../../domain/reports/report-files.ts';
import { KEPT, readFile } from '../../../events/file-store.ts';
import { removeFiles } from '../../../runtime/kept-files.ts';
import { newTenant, outcome, problemsOf } from '../../support/accounts.ts';
import { download } from '../../support/download.ts';
import { readPdf, readWorkbook } from '../../support/report-files.ts';
import { startService, type Service } from '../../support/service.ts';
import { MAY, reportsOf, TENANT } from './report-support.ts';

let service: Service;
let reports: ReturnType<typeof reportsOf>;
beforeAll(async () => {
  service = await startService({ worker: ['temporal', 'relay'] });
  reports = reportsOf(service);
});
afterAll(() => service.stop());

const keyOf = async (reportId: number): Promise<string | null> =>
  (
    await reports.query<{ key: string | null }>(
      sql`select object_key as key from analytics_report_runs where report_id = ${reportId} order by id desc`,
    )
  )[0]?.key ?? null;
async function isStored(key: string): Promise<boolean> {
  try {
    for await (const _ of readFile(service.deps.nats, key, 0, KEPT).content);
    return true;
  } catch {
    return false;
  }
}

test('a report in each format: made, downloaded under its name', async () => {
  const answer = await service.api('POST', '/analytics/reports', {
    name: 'Maj / 五月',
    type: 'dashboard',
    format: 'pdf',
    ...MAY,
  });
  assert.equal(answer.status, 202);
  assert.equal(answer.headers.get('location'), `/api/v1/analytics/reports/${answer.body.id}`);
  assert.deepEqual([answer.body.status, answer.body.downloadUrl, answer.body.progress], ['PENDING', null, 0]);
  const done = await reports.ended(answer.body.id);
  assert.deepEqual([done.status, done.progress, done.error, done.version], ['COMPLETED', 100, null, 1]);
  assert.deepEqual([done.from, done.to, done.timezone], [MAY.from, MAY.to, MAY.timezone]);
  assert.equal(Date.parse(done.expiresAt) - Date.parse(done.finishedAt), 90 * 86_400_000);
  const pdf = await download(service, done.downloadUrl);
  assert.equal(pdf.status, 200);
  assert.equal(pdf.bytes.length, done.size);
  assert.equal(
    pdf.headers.get('content-disposition'),
    `attachment; filename="Maj - ?? 2026-05-01 to 2026-05-31.pdf"; filename*=UTF-8''Maj%20-%20%E4%BA%94%E6%9C%88%202026-05-01%20to%202026-05-31.pdf`,
  );
  assert.ok((await readPdf(pdf.bytes)).pages[0]!.includes('Maj / 五月'));

  for (const format of ['json', 'csv', 'xlsx'] as const) {
    const { id } = await reports.create({ format, ...MAY });
    await reports.ended(id);
    const file = await download(service, `/analytics/reports/${id}/download`);
    assert.equal(file.status, 200);
    if (format === 'json') assert.equal(JSON.parse(file.text).title, 'Monthly');
    else if (format === 'csv') assert.equal(parse(file.text, { columns: true }).length > 31, true);
    else assert.equal(readWorkbook(file.bytes).get('Summary')!.rows[0]![0], 'Monthly');
  }
});

test('a list of reports, and of the runs of one', async () => {
  const { id } = await reports.create({ name: 'Listed', type: 'forms', ...MAY });
  await reports.ended(id);
  const { data } = await reports.call('GET', '?type=forms', 200);
  assert.deepEqual(
    data.map((report: { id: number; status: string }) => [report.id, report.status]),
    [[id, 'COMPLETED']],
  );
  const runs = await reports.call('GET', `/${id}/runs?status=COMPLETED`, 200);
  assert.equal(runs.data.length, 1);
  const [run] = runs.data;
  assert.deepEqual([run.reportId, run.scheduledAt, run.status, run.interval], [id, null, 'COMPLETED', 'day']);
  assert.equal((await download(service, run.downloadUrl)).status, 200);
  assert.deepEqual((await reports.call('GET', `/${id}/runs?status=FAILED`, 200)).data, []);
});

test('an invalid report gets all its violations, and nothing is stored', async () => {
  const schedule = { cron: '0 6 1 * *', timezone: 'Europe/Warsaw', recipients: ['admin@example.com'], period: 'month' };
  const before = (await reports.call('GET', '?includeTotal=true', 200)).page.total;
  const problems = async (fields: object) => {
    const answer = await service.api('POST', '/analytics/reports', {
      name: 'Bad',
      type: 'emails',
      format: 'csv',
      ...fields,
    });
    assert.equal(answer.status, 400, JSON.stringify(answer.body));
    return problemsOf(answer);
  };
  assert.deepEqual(await problems({ name: '', type: 'people', format: 'doc', id: 7 }), [
    '/format enum',
    '/id read_only',
    '/name too_short',
    '/type enum',
  ]);
  assert.deepEqual(await problems({ from: MAY.to, to: MAY.from, timezone: '+02:00', interval: 'year' }), [
    '/from out_of_range',
    '/interval enum',
    '/timezone timezone',
  ]);
  assert.deepEqual(await problems({ ...MAY, schedule }), [
    '/from not_allowed',
    '/timezone not_allowed',
    '/to not_allowed',
  ]);
  const strangers = ['admin@example.com', 'stranger@example.com'];
  assert.deepEqual(
    await problems({ schedule: { cron: '61 6 1 * *', timezone: 'Mars/One', recipients: strangers, period: 'year' } }),
    ['/schedule/cron cron', '/schedule/period enum', '/schedule/recipients/1 not_found', '/schedule/timezone timezone'],
  );
  assert.deepEqual(await problems({ schedule: { ...schedule, cron: '0 0 30 2 *', timezone: '+02:00' } }), [
    '/schedule/cron cron',
    '/schedule/timezone timezone',
  ]);
  assert.deepEqual(await problems({ schedule: { ...schedule, cron: '0 6 L * *' } }), ['/schedule/cron cron']);
  assert.deepEqual(await problems({ schedule: {} }), [
    '/schedule/cron required',
    '/schedule/period required',
    '/schedule/recipients required',
    '/schedule/timezone required',
  ]);
  assert.deepEqual(await problems({ schedule: { ...schedule, recipients: Array(21).fill('admin@example.com') } }), [
    '/schedule/recipients too_many',
  ]);
  assert.equal((await reports.call('GET', '?includeTotal=true', 200)).page.total, before);
});

test('a change counts for what follows, needs the version it was made of, and is audited', async () => {
  const made = await reports.create(MAY);
  await reports.ended(made.id);
  const current = await reports.call('GET', `/${made.id}`, 200);
  // What was read can be put back.
  assert.equal((await reports.call('PUT', `/${made.id}`, 200, current)).version, 1);
  const changed = await reports.call('PUT', `/${made.id}`, 200, { name: 'Renamed', format: 'pdf' });
  assert.deepEqual([changed.name, changed.format, changed.version, changed.status], ['Renamed', 'pdf', 2, 'COMPLETED']);
  const stale = await service.api(
    'PUT',
    `/analytics/reports/${made.id}`,
    { name: 'Late' },
    { headers: { 'If-Match': '"1"' } },
  );
  assert.deepEqual(outcome(stale), [412, 'precondition_failed']);
  const wrong = await service.api('PUT', `/analytics/reports/${made.id}`, {
    type: 'forms',
    status: 'FAILED',
    from: MAY.to,
  });
  assert.deepEqual(problemsOf(wrong), ['/from read_only', '/status read_only', '/type read_only']);
  const gone = await service.api('DELETE', `/analytics/reports/${made.id}`, undefined, {
    headers: { 'If-Match': '"1"' },
  });
  assert.deepEqual(outcome(gone), [412, 'precondition_failed']);
  // The file stays what it was when it was made.
  assert.match((await download(service, `/analytics/reports/${made.id}/download`)).headers.get('content-type')!, /csv/);
  const log = await service.api('GET', `/auth/audit-log?resourceType=report&resourceId=${made.id}`);
  assert.deepEqual(
    log.body.data.map(({ action, after }: { action: string; after: object }) => [action, after]),
    [
      ['report.updated', { name: 'Renamed', format: 'pdf' }],
      ['report.created', { name: 'Monthly', type: 'emails', format: 'csv', interval: null, schedule: null }],
    ],
  );
});

test('the state of a report is never answered from a cache', async () => {
  const { id } = await reports.create(MAY);
  const first = await service.api('GET', `/analytics/reports/${id}`);
  await reports.ended(id);
  const etag = first.headers.get('etag') ?? '"1"';
  const again = await service.api('GET', `/analytics/reports/${id}`, undefined, { headers: { 'If-None-Match': etag } });
  assert.deepEqual([again.status, again.body.status], [200, 'COMPLETED']);
});

test('a report of another tenant does not exist', async () => {
  const other = await newTenant(service);
  const { id } = await reports.create(MAY);
  await reports.ended(id);
  for (const [method, path, body] of [
    ['GET', ''],
    ['PUT', '', { name: 'Mine' }],
    ['DELETE', ''],
    ['GET', '/runs'],
    ['GET', '/download'],
  ] as const) {
    const answer = await service.api(method, `/analytics/reports/${id}${path}`, body, { token: other.token });
    assert.deepEqual(outcome(answer), [404, 'not_found'], `${method} ${path}`);
  }
  const recipients = [other.user.email];
  const schedule = { cron: '0 6 * * *', timezone: 'UTC', recipients, period: 'day' };
  const answer = await service.api('POST', '/analytics/reports', {
    name: 'N',
    type: 'emails',
    format: 'csv',
    schedule,
  });
  assert.deepEqual(problemsOf(answer), ['/schedule/recipients/0 not_found']);
});

test('a deleted report takes its files with it', async () => {
  const { id } = await reports.create(MAY);
  await reports.ended(id);
  const key = (await keyOf(id))!;
  assert.ok(await isStored(key));
  await reports.call('DELETE', `/${id}`, 204);
  await reports.call('GET', `/${id}`, 404);
  await removeFiles(service.deps);
  assert.equal(await isStored(key), false);
});

test('files expire after 90 days, and the oldest make room; then there is nothing to download', async () => {
  const [old, older, young] = [await reports.create(MAY), await reports.create(MAY), await reports.create(MAY)];
  for (const { id } of [old, older, young]) await reports.ended(id);
  await reports.query(
    sql`update analytics_report_runs set finished_at = now() - interval '90 days 1 minute' where report_id = ${old.id}`,
  );
  const key = (await keyOf(old.id))!;
  while ((await expireReportFiles(engineEm(service.deps.orm))) > 0);
  assert.deepEqual(await reports.filesToRemove(), [key]);
  const expired = await reports.call('GET', `/${old.id}`, 200);
  assert.deepEqual([expired.status, expired.downloadUrl, expired.expiresAt], ['COMPLETED', null, null]);
  const answer = await service.api('GET', `/analytics/reports/${old.id}/download`);
  assert.deepEqual([answer.status, answer.body.detail], [404, 'The file of the report is no longer stored']);

  // Room for the youngest file only.
  const { size } = await reports.call('GET', `/${young.id}`, 200);
  await tenantEm(service.deps.orm, TENANT).transactional((tx) => makeRoom(tx, TENANT, size));
  assert.equal((await reports.call('GET', `/${older.id}`, 200)).downloadUrl, null);
  assert.equal((await download(service, `/analytics/reports/${young.id}/download`)).status, 200);
  await removeFiles(service.deps);
});
