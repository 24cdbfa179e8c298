import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import { engineEm, rows, sql, tenantEm } from '../../../db/orm.ts';
import { expireReportFiles, makeRoom } from '../../../domain/reports/report-files.ts';
import { KEPT, readFile } from '../../../transport/file-store.ts';
import { removeFiles } from '../../../runtime/kept-files.ts';
import { memberWith, newRole, newTenant, outcome, problemsOf } from '../../support/accounts.ts';
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
    else if (format === 'csv') {
      assert.equal(parse(file.text, { columns: true }).length > 31, true);
      const marked = await download(service, `/analytics/reports/${id}/download?bom=true`);
      assert.deepEqual(Buffer.from(marked.bytes), Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), file.bytes]));
      assert.equal(marked.headers.get('content-length'), String(marked.bytes.length));
    } else assert.equal(readWorkbook(file.bytes).get('Summary')!.rows[0]![0], 'Monthly');
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
  // More often than once an hour.
  for (const cron of ['* * * * *', '*/30 8 * * *', '0,59 8 * * *', '0-1 8 1 * *'])
    assert.deepEqual(await problems({ schedule: { ...schedule, cron } }), ['/schedule/cron cron'], cron);
  await newRole(service, 'Sees no figures', ['contacts:read']);
  const blind = await memberWith(service, 'Sees no figures');
  assert.deepEqual(await problems({ schedule: { ...schedule, recipients: ['admin@example.com', blind.user.email] } }), [
    '/schedule/recipients/1 forbidden',
  ]);
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
  const changed = await reports.call('PUT', `/${made.id}`, 200, { name: 'Renamed', format: 'csv' });
  assert.deepEqual([changed.name, changed.version, changed.status], ['Renamed', 2, 'COMPLETED']);
  const stale = await service.api(
    'PUT',
    `/analytics/reports/${made.id}`,
    { name: 'Late' },
    { headers: { 'If-Match': '"1"' } },
  );
  assert.deepEqual(outcome(stale), [412, 'precondition_failed']);
  const wrong = await service.api('PUT', `/analytics/reports/${made.id}`, { type: 'forms', id: 1, createdAt: MAY.to });
  assert.deepEqual(problemsOf(wrong), ['/createdAt read_only', '/id read_only', '/type read_only']);
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
      ['report.updated', { name: 'Renamed' }],
      ['report.created', { name: 'Monthly', type: 'emails', format: 'csv', interval: null, schedule: null }],
    ],
  );
});

test('what runs and the clock have changed meanwhile does not prevent a PUT of what was read', async () => {
  const schedule = { cron: '0 6 1 * *', timezone: 'Europe/Warsaw', recipients: [], period: 'month' };
  const made = await reports.create({ schedule });
  await reports.fire(made.id, String(made.nextRunAt).replace('.000Z', 'Z'));
  const now = await reports.ended(made.id);
  assert.deepEqual([made.status, now.status], ['SCHEDULED', 'COMPLETED']);
  const put = await reports.call('PUT', `/${made.id}`, 200, { ...made, name: 'Renamed', nextRunAt: MAY.from });
  assert.deepEqual([put.name, put.nextRunAt, put.status, put.from], ['Renamed', now.nextRunAt, 'COMPLETED', now.from]);
  const changed = await reports.call('PUT', `/${made.id}`, 200, {
    ...made,
    version: 2,
    updatedAt: put.updatedAt,
    format: 'xlsx',
    interval: 'week',
  });
  assert.deepEqual([changed.format, changed.interval], ['xlsx', 'week']);
});

test('a change that nothing would use is refused', async () => {
  const made = await reports.create(MAY);
  await reports.ended(made.id);
  const refused = async (body: object): Promise<string> => {
    const answer = await service.api('PUT', `/analytics/reports/${made.id}`, body);
    assert.deepEqual(outcome(answer), [409, 'conflict'], JSON.stringify(body));
    return answer.body.detail;
  };
  assert.match(await refused({ name: 'N', format: 'pdf', interval: 'week' }), /no schedule.*format and interval/);
  await refused({ interval: 'day' });
  const schedule = { cron: '0 6 1 * *', timezone: 'UTC', recipients: [], period: 'month' };
  const scheduled = await reports.call('PUT', `/${made.id}`, 200, { schedule, format: 'pdf' });
  assert.deepEqual([scheduled.format, scheduled.name], ['pdf', 'Monthly']);
  await refused({ schedule: null, format: 'csv' });
  await reports.call('DELETE', `/${made.id}`, 204);
});

