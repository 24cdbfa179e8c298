import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { WorkflowNotFoundError } from '@temporalio/client';
import { MockActivityEnvironment } from '@temporalio/testing';
import { reportActivities } from '../../../activities/reports.ts';
import { sql } from '../../../db/orm.ts';
import { KEPT_FILES } from '../../../transport/streams.ts';
import type { WorkflowInputs } from '../../../registry/workflows.ts';
import { createLoadAttachment } from '../../../worker/senders/attachments.ts';
import { removeFiles } from '../../../runtime/kept-files.ts';
import { download } from '../../support/download.ts';
import { holding } from '../../support/accounts.ts';
import { startService, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { newMember } from '../../support/users.ts';
import { MAY, reportsOf, TENANT } from './report-support.ts';

let service: Service;
let reports: ReturnType<typeof reportsOf>;
beforeAll(async () => {
  service = await startService({ worker: ['temporal', 'relay', 'senders'] });
  reports = reportsOf(service);
});
afterAll(() => service.stop());

/** Makes a run as an activity of its workflow does. */
const makeReport = (input: WorkflowInputs['report'], mostBytes?: number) =>
  new MockActivityEnvironment().run((given) => reportActivities(service.deps, mostBytes).makeReport(given), input);

/** The keys of what is stored. */
async function stored(): Promise<string[]> {
  const { state } = await service.deps.nats.jsm.streams.info(KEPT_FILES, { subjects_filter: 'kept-files.>' });
  return [...new Set(Object.keys(state.subjects ?? {}).map((subject) => subject.split('.')[1]!))].sort();
}
const untilStored = (count: number) =>
  until(`${count} files are stored`, async () => (await stored()).length === count);
const untilRunning = (id: number) =>
  until(`report ${id} is RUNNING`, async () => (await reports.call('GET', `/${id}`, 200)).status === 'RUNNING');

test('a report that is deleted while it is made leaves nothing', async () => {
  const before = await stored();
  const workflowId = await holding(service, 'lock table campaigns in access exclusive mode', async () => {
    const made = await reports.create({ type: 'dashboard', ...MAY });
    await untilRunning(made.id);
    await reports.call('DELETE', `/${made.id}`, 204);
    return made.workflowId as string;
  });
  await service.deps.temporal.workflow.getHandle(workflowId).result();
  await untilStored(before.length);
  await removeFiles(service.deps);
  assert.deepEqual(await reports.query(sql`select 1 from file_removals`), []);
  assert.deepEqual(await reports.query(sql`select 1 from analytics_report_runs`), []);
});

test('a run that is made again, by a redelivered task, changes nothing', async () => {
  const { id } = await reports.create(MAY);
  const done = await reports.ended(id);
  const files = await stored();
  const [run] = (await reports.call('GET', `/${id}/runs`, 200)).data;
  const input = { tenantId: TENANT, reportId: id, runId: run.id };
  assert.deepEqual(await makeReport(input), { said: 'it has ended, or was deleted' });
  assert.deepEqual(await stored(), files);
  assert.deepEqual(await reports.call('GET', `/${id}`, 200), done);
});

test('two attempts at once: one completes the run, and the file of the other is discarded', async () => {
  const before = await stored();
  const made = await reports.create({ type: 'dashboard', ...MAY });
  // The workflow's own attempt, and one that a partition has made a twin of it.
  const said = await holding(service, 'lock table campaigns in access exclusive mode', async () => {
    await untilRunning(made.id);
    const [run] = (await reports.call('GET', `/${made.id}/runs`, 200)).data;
    const input = { tenantId: TENANT, reportId: made.id, runId: run.id };
    return [makeReport(input)];
  });
  await Promise.all(said);
  await service.deps.temporal.workflow.getHandle(made.workflowId).result();
  await untilStored(before.length + 1);
  await removeFiles(service.deps);
  assert.deepEqual(await reports.query(sql`select 1 from file_removals`), []);
  assert.ok((await stored()).length === before.length + 1, 'the file of the run is left');
  assert.equal((await download(service, (await reports.ended(made.id)).downloadUrl)).status, 200);
});

test('without room for its file, a report is tried again, and made when there is some', async () => {
  const { jsm } = service.deps.nats;
  const { config, state } = await jsm.streams.info(KEPT_FILES);
  await jsm.streams.update(KEPT_FILES, { ...config, max_bytes: state.bytes + 100 });
  const { id } = await reports.create({ ...MAY, format: 'pdf' });
  const { workflowId } = await reports.call('GET', `/${id}`, 200);
  try {
    const workflow = service.deps.temporal.workflow.getHandle(workflowId);
    // The workflow is started after the answer.
    await until('it has started', () =>
      workflow.describe().catch((error: unknown) => {
        if (error instanceof WorkflowNotFoundError) return null;
        throw error;
      }),
    );
    await until('it pauses', async () => {
      const { events } = await workflow.fetchHistory();
      return events?.some(({ timerStartedEventAttributes }) => timerStartedEventAttributes);
    });
    assert.equal((await reports.call('GET', `/${id}`, 200)).status, 'RUNNING');
  } finally {
    await jsm.streams.update(KEPT_FILES, config);
  }
  const done = await reports.ended(id);
  assert.deepEqual([done.status, done.error], ['COMPLETED', null]);
});

test('a file that is larger than all files of an account may be fails the report, and removes no other', async () => {
  const kept = await stored();
  const made = await reports.create({ type: 'dashboard', ...MAY });
  const id = made.id as number;
  await reports.ended(id);
  const [run] = (await reports.call('GET', `/${id}/runs`, 200)).data;
  await reports.query(sql`update analytics_report_runs set status = 'RUNNING', object_key = null where id = ${run.id}`);
  const input = { tenantId: TENANT, reportId: id, runId: run.id };
  const tooLarge = await makeReport(input, 0);
  const reason = 'The file is larger than the 0 MiB that the files of all reports of an account may have together';
  assert.deepEqual(tooLarge, { fault: reason, isFinal: true });
  await reportActivities(service.deps).failReport({ ...input, reason });
  const failed = await reports.call('GET', `/${id}`, 200);
  assert.deepEqual([failed.status, failed.error, failed.downloadUrl], ['FAILED', reason, null]);
  for (const key of kept) assert.ok((await stored()).includes(key));
  const answer = await service.api('GET', `/analytics/reports/${id}/download`);
  assert.deepEqual([answer.status, answer.body.detail], [409, `The report could not be made: ${reason}`]);
});

test('an email whose file is gone fails; one that would need too much memory waits', async () => {
  const member = await newMember(service.api);
  service.sink.answer((stage, address) =>
    stage === 'RCPT' && address === member.user.email ? { code: 451, message: 'later' } : null,
  );
  const schedule = { cron: '0 6 1 * *', timezone: 'UTC', recipients: [member.user.email], period: 'month' };
  const { id, nextRunAt } = await reports.create({ schedule });
  await reports.fire(id, String(nextRunAt).replace('.000Z', 'Z'));
  await reports.ended(id);
  const [run] = (await reports.call('GET', `/${id}/runs`, 200)).data;
  const email = async () =>
    (
      await reports.query<{ status: string; reason: string | null; attempt: number }>(
        sql`select status, reason, attempt from emails where send_key like ${`report-run/${run.id}/%`}`,
      )
    )[0]!;
  await until('it was refused for now', async () => {
    const { status, attempt } = await email();
    return status === 'QUEUED' && attempt === 1;
  });
  const full = createLoadAttachment(service.deps, () => 65 * 1024 * 1024);
  assert.equal(await full(TENANT, run.id), 'later');
  const load = createLoadAttachment(service.deps, () => 0);
  assert.equal(((await load(TENANT, run.id)) as { mediaType: string }).mediaType, 'text/csv; charset=utf-8');
  assert.equal(await load('another', run.id), 'gone');

  await reports.call('DELETE', `/${id}`, 204);
  await reports.query(sql`update emails set next_attempt_at = now() where send_key like ${`report-run/${run.id}/%`}`);
  await until('it has failed', async () => (await email()).status === 'FAILED');
  assert.equal((await email()).reason, 'attachment_gone');
  service.sink.answer(() => null);
});
