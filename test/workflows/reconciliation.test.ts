import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { scheduleIdOf } from '../../activities/keep-schedule.ts';
import { engineEm } from '../../db/orm.ts';
import { LATE_MS, saveComparison } from '../../domain/reconciliation/comparison.ts';
import { describeWorkflow } from '../../runtime/temporal.ts';
import { QUEUES, workflowId } from '../../registry/workflows.ts';
import { startReconciliation } from '../../worker/reconciliation/index.ts';
import { makeAudience, makeEmailCampaign } from '../support/mail/email-campaigns.ts';
import { NOTHING, startComparison, type Comparison } from '../support/reconciliation.ts';
import { startService, type Service } from '../support/service.ts';
import { until } from '../support/until.ts';

let service: Service;
let comparison: Comparison;
let templateId: number;
beforeAll(async () => {
  service = await startService({ worker: ['temporal', 'relay', 'intake', 'senders'] });
  comparison = await startComparison(service);
  templateId = (await call('POST', '/emails/templates', { name: 'Hello', subject: 'Hello', content: '<p>Hello</p>' }))
    .id;
});
afterAll(async () => {
  await comparison.end();
  await service.stop();
});

async function call(method: 'GET' | 'POST', path: string, body?: object, status?: number) {
  const answer = await service.api(method, path, body);
  if (status === undefined) assert.ok(answer.status < 300, JSON.stringify(answer.body));
  else assert.equal(answer.status, status, JSON.stringify(answer.body));
  return answer.body;
}
const known = (id: string) => describeWorkflow(service.deps.temporal, id);
const end = (id: string) => service.deps.temporal.workflow.getHandle(id).terminate('behind the back of the service');
const own = async <T extends object>(text: string, values: unknown[] = []): Promise<T[]> =>
  (await comparison.owner.query<T>(text, values)).rows;

interface Execution {
  id: number;
  status: string;
  currentStepId: string;
  workflowId: string;
  runId: string | null;
}

/** Starts a campaign for so many contacts; returns its executions when all are at a step and wait there. */
async function begun(steps: object[], contacts: number, stepId: string): Promise<{ id: number; all: Execution[] }> {
  const { listId } = await makeAudience(service, contacts);
  const { id } = await call('POST', '/campaigns', { name: 'A campaign', steps });
  await call('POST', `/campaigns/${id}/start`, { listId });
  const all = await until(`all are at ${stepId}`, async () => {
    const found = await executionsOf(id);
    return found.length === contacts && found.every((one) => one.currentStepId === stepId && one.runId) && found;
  });
  for (const { workflowId: at } of all) await idle(at);
  await comparison.listed(
    `WorkflowType = 'campaignExecution' AND CampaignId = ${id} AND ExecutionStatus = 'Running'`,
    contacts,
  );
  return { id, all };
}
const executionsOf = async (id: number): Promise<Execution[]> =>
  (await call('GET', `/campaigns/${id}/executions?limit=100`)).data;
const idle = (id: string) =>
  until(`${id} only waits`, async () => {
    const { isOpen, isAtWork } = await known(id);
    return isOpen && !isAtWork;
  });
const dueOf = (id: number) =>
  own<{ due: string }>(`select state #>> '{ahead,waitUntil}' as due from campaign_executions where id = $1`, [id]);
const mailsOf = (id: number) => own(`select 1 from emails where campaign_id = $1`, [id]);
const email = (id: string) => ({ id, type: 'EMAIL', config: { templateId } });
const wait = (id: string, waitMinutes: number) => ({ id, type: 'WAIT', config: { waitMinutes } });

test('executions whose workflows were ended or deleted go on where they were, and healthy ones are not touched', async () => {
  const { id, all } = await begun([email('one'), wait('pause', 5000), email('two')], 4, 'pause');
  const [ended, deleted, ...healthy] = all as [Execution, Execution, ...Execution[]];
  const due = await dueOf(ended.id);
  await end(ended.workflowId);
  const { workflowService, options } = service.deps.temporal;
  await workflowService.deleteWorkflowExecution({
    namespace: options.namespace,
    workflowExecution: { workflowId: deleted.workflowId },
  });
  await until('one is gone', async () => (await known(deleted.workflowId)).runId === null);
  await comparison.round();
  for (const { workflowId: at } of [ended, deleted]) await idle(at);
  // The same wait, to the same moment.
  assert.deepEqual(await dueOf(ended.id), due);
  assert.equal((await mailsOf(id)).length, 4);
  for (const { workflowId: at, runId } of healthy) assert.equal((await known(at)).runId, runId);
  const [row] = (await executionsOf(id)).filter((one) => one.id === ended.id);
  assert.equal(row!.runId, (await known(ended.workflowId)).runId);
  await comparison.listed(
    `CampaignId = ${id} AND WorkflowType = 'campaignExecution' AND ExecutionStatus = 'Running'`,
    4,
  );
  assert.deepEqual(await comparison.round(), NOTHING);

  // Over, in the row: it goes on with the next step, and mails once.
  await own(
    `update campaign_executions set state = jsonb_set(jsonb_set(state, '{ahead,waitUntil}', '"2026-01-01T00:00:00.000Z"'),
       '{position,waitUntil}', '"2026-01-01T00:00:00.000Z"') where id = $1`,
    [ended.id],
  );
  assert.deepEqual(await comparison.round(), { ...NOTHING, woken: 1 });
  await until('it has ended', async () =>
    (await executionsOf(id)).some((one) => one.id === ended.id && one.status === 'COMPLETED'),
  );
  assert.equal((await mailsOf(id)).length, 5);
});