test('an account has a limited number of reports with a schedule, also if they are created at once', async () => {
  const { token } = await newTenant(service);
  const schedule = { cron: '0 6 1 * *', timezone: 'UTC', recipients: [], period: 'month' };
  const create = (fields: object) =>
    service.api('POST', '/analytics/reports', { name: 'N', type: 'emails', format: 'csv', ...fields }, { token });
  const [once, first] = [await create({}), await create({ schedule })];
  assert.deepEqual([once.status, first.status], [202, 202]);
  const { tenantId } = first.body as { tenantId: string };
  await tenantEm(service.deps.orm, tenantId).transactional((tx) =>
    rows(
      tx,
      sql`
      insert into analytics_reports (tenant_id, name, type, format, schedule, scheduled_since)
      select tenant_id, name, type, format, schedule, scheduled_since from analytics_reports, generate_series(1, 197)
      where id = ${first.body.id}`,
    ),
  );
  const statuses = (await Promise.all([1, 2, 3, 4].map(() => create({ schedule })))).map(({ status }) => status);
  assert.deepEqual(statuses.sort(), [202, 202, 409, 409]);
  assert.deepEqual(outcome(await create({ schedule })), [409, 'limit_reached']);
  const changed = await service.api('PUT', `/analytics/reports/${once.body.id}`, { schedule }, { token });
  assert.deepEqual(outcome(changed), [409, 'limit_reached']);
  assert.equal((await create({})).status, 202);
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
  const [last] = (await reports.call('GET', `/${young.id}/runs`, 200)).data;
  await tenantEm(service.deps.orm, TENANT).transactional((tx) => makeRoom(tx, { tenantId: TENANT, id: last.id }, size));
  assert.equal((await reports.call('GET', `/${older.id}`, 200)).downloadUrl, null);
  assert.equal((await download(service, `/analytics/reports/${young.id}/download`)).status, 200);
  await removeFiles(service.deps);
});

test('room is made by the runs that ended first, not by one whose file is still needed', async () => {
  await reports.query(sql`update analytics_report_runs set object_key = null`);
  const made = [
    await reports.create(MAY),
    await reports.create(MAY),
    await reports.create(MAY),
    await reports.create(MAY),
  ];
  for (const { id } of made) await reports.ended(id);
  const [mailed, newest, first, current] = made.map(({ id }) => id as number) as [number, number, number, number];
  // Ended in another order than they were opened; an email of one waits.
  const ends = [
    [mailed, '1 hour'],
    [newest, '1 minute'],
    [first, '30 minutes'],
    [current, '1 day'],
  ] as const;
  for (const [id, ago] of ends)
    await reports.query(
      sql`update analytics_report_runs set finished_at = now() - ${ago}::interval where report_id = ${id}`,
    );
  const [email] = await reports.query<{ id: number }>(sql`
    insert into emails (tenant_id, send_key, template_id, lane)
    values (${TENANT}, 'waits', (select coalesce(max(id), 1) from email_templates), 'journey') returning id`);
  await reports.query(
    sql`update analytics_report_runs set email_ids = array[${email!.id}::bigint] where report_id = ${mailed}`,
  );
  const { size } = await reports.call('GET', `/${newest}`, 200);
  const [{ id: runId }] = (await reports.call('GET', `/${current}/runs`, 200)).data;
  const room = (bytes: number) =>
    tenantEm(service.deps.orm, TENANT).transactional((tx) => makeRoom(tx, { tenantId: TENANT, id: runId }, bytes));
  const kept = async () => {
    const found = await Promise.all(made.map(({ id }) => reports.call('GET', `/${id}`, 200)));
    return found.filter(({ downloadUrl }) => downloadUrl !== null).map(({ id }) => id as number);
  };
  await room(2 * size);
  assert.deepEqual(await kept(), [mailed, newest, current]);
  await room(1);
  assert.deepEqual(await kept(), [mailed, current]);
  await reports.query(sql`update emails set status = 'SENT' where id = ${email!.id}`);
  await room(1);
  assert.deepEqual(await kept(), [current]);
});
