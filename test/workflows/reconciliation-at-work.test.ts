import assert from 'node:assert/strict';
import proto from '@temporalio/proto';
import { afterAll, beforeAll, test } from '@jest/globals';
import { describeWorkflow } from '../../runtime/temporal.ts';
import { QUEUES } from '../../registry/workflows.ts';
import { columnsOf, insertRow } from '../support/database/schema-rows.ts';
import { NOTHING, startComparison, type Comparison } from '../support/reconciliation.ts';
import { startService, type Service } from '../support/service.ts';
import { until } from '../support/until.ts';

const { CommandType } = proto.temporal.api.enums.v1;
type Command = proto.temporal.api.command.v1.ICommand;

// Without workers: the test does their work, so that it knows what each workflow waits for.
let service: Service;
let comparison: Comparison;
beforeAll(async () => {
  service = await startService();
  comparison = await startComparison(service);
  // Rows without what they refer to.
  await comparison.owner.query("set session_replication_role = 'replica'");
  const row = { tenant_id: 'default', id: 1, name: 'A campaign', status: 'ACTIVE' };
  await insertRow(comparison.owner, 'campaigns', await columnsOf(comparison.owner, 'campaigns'), row);
});
afterAll(async () => {
  await comparison.end();
  await service.stop();
});

const idOf = (id: number) => `campaign-execution/default/1/${id}/1`;
async function insertExecution(id: number, more: object): Promise<void> {
  await insertRow(comparison.owner, 'campaign_executions', await columnsOf(comparison.owner, 'campaign_executions'), {
    ...{
      tenant_id: 'default',
      id,
      campaign_id: 1,
      campaign_version: 1,
      contact_id: id,
      entry_no: 1,
      entry_key: `a${id}`,
    },
    ...{ status: 'RUNNING', workflow_id: idOf(id), ...more },
  });
}
/** Its wait is over. */
const due = {
  ahead: { seq: 3, stepId: 'pause', type: 'WAIT', summary: 'wait', waitUntil: '2026-01-01T00:00:00.000Z' },
};

/** Temporal asks for a deadline of a poll. */
const polled = <T>(poll: () => Promise<T>): Promise<T> =>
  service.deps.temporal.connection.withDeadline(Date.now() + 120_000, poll);

/** Does the task that a workflow has: it answers with these commands. */
async function answer(workflowId: string, commands: Command[] = []): Promise<void> {
  const { workflowService, options } = service.deps.temporal;
  const { namespace } = options;
  const task = await polled(() =>
    workflowService.pollWorkflowTaskQueue({ namespace, taskQueue: { name: QUEUES.journeys } }),
  );
  assert.equal(task.workflowExecution?.workflowId, workflowId);
  await workflowService.respondWorkflowTaskCompleted({ namespace, taskToken: task.taskToken, commands });
}
const LONG = { seconds: 86_400 as never };
const sleep: Command = {
  commandType: CommandType.COMMAND_TYPE_START_TIMER,
  startTimerCommandAttributes: { timerId: '1', startToFireTimeout: LONG },
};
const act: Command = {
  commandType: CommandType.COMMAND_TYPE_SCHEDULE_ACTIVITY_TASK,
  scheduleActivityTaskCommandAttributes: {
    ...{ activityId: '1', activityType: { name: 'WEBHOOK' }, taskQueue: { name: QUEUES.journeys } },
    ...{ scheduleToCloseTimeout: LONG, startToCloseTimeout: LONG },
    retryPolicy: { initialInterval: { nanos: 1_000_000 }, backoffCoefficient: 1 },
  },
};
async function failActivity(times: number): Promise<void> {
  const { workflowService, options } = service.deps.temporal;
  const { namespace } = options;
  for (let n = 0; n < times; n += 1) {
    const { taskToken } = await polled(() =>
      workflowService.pollActivityTaskQueue({ namespace, taskQueue: { name: QUEUES.journeys } }),
    );
    await workflowService.respondActivityTaskFailed({
      namespace,
      taskToken,
      failure: { message: 'no answer', applicationFailureInfo: {} },
    });
  }
}
const listed = (count: number) => comparison.listed(`ExecutionStatus = 'Running'`, count);
const close = (id: number) =>
  comparison.owner.query(`update campaign_executions set status = 'STOPPED' where id = $1`, [id]);