test('an execution that was woken while it had no workflow looks at once', async () => {
  const listen = { id: 'listen', type: 'WAIT_FOR_EVENT', config: { event: 'WEBSITE_VISITED', timeoutMinutes: 5000 } };
  const { all } = await begun([email('one'), listen], 2, 'listen');
  const [gone, deaf] = all as [Execution, Execution];
  await end(gone.workflowId);
  await comparison.listed(
    `WorkflowType = 'campaignExecution' AND WorkflowId = '${gone.workflowId}' AND ExecutionStatus = 'Running'`,
    0,
  );
  // As the consumer does, whose signal nobody heard; the event itself came to nothing.
  await own(`update awaited_events set woken_at = now() where execution_id = any($1)`, [[gone.id, deaf.id]]);
  const found = await comparison.round();
  assert.deepEqual([found.started, found.woken, found.ended], [1, 1, 0]);
  await until(
    'both have looked',
    async () =>
      (
        await own(`select 1 from awaited_events where execution_id = any($1) and woken_at is not null`, [
          [gone.id, deaf.id],
        ])
      ).length === 0,
  );
  for (const { workflowId: at } of all) await idle(at);
});

test('workflows without an open row are ended in the second round', async () => {
  const { id, all } = await begun([wait('pause', 5000)], 3, 'pause');
  const [closed, removed, healthy] = all as [Execution, Execution, Execution];
  await own(`update campaign_executions set status = 'STOPPED', exit_reason = 'stopped_by_user' where id = $1`, [
    closed.id,
  ]);
  await own(`delete from campaign_executions where id = $1`, [removed.id]);
  assert.equal((await comparison.round()).ended, 0);
  assert.deepEqual(await comparison.round(), { ...NOTHING, ended: 2 });
  for (const { workflowId: at } of [closed, removed]) assert.ok(!(await known(at)).isOpen);
  assert.equal((await known(healthy.workflowId)).runId, healthy.runId);
  await comparison.listed(
    `CampaignId = ${id} AND WorkflowType = 'campaignExecution' AND ExecutionStatus = 'Running'`,
    1,
  );
  for (let n = 0; n < 2; n += 1) assert.deepEqual(await comparison.round(), NOTHING);
});

test('who waits for a resume that nobody carries out is woken', async () => {
  const { id, all } = await begun([wait('pause', 5000), email('one')], 1, 'pause');
  await call('POST', `/campaigns/${id}/pause`);
  const [{ id: executionId, workflowId: at }] = all as [Execution];
  await own(
    `update campaign_executions set state = jsonb_set(jsonb_set(state, '{ahead,waitUntil}', '"2026-01-01T00:00:00.000Z"'),
       '{position,waitUntil}', '"2026-01-01T00:00:00.000Z"') where id = $1`,
    [executionId],
  );
  await service.deps.temporal.workflow.getHandle(at).signal('wake');
  await until(
    'it is parked',
    async () => (await own(`select 1 from campaign_executions where id = $1 and parked`, [executionId])).length > 0,
  );
  await idle(at);
  assert.deepEqual(await comparison.round(), NOTHING);
  await own(`update campaigns set status = 'ACTIVE' where id = $1`, [id]);
  assert.deepEqual(await comparison.round(), { ...NOTHING, woken: 1 });
  await until('it has ended', async () => (await executionsOf(id))[0]!.status === 'COMPLETED');
});

test('retry takes an execution that is RUNNING and has no workflow, and no other that is RUNNING', async () => {
  const { all } = await begun([email('one'), wait('pause', 5000)], 2, 'pause');
  const [gone, healthy] = all as [Execution, Execution];
  await call('POST', `/campaigns/executions/${healthy.id}/retry`, undefined, 409);
  await end(gone.workflowId);
  await call('POST', `/campaigns/executions/${gone.id}/retry`, undefined, 202);
  await idle(gone.workflowId);
  const again = await known(gone.workflowId);
  assert.notEqual(again.runId, gone.runId);
  await call('POST', `/campaigns/executions/${gone.id}/retry`, undefined, 409);
  assert.equal((await known(gone.workflowId)).runId, again.runId);
});

