import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { sql } from '../../../db/orm.ts';
import { KEPT_FILES } from '../../../transport/streams.ts';
import { removeFiles } from '../../../runtime/kept-files.ts';
import { workflowId } from '../../../registry/workflows.ts';
import { reportsOf } from '../../api/analytics/report-support.ts';
import { holding } from '../../support/accounts.ts';
import { download } from '../../support/download.ts';
import { missHeartbeats } from '../../support/lost-activities.ts';
import { startService, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { killWorkerProcesses, startWorkerProcess } from '../../support/worker-process.ts';

const ROLES = ['temporal', 'relay', 'senders'] as const;
let service: Service;
let reports: ReturnType<typeof reportsOf>;
beforeAll(async () => {
  service = await startService();
  reports = reportsOf(service);
});
afterAll(async () => {
  await killWorkerProcesses();
  await service.stop();
});

/** How many files are stored. */
async function stored(): Promise<number> {
  const { state } = await service.deps.nats.jsm.streams.info(KEPT_FILES, { subjects_filter: 'kept-files.>' });
  return new Set(Object.keys(state.subjects ?? {}).map((subject) => subject.split('.')[1])).size;
}

test('kill -9 of the worker between storing a file and completing its run: one file, one mail', async () => {
  const schedule = { cron: '0 6 1 * *', timezone: 'UTC', recipients: ['admin@example.com'], period: 'month' };
  const { id, nextRunAt } = await reports.create({ format: 'pdf', schedule });
  let worker = startWorkerProcess(service, ROLES);
  // It reads that table when it starts.
  const first = await reports.create({});
  await until(
    'the worker works',
    async () => (await reports.call('GET', `/${first.id}`, 200)).status === 'COMPLETED',
    60_000,
  );
  await reports.call('DELETE', `/${first.id}`, 204);
  await removeFiles(service.deps);
  // The transaction that completes the run looks for the recipients last.
  await holding(service, 'lock table users in access exclusive mode', async () => {
    await reports.fire(id, String(nextRunAt).replace('.000Z', 'Z'));
    await until(
      'the file is stored, and the run not completed',
      async () => {
        const [run] = await reports.query<{ status: string; progress: number }>(
          sql`select status, progress from analytics_report_runs where report_id = ${id}`,
        );
        return run?.status === 'RUNNING' && run.progress === 80 && (await stored()) === 1;
      },
      60_000,
    );
    await worker.end('SIGKILL');
  });
  assert.equal((await reports.call('GET', `/${id}`, 200)).status, 'RUNNING');
  const [run] = await reports.query<{ id: number }>(sql`select id from analytics_report_runs where report_id = ${id}`);
  await missHeartbeats(service, workflowId('report', { tenantId: 'default', reportId: id, runId: run!.id }), 15);
  worker = startWorkerProcess(service, ROLES);
  const done = await until(
    'the report is completed',
    async () => {
      const report = await reports.call('GET', `/${id}`, 200);
      return report.status === 'COMPLETED' ? report : null;
    },
    120_000,
  );
  assert.equal((await download(service, done.downloadUrl)).bytes.length, done.size);
  await until('the mail is sent', async () => {
    const emails = await reports.query<{ status: string }>(
      sql`select status from emails where send_key like 'report-run/%'`,
    );
    return emails.length === 1 && emails[0]!.status === 'SENT';
  });
  assert.equal(service.sink.mails.length, 1);
  // What the killed attempt has stored is known, and removed when nobody can claim it any more.
  await reports.query(sql`update file_removals set remove_after = now() - interval '1 second'`);
  await removeFiles(service.deps);
  assert.equal(await stored(), 1);
  assert.equal((await download(service, done.downloadUrl)).status, 200);
  await worker.end('SIGKILL');
});
