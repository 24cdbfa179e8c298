import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import { keepReportSchedule } from '../../../activities/keep-schedule.ts';
import { sql, tenantEm } from '../../../db/orm.ts';
import { openScheduledRun } from '../../../domain/reports/scheduled-runs.ts';
import { newRole, outcome } from '../../support/accounts.ts';
import { download } from '../../support/download.ts';
import { startService, type Answer, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { newMember } from '../../support/users.ts';
import { reportsOf, TENANT } from './report-support.ts';

let service: Service;
let reports: ReturnType<typeof reportsOf>;
beforeAll(async () => {
  service = await startService({ worker: ['temporal', 'relay', 'senders'] });
  reports = reportsOf(service);
});
afterAll(() => service.stop());

const monthly = (recipients: string[] = []) => ({
  cron: '0 6 1 * *',
  timezone: 'Europe/Warsaw',
  recipients,
  period: 'month',
});
const untilFires = (id: number, cron: string) =>
  until(`the schedule of report ${id} fires at ${cron}`, async () => {
    const found = await reports.scheduleOf(id);
    return (found?.memo?.['purpose'] as { cronExpressions: string[] } | undefined)?.cronExpressions[0] === cron;
  });
const untilGone = (id: number) =>
  until(`report ${id} has no schedule`, async () => (await reports.scheduleOf(id)) === null);
/** The first day of next month in Warsaw at 6:00, as the schedule's next firing. */
const nextFiring = (report: Answer['body']): string => String(report.nextRunAt).replace('.000Z', 'Z');
const mailsTo = (address: string) => service.sink.mails.filter(({ to }) => to.includes(address));

test('the Temporal Schedule follows the report', async () => {
  const made = await reports.create({ schedule: { ...monthly(), timezone: 'europe/warsaw' } });
  assert.deepEqual(
    [made.status, made.from, made.downloadUrl, made.timezone],
    ['SCHEDULED', null, null, 'europe/warsaw'],
  );
  await untilFires(made.id, '0 6 1 * *');
  const { info, policies } = (await reports.scheduleOf(made.id))!;
  assert.equal(policies.catchupWindow, 24 * 3_600_000);
  assert.equal(info.nextActionTimes[0]!.toISOString(), made.nextRunAt);
  const download404 = await service.api('GET', `/analytics/reports/${made.id}/download`);
  assert.deepEqual(outcome(download404), [409, 'conflict']);

  // Both the day of the month and the day of the week: either, for our parser as for Temporal.
  const either = await reports.call('PUT', `/${made.id}`, 200, { schedule: { ...monthly(), cron: '30 7 13 * fri' } });
  await untilFires(made.id, '30 7 13 * *');
  assert.equal((await reports.scheduleOf(made.id))!.info.nextActionTimes[0]!.toISOString(), either.nextRunAt);

  const stopped = await reports.call('PUT', `/${made.id}`, 200, { schedule: null });
  assert.deepEqual([stopped.status, stopped.nextRunAt], ['STOPPED', null]);
  await untilGone(made.id);
  await reports.call('PUT', `/${made.id}`, 200, { schedule: monthly() });
  await untilFires(made.id, '0 6 1 * *');
  await reports.call('DELETE', `/${made.id}`, 204);
  await untilGone(made.id);
});

test('a firing makes one report on the month before, and mails it to the recipients who are still users', async () => {
  const [stays, leaves] = [await newMember(service.api), await newMember(service.api)];
  const recipients = [stays.user.email, leaves.user.email, stays.user.email.toUpperCase()];
  const made = await reports.create({ name: 'Raport – 月次', format: 'csv', schedule: monthly(recipients) });
  await service.api('PUT', `/auth/users/${leaves.user.id}`, { active: false });
  const nominal = nextFiring(made);
  // Twice at once: Temporal refuses one of them.
  await Promise.allSettled([reports.fire(made.id, nominal), reports.fire(made.id, nominal)]);
  const done = await reports.ended(made.id);
  assert.equal(done.status, 'COMPLETED', done.error);
  assert.equal(done.to, new Date(Date.parse(nominal) - 6 * 3_600_000).toISOString());
  const runs = (await reports.call('GET', `/${made.id}/runs`, 200)).data;
  assert.deepEqual(
    runs.map(({ scheduledAt }: { scheduledAt: string }) => scheduledAt),
    [made.nextRunAt],
  );

  const [mail] = await until('the mail has arrived', async () => {
    const found = mailsTo(stays.user.email);
    return found.length > 0 ? found : null;
  });
  const file = await download(service, done.downloadUrl);
  assert.match(mail!.parsed.subject!, /^Raport – 月次: 1 \w{3} \d{4} – \d\d \w{3} \d{4}$/);
  assert.match(mail!.parsed.text!, /Emails sent: 0|Sent: 0/);
  const [attachment, ...others] = mail!.parsed.attachments;
  assert.deepEqual(others, []);
  assert.match(attachment!.filename!, /^Raport – 月次 \d{4}-\d\d-01 to \d{4}-\d\d-\d\d\.csv$/);
  assert.equal(attachment!.contentType, 'text/csv');
  assert.deepEqual(new Uint8Array(attachment!.content), file.bytes);
  assert.ok(parse(attachment!.content.toString()).length > 28);

  // The firing again, also after its workflow is forgotten: nothing new.
  const again = { tenantId: TENANT, reportId: made.id, scheduledAt: nominal, at: Date.parse(nominal) };
  const [run] = runs as { id: number }[];
  assert.deepEqual(await openScheduledRun(tenantEm(service.deps.orm, TENANT), again), { runId: run!.id });
  assert.equal(mailsTo(stays.user.email).length, 1);
  assert.deepEqual(mailsTo(leaves.user.email), []);
  await until('the ledger has one email, SENT', async () => {
    const emails = await reports.query<{ status: string }>(
      sql`select status from emails where send_key like ${`report-run/${run!.id}/%`}`,
    );
    return emails.length === 1 && emails[0]!.status === 'SENT';
  });
});

test('a recipient who may no longer see figures gets none, and does not prevent other changes', async () => {
  const [sees, blind] = [await newMember(service.api), await newMember(service.api)];
  const made = await reports.create({ schedule: monthly([sees.user.email, blind.user.email]) });
  await newRole(service, 'Sees no figures', ['contacts:read']);
  await service.api('PUT', `/auth/users/${blind.user.id}`, { roles: ['Sees no figures'] });
  await reports.call('PUT', `/${made.id}`, 200, { schedule: { ...made.schedule, cron: '0 7 1 * *' } });
  const { nextRunAt } = await reports.call('GET', `/${made.id}`, 200);
  await reports.fire(made.id, nextFiring({ nextRunAt }));
  assert.equal((await reports.ended(made.id)).status, 'COMPLETED');
  await until('the mail has arrived', () => mailsTo(sees.user.email).length > 0);
  const [run] = (await reports.call('GET', `/${made.id}/runs`, 200)).data;
  const emails = await reports.query<{ to_address: string }>(
    sql`select to_address from emails where send_key like ${`report-run/${run.id}/%`}`,
  );
  assert.deepEqual(emails, [{ to_address: sees.user.email }]);
  // The run knows the emails that need its file.
  const needing = await reports.query<{ to_address: string }>(sql`
    select e.to_address from analytics_report_runs r join emails e on e.id = any(r.email_ids) where r.id = ${run.id}`);
  assert.deepEqual(needing, emails);
});

test('which firings make no report', async () => {
  const made = await reports.create({ schedule: monthly() });
  const now = Math.ceil(Date.now() / 1000) * 1000;
  const open = (scheduledAt: number, at = now, reportId = made.id) =>
    openScheduledRun(tenantEm(service.deps.orm, TENANT), {
      tenantId: TENANT,
      reportId,
      scheduledAt: new Date(scheduledAt).toISOString(),
      at,
    });
  assert.deepEqual(await open(now - 60_000), { skipped: 'before the schedule was set' });
  assert.deepEqual(await open(now, now + 24 * 3_600_000 + 1), { skipped: 'more than a day late' });
  assert.ok('runId' in (await open(now, now + 24 * 3_600_000)));
  const twins = await Promise.all(Array.from({ length: 5 }, () => open(now + 60_000)));
  for (const twin of twins) assert.deepEqual(twin, twins[0]);
  await reports.call('PUT', `/${made.id}`, 200, { schedule: null });
  assert.deepEqual(await open(now + 120_000), { skipped: 'the report has no schedule any more' });
  assert.deepEqual(await open(now, now, 999_999_999), { skipped: 'the report has no schedule any more' });
});

test('Temporal fires it, also what fell into a change of the schedule', async () => {
  const made = await reports.create({ schedule: { ...monthly(), cron: '7 * * * *', period: 'day' } });
  await untilFires(made.id, '7 * * * *');
  // As if the report had waited for its schedule.
  await reports.query(
    sql`update analytics_reports set scheduled_since = now() - interval '61 minutes' where id = ${made.id}`,
  );
  await keepReportSchedule(service.deps, { tenantId: TENANT, reportId: made.id });
  const done = await reports.ended(made.id);
  assert.equal(done.status, 'COMPLETED');
  assert.equal(Date.parse(done.to) - Date.parse(done.from), 24 * 3_600_000);
  const [run] = (await reports.call('GET', `/${made.id}/runs`, 200)).data.slice(-1);
  assert.deepEqual([Date.parse(run.scheduledAt) % 3_600_000, run.interval], [7 * 60_000, 'hour']);
  await reports.call('PUT', `/${made.id}`, 200, { schedule: null });
  await untilGone(made.id);
});

test('a report keeps its hundred most recent runs, and those that are open or whose emails are', async () => {
  const made = await reports.create({ schedule: monthly() });
  const [email] = await reports.query<{ id: number }>(sql`
    insert into emails (tenant_id, send_key, template_id, lane)
    values (${TENANT}, 'waits', (select coalesce(max(id), 1) from email_templates), 'journey') returning id`);
  await reports.query(sql`
    insert into analytics_report_runs (tenant_id, report_id, scheduled_at, from_at, to_at, interval, timezone, format, status, workflow_id, object_key, size, finished_at, email_ids)
    select ${TENANT}, ${made.id}, timestamptz '2020-01-01' + n * interval '1 day', '2020-01-01', '2020-01-02', 'day', 'UTC', 'csv',
      case n when 1 then 'PENDING' when 2 then 'RUNNING' else 'COMPLETED' end, 'w' || n, 'old-' || n, 1,
      case when n > 2 then timestamptz '2020-02-01' - n * interval '1 hour' end, case n when 101 then array[${email!.id}::bigint] end
    from generate_series(1, 101) n`);
  await reports.fire(made.id, nextFiring(made));
  await reports.ended(made.id);
  const { page } = await reports.call('GET', `/${made.id}/runs?includeTotal=true`, 200);
  // The new one, two open ones, 97 that ended last, and one of the two before them.
  assert.equal(page.total, 101);
  assert.deepEqual(await reports.filesToRemove(), ['old-100']);
});
