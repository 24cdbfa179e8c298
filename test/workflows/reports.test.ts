import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { createActivities } from '../../activities/index.ts';
import { reportActivities } from '../../activities/reports.ts';
import { ReportRun, type ReportSchedule } from '../../db/entities/reports.ts';
import { rows, sql } from '../../db/orm.ts';
import type { WorkflowInputs } from '../../registry/workflows.ts';
import { startJourneys, TENANT, type Journeys } from './campaign-support.ts';
import { ended, fired, newLateReport, newReport, withoutRoom } from './report-paths.ts';

let journeys: Journeys;
/** How often a file was tried to be made; `instead` is what an attempt does in place of the service's. */
let attempts = 0;
let instead: ((run: WorkflowInputs['report']) => Promise<{ fault: string; isFinal: boolean }>) | null = null;

beforeAll(async () => {
  journeys = await startJourneys();
  const service = reportActivities(journeys.deps);
  await journeys.worker({
    ...createActivities(journeys.deps),
    makeReport: (run: WorkflowInputs['report']) => {
      attempts += 1;
      return instead ? instead(run) : service.makeReport(run);
    },
  });
});
afterAll(() => journeys.stop());

const lastRun = async (reportId: number): Promise<ReportRun> =>
  (await journeys.em().findOne(ReportRun, { reportId }, { orderBy: { id: 'desc' } }))!;
const count = (history: string[], type: string): number => history.filter((one) => one === type).length;

/** The task queues of the activities of a workflow, by their type. */
async function queuesOf(workflowId: string): Promise<Record<string, string>> {
  const { events } = await journeys.env.client.workflow.getHandle(workflowId).fetchHistory();
  const scheduled = (events ?? []).flatMap(({ activityTaskScheduledEventAttributes: one }) => (one ? [one] : []));
  return Object.fromEntries(scheduled.map(({ activityType, taskQueue }) => [activityType!.name, taskQueue!.name]));
}

test('a report waits for the figures of its period by timers, but not for ever', async () => {
  const reportId = await newLateReport(journeys);
  const { workflowId } = await ended(journeys);
  const run = await lastRun(reportId);
  assert.equal(run.status, 'COMPLETED', run.error ?? '');
  assert.ok(run.asOf! < run.to, 'the event is counted, so nothing was waited for');
  assert.deepEqual(await queuesOf(workflowId), {
    areFiguresComplete: 'perennial-jobs',
    makeReport: 'perennial-reports',
  });
  const timers = count(await journeys.history(workflowId), 'TIMER_FIRED');
  assert.ok(timers >= 10 && timers <= 13, String(timers));

  await journeys.owner('delete from outbox_events');
  await newReport(journeys);
  assert.equal(count(await journeys.history((await ended(journeys)).workflowId), 'TIMER_STARTED'), 0);
});

test('a fault is tried again, and then fails the run; recipients of a scheduled one are told why', async () => {
  const email = 'board@example.com';
  await journeys.owner(
    `insert into roles (tenant_id, name, permissions) values ('${TENANT}', 'Board', '{analytics:read}')`,
  );
  await journeys.owner(
    `insert into users (tenant_id, username, username_key, email, email_key, password_hash, first_name, last_name, roles)
     values ('${TENANT}', 'board', 'board', '${email}', '${email}', 'x', 'Ada', 'Byron', '{Board}')`,
  );
  const schedule: ReportSchedule = { cron: '0 6 1 * *', timezone: 'UTC', recipients: [email], period: 'month' };
  const reportId = await newReport(journeys, { name: 'Board', schedule });
  await ended(journeys);
  await fired(journeys, reportId);
  attempts = 0;
  const { workflowId } = await withoutRoom(journeys, () => ended(journeys));
  assert.equal(attempts, 3);
  assert.equal(await journeys.status(workflowId), 'COMPLETED');
  const run = await lastRun(reportId);
  assert.deepEqual([run.status, run.error, run.objectKey], ['FAILED', 'There is no room for more files', null]);
  const emails = await journeys
    .em()
    .transactional((tx) =>
      rows<{ to_address: string; data: { subject: string; body: string; reportRunId?: number } }>(
        tx,
        sql`select to_address, data from emails where send_key like ${`report-run/${run.id}/%`}`,
      ),
    );
  assert.equal(emails.length, 1);
  const [{ to_address: address, data }] = emails as [(typeof emails)[number]];
  assert.deepEqual(
    [address, data.subject, data.reportRunId],
    [email, 'Board: the report could not be made', undefined],
  );
  assert.match(data.body, /This report could not be made\. There is no room for more files\./);
});

test('a fault that passes does not fail the run, and one that cannot pass fails it at once', async () => {
  const reportId = await newReport(journeys);
  attempts = 0;
  instead = async (run) => {
    instead = null;
    await journeys.owner(`update analytics_report_runs set status = 'RUNNING' where id = ${run.runId}`);
    return { fault: 'Rendering the report took too long', isFinal: false };
  };
  await ended(journeys);
  assert.deepEqual([attempts, (await lastRun(reportId)).status], [2, 'COMPLETED']);

  const another = await newReport(journeys);
  attempts = 0;
  instead = async (run) => {
    await journeys.owner(`update analytics_report_runs set status = 'RUNNING' where id = ${run.runId}`);
    return { fault: 'Too large', isFinal: true };
  };
  await ended(journeys);
  instead = null;
  const run = await lastRun(another);
  assert.deepEqual([attempts, run.status, run.error], [1, 'FAILED', 'Too large']);
});