test('a step that is tried again and again is at work, and only a closed row ends it', async () => {
  await insertExecution(1, { state: due });
  assert.deepEqual(await comparison.round(), { ...NOTHING, started: 1 });
  await answer(idOf(1), [act]);
  await failActivity(12);
  await until('it is tried again', async () => (await describeWorkflow(service.deps.temporal, idOf(1))).isFailing);
  await listed(1);
  for (let n = 0; n < 2; n += 1) assert.deepEqual(await comparison.round(), NOTHING);
  await close(1);
  assert.deepEqual(await comparison.round(), NOTHING);
  assert.deepEqual(await comparison.round(), { ...NOTHING, ended: 1 });
  await listed(0);
});

test('who is woken and has nothing to do is not woken again, until the row changes', async () => {
  await insertExecution(2, { state: due });
  assert.deepEqual(await comparison.round(), { ...NOTHING, started: 1 });
  await answer(idOf(2), [sleep]);
  await listed(1);
  assert.deepEqual(await comparison.round(), { ...NOTHING, woken: 1 });
  await answer(idOf(2));
  for (let n = 0; n < 2; n += 1) assert.deepEqual(await comparison.round(), NOTHING);
  await comparison.owner.query(`update campaign_executions set updated_at = updated_at + interval '1 ms' where id = 2`);
  assert.deepEqual(await comparison.round(), { ...NOTHING, woken: 1 });
  await answer(idOf(2));
  assert.deepEqual(await comparison.round(), NOTHING);
  await close(2);
  await comparison.round();
  await comparison.round();
  await listed(0);
});

test('a row that cannot be mended is told, and stops no other', async () => {
  // Nobody knows where it is.
  await insertExecution(3, { state: {} });
  await insertExecution(4, { state: due });
  await insertExecution(5, { state: due, workflow_id: null });
  assert.deepEqual(await comparison.round(), { ...NOTHING, started: 2, failed: 1 });
  for (const id of [4, 5]) assert.ok((await describeWorkflow(service.deps.temporal, idOf(id))).isOpen);
  const { rows } = await comparison.owner.query('select workflow_id from campaign_executions where id = 5');
  assert.deepEqual(rows, [{ workflow_id: idOf(5) }]);
  await listed(2);
  assert.deepEqual(await comparison.round(), { ...NOTHING, failed: 1 });
});

test('one whose look-up fails is told, and stops no other', async () => {
  for (const id of [4, 5]) await service.deps.temporal.workflow.getHandle(idOf(id)).terminate('an operator');
  await close(3);
  await listed(0);
  const { temporal } = service.deps;
  const getHandle: typeof temporal.workflow.getHandle = (id, ...more) => {
    if (id === idOf(4)) throw new Error('not answered');
    return temporal.workflow.getHandle(id, ...more);
  };
  const workflow = Object.create(temporal.workflow, { getHandle: { value: getHandle } });
  const flaky = Object.create(temporal, { workflow: { value: workflow } });
  assert.deepEqual(await comparison.round({ ...service.deps, temporal: flaky }), { ...NOTHING, started: 1, failed: 1 });
  assert.ok((await describeWorkflow(temporal, idOf(5))).isOpen);
  await listed(1);
  assert.deepEqual(await comparison.round(), { ...NOTHING, started: 1 });
});

test('rows of a type that cannot be read are told, and none of its workflows is taken for one without a row', async () => {
  await listed(2);
  await comparison.owner.query(
    `update campaign_executions set state = '{"ahead": {"waitUntil": "never"}}' where id = 3`,
  );
  await comparison.owner.query(`update campaign_executions set status = 'RUNNING' where id = 3`);
  await insertRow(comparison.owner, 'erasures', await columnsOf(comparison.owner, 'erasures'), {
    ...{ tenant_id: 'default', id: 6, contact_id: 1, status: 'PENDING', workflow_id: 'contact-erasure/default/6' },
  });
  assert.deepEqual(await comparison.round(), { ...NOTHING, started: 1, failed: 1 });
  for (let n = 0; n < 2; n += 1) assert.deepEqual(await comparison.round(), { ...NOTHING, failed: 1 });
  for (const id of [4, 5]) assert.ok((await describeWorkflow(service.deps.temporal, idOf(id))).isOpen);
});