test('an email campaign whose workflow is gone goes on, and one that was not told looks again', async () => {
  const { listId } = await makeAudience(service, 3);
  const { id } = await makeEmailCampaign(service, {
    ...{ templateId, listId, scheduleType: 'scheduled', scheduledAt: new Date(Date.now() + 86_400_000).toISOString() },
  });
  await call('POST', `/emails/campaigns/${id}/send`);
  const at = workflowId('emailCampaign', { tenantId: 'default', campaignId: id });
  await until('it is started', async () => (await known(at)).isOpen);
  await idle(at);
  await end(at);
  await comparison.listed(`WorkflowType = 'emailCampaign' AND ExecutionStatus = 'Running'`, 0);
  assert.deepEqual(await comparison.round(), { ...NOTHING, started: 1 });
  await idle(at);
  await comparison.listed(`WorkflowType = 'emailCampaign' AND ExecutionStatus = 'Running'`, 1);
  assert.deepEqual(await comparison.round(), NOTHING);
  // As a change whose signal was lost with Temporal's last seconds.
  await own(`update email_campaigns set next_run_at = now(), updated_at = now() where id = $1`, [id]);
  assert.deepEqual(await comparison.round(), { ...NOTHING, woken: 1 });
  await until('it is sent', async () => (await call('GET', `/emails/campaigns/${id}`)).status === 'SENT');
  assert.equal((await mailsOf(id)).length, 3);
});

test('an erasure whose workflow is lost after the records are gone is ended as it was', async () => {
  const { contacts } = await makeAudience(service, 1);
  const { id } = await call('POST', `/contacts/${contacts[0]!.id}/erase`);
  const read = () => call('GET', `/contacts/erasures/${id}`);
  const done = await until('it is erased', async () => {
    const found = await read();
    return found.status === 'COMPLETED' && found;
  });
  // What is in the outbox is not compared, and a job is there until its workflow has ended.
  await until('its job is over', async () => (await own('select 1 from outbox_workflows where is_job')).length === 0);
  await own(`update erasures set status = 'RUNNING' where id = $1`, [id]);
  assert.deepEqual(await comparison.round(), { ...NOTHING, started: 1 });
  const again = await until('it is ended again', async () => {
    const found = await read();
    return found.status === 'COMPLETED' && found;
  });
  assert.deepEqual([again.error, again.certificate.erased], [null, done.certificate.erased]);
});

test('schedules that are gone, and those of nothing, are mended', async () => {
  const { id } = await call('POST', '/campaigns', {
    name: 'Weekly',
    trigger: {
      type: 'SCHEDULE',
      cron: '0 9 * * 1',
      timezone: 'Europe/Berlin',
      segmentId: (await makeAudience(service, 1)).listId,
    },
    steps: [wait('pause', 1)],
  });
  await call('POST', `/campaigns/${id}/start`);
  const { schedule } = service.deps.temporal;
  const ids = async () => {
    const found: string[] = [];
    for await (const { scheduleId } of schedule.list()) found.push(scheduleId);
    return found.sort();
  };
  const ours = scheduleIdOf({ tenantId: 'default', campaignId: id });
  const orphan = scheduleIdOf({ tenantId: 'default', campaignId: 999_999 });
  await until('it has its schedule', async () => (await ids()).includes(ours));
  await schedule.getHandle(ours).delete();
  await schedule.create({
    scheduleId: orphan,
    spec: { cronExpressions: ['0 9 * * *'] },
    action: { type: 'startWorkflow', workflowType: 'campaignOccurrence', taskQueue: QUEUES.jobs, args: [] },
  });
  await until('both are listed as they are', async () => (await ids()).join() === orphan);
  assert.deepEqual(await comparison.round(), { ...NOTHING, started: 1, ended: 1 });
  await until('they are mended', async () => (await ids()).join() === ours);
  assert.deepEqual(await comparison.round(), NOTHING);
});

test('health tells what the last comparison found, and that there was none for too long', async () => {
  const status = async () => (await call('GET', '/health')).components.workflows.status as string;
  const becomes = (wanted: string) => until(`workflows are ${wanted}`, async () => (await status()) === wanted);
  await saveComparison(engineEm(service.deps.orm), { ...NOTHING, started: 1 }, 60_000);
  await becomes('DEGRADED');
  // Overdue, but by the time that the service was stopped.
  await saveComparison(engineEm(service.deps.orm), NOTHING, 0);
  await becomes('UP');
  service.deps.startedAt = new Date(Date.now() - 2 * LATE_MS);
  await becomes('DEGRADED');
  // One of any number of processes compares, and another when it has ended.
  const processes = [startReconciliation(service.deps), startReconciliation(service.deps)];
  await becomes('UP');
  await processes[0]!.stop();
  await saveComparison(engineEm(service.deps.orm), NOTHING, 0);
  await becomes('UP');
  await processes[1]!.stop();
});
