import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { COMPARED_TYPES, OPEN_KINDS } from '../../domain/reconciliation/open-rows.ts';
import { describeWorkflow, startWorkflow } from '../../runtime/temporal.ts';
import { workflows, type WorkflowStart, type WorkflowType } from '../../registry/workflows.ts';
import { columnsOf, insertRow } from '../support/database/schema-rows.ts';
import { inputOf, NOTHING, startComparison, type Comparison } from '../support/reconciliation.ts';
import { startService, type Service } from '../support/service.ts';

// Without workers: what is started stays open, with a task that nobody takes.
let service: Service;
let comparison: Comparison;
beforeAll(async () => {
  service = await startService();
  comparison = await startComparison(service);
  // Rows without what they refer to.
  await comparison.owner.query("set session_replication_role = 'replica'");
});
afterAll(async () => {
  await comparison.end();
  await service.stop();
});

const tenant_id = 'default';
const ahead = { seq: 3, stepId: 'pause', type: 'WAIT', summary: 'wait', waitUntil: '2031-01-01T00:00:00.000Z' };

/** For each type: open rows, and the id and the input that the workflow must have. */
const KINDS: Record<string, { table: string; row: Record<string, unknown>; id: string; input: object }> = {
  campaignExecution: {
    table: 'campaign_executions',
    row: {
      ...{ id: 11, campaign_id: 1, campaign_version: 2, contact_id: 70, entry_no: 3, entry_key: 'a', run_seq: 4 },
      ...{ status: 'RUNNING', state: { ahead }, workflow_id: 'campaign-execution/default/1/7/1' },
    },
    // That of its row, which was another contact's when it began.
    id: 'campaign-execution/default/1/7/1',
    input: {
      ...{ campaignId: 1, campaignName: 'A campaign', campaignVersion: 2, contactId: 70, entryNo: 3 },
      ...{ executionId: 11, runSeq: 4, ahead, workflowId: 'campaign-execution/default/1/7/1' },
    },
  },
  campaignEnrolment: {
    table: 'campaign_enrolments',
    row: {
      id: 12,
      campaign_id: 1,
      campaign_version: 2,
      status: 'PENDING',
      workflow_id: 'campaign-enrolment/default/12',
    },
    id: 'campaign-enrolment/default/12',
    input: { enrolmentId: 12, campaignId: 1, campaignName: 'A campaign', campaignVersion: 2 },
  },
  campaignMigration: {
    table: 'campaign_migrations',
    row: { id: 13, campaign_id: 1, status: 'RUNNING', cursor: 55, workflow_id: 'campaign-migration/default/13' },
    id: 'campaign-migration/default/13',
    input: { migrationId: 13, campaignId: 1, after: 55 },
  },
  campaignStop: {
    table: 'campaign_executions',
    row: {
      ...{ id: 14, campaign_id: 1, contact_id: 8, entry_key: 'b', status: 'STOPPED', sweep: true },
      ...{ finished_at: '2026-01-01T00:00:00Z', workflow_id: 'campaign-execution/default/1/8/1' },
    },
    id: 'campaign-stop/default/left-1',
    input: { campaignIds: [1], cause: 'left-1' },
  },
  campaignSimulation: {
    table: 'campaign_simulations',
    row: { id: 15, campaign_id: 1, status: 'RUNNING', workflow_id: 'campaign-simulation/default/15' },
    id: 'campaign-simulation/default/15',
    input: { simulationId: 15 },
  },
  contactImport: {
    table: 'contact_imports',
    row: { id: 16, status: 'RUNNING', workflow_id: 'contact-import/default/16' },
    id: 'contact-import/default/16',
    input: { importId: 16 },
  },
  importUndo: {
    table: 'contact_imports',
    row: { id: 17, status: 'COMPLETED', undo: {}, workflow_id: 'contact-import/default/17' },
    id: 'import-undo/default/17',
    input: { importId: 17 },
  },
  contactErasure: {
    table: 'erasures',
    row: { id: 18, contact_id: 9, status: 'RUNNING', workflow_id: 'contact-erasure/default/18' },
    id: 'contact-erasure/default/18',
    input: { erasureId: 18 },
  },
  emailCampaign: {
    table: 'email_campaigns',
    row: { id: 19, status: 'SENDING' },
    id: 'email-campaign/default/19',
    input: { campaignId: 19 },
  },
  report: {
    table: 'analytics_report_runs',
    row: { id: 20, report_id: 5, status: 'PENDING', workflow_id: 'report/default/5/20' },
    id: 'report/default/5/20',
    input: { reportId: 5, runId: 20 },
  },
  scoringReplay: {
    table: 'scoring_replays',
    row: { id: 21, status: 'RUNNING', cursor: 44, workflow_id: 'scoring-replay/default/21' },
    id: 'scoring-replay/default/21',
    input: { replayId: 21, after: 44 },
  },
  segmentBuild: {
    table: 'segments',
    row: {
      ...{
        id: 22,
        name: 'Many',
        type: 'dynamic',
        status: 'BUILDING',
        build: 6,
        building_since: '2026-01-01T00:00:00Z',
      },
      filter: { field: 'email', operator: 'endsWith', value: '@example.com' },
    },
    id: 'segment-build/default/22/6',
    input: { segmentId: 22, build: 6 },
  },
  thresholdCall: {
    table: 'threshold_calls',
    row: { threshold_id: 23, contact_id: 10, at: '2026-01-01T00:00:00Z' },
    id: 'threshold-call/default/23/10',
    input: { thresholdId: 23, contactId: 10 },
  },
  webhookReplay: {
    table: 'webhook_replays',
    row: { id: 24, status: 'RUNNING', workflow_id: 'webhook-replay/default/24' },
    id: 'webhook-replay/default/24',
    input: { replayId: 24 },
  },
};
const idOf = ({ id }: { id: string }) => id;
const insert = async ({ table, row }: { table: string; row: Record<string, unknown> }) =>
  insertRow(comparison.owner, table, await columnsOf(comparison.owner, table), { tenant_id, ...row });

test('every type of workflow has rows that say that it is open, or a reason why not', () => {
  assert.deepEqual(Object.keys(OPEN_KINDS).sort(), Object.keys(workflows).sort());
  assert.deepEqual(Object.keys(KINDS).sort(), [...COMPARED_TYPES].sort());
});

test('what is open and has no workflow gets one, of every type, and no second one', async () => {
  await insert({ table: 'campaigns', row: { id: 1, name: 'A campaign', status: 'ACTIVE' } });
  for (const kind of Object.values(KINDS)) await insert(kind);
  // It waits for the build of another segment, which starts it.
  const inSegment = { field: 'segmentId', operator: 'eq', value: 22 };
  await insert({
    table: 'segments',
    row: { id: 25, name: 'Of it', type: 'dynamic', status: 'BUILDING', build: 1, filter: inSegment },
  });
  // The relay starts it in a moment.
  await insert({
    table: 'erasures',
    row: { id: 26, contact_id: 12, status: 'PENDING', workflow_id: 'contact-erasure/default/26' },
  });
  await comparison.owner.query(`insert into outbox_workflows (tenant_id, workflow_type, workflow_id, input)
    values ('default', 'contactErasure', 'contact-erasure/default/26', '{"tenantId": "default", "erasureId": 26}')`);

  const count = Object.keys(KINDS).length;
  assert.deepEqual(await comparison.round(), { ...NOTHING, started: count });
  for (const [type, { id, input }] of Object.entries(KINDS)) {
    assert.ok((await describeWorkflow(service.deps.temporal, id)).isOpen, id);
    assert.deepEqual(await inputOf(service, id), { tenantId: 'default', ...input }, type);
  }
  for (const id of ['segment-build/default/25/1', 'contact-erasure/default/26'])
    assert.ok(!(await describeWorkflow(service.deps.temporal, id)).isOpen, id);

  const runs = async () =>
    Promise.all(Object.values(KINDS).map(async ({ id }) => (await describeWorkflow(service.deps.temporal, id)).runId));
  const before = await runs();
  await comparison.listed(`ExecutionStatus = 'Running'`, count);
  for (let n = 0; n < 3; n += 1) assert.deepEqual(await comparison.round(), NOTHING);
  assert.deepEqual(await runs(), before);
});

test('the same after they were ended behind the back of the service, by whatever number of rounds at once', async () => {
  for (const { id } of Object.values(KINDS))
    await service.deps.temporal.workflow.getHandle(id).terminate('an operator');
  await comparison.listed(`ExecutionStatus = 'Running'`, 0);
  const others = await Promise.all([startComparison(service), startComparison(service)]);
  try {
    await Promise.all([comparison, ...others].map((one) => one.round()));
  } finally {
    for (const other of others) await other.end();
  }
  await comparison.listed(`ExecutionStatus = 'Running'`, Object.keys(KINDS).length);
  assert.deepEqual(await comparison.round(), NOTHING);
});

test('a start whose answer is lost, and one that fails, do not stop the round; the next one does the rest', async () => {
  const ids = Object.values(KINDS).map(idOf);
  for (const id of ids) await service.deps.temporal.workflow.getHandle(id).terminate('an operator');
  await comparison.listed(`ExecutionStatus = 'Running'`, 0);
  let calls = 0;
  const { temporal } = service.deps;
  const start: typeof temporal.workflow.start = async (type, options) => {
    calls += 1;
    if (calls % 3 === 1) throw new Error('not started');
    const handle = await temporal.workflow.start(type, options);
    if (calls % 3 === 2) throw new Error('the answer is lost');
    return handle;
  };
  const workflow = Object.create(temporal.workflow, { start: { value: start } });
  const flaky = Object.create(temporal, { workflow: { value: workflow } });
  await comparison.round({ ...service.deps, temporal: flaky });
  assert.ok(calls > 5);
  await comparison.round();
  for (const id of ids) assert.ok((await describeWorkflow(temporal, id)).isOpen, id);
  await comparison.listed(`ExecutionStatus = 'Running'`, ids.length);
  assert.deepEqual(await comparison.round(), NOTHING);
});

test('what has something to do is not ended, though it has no row; it reads its row by itself', async () => {
  const start = {
    type: 'contactImport',
    id: 'contact-import/default/99',
    input: { tenantId: 'default', importId: 99 },
  };
  await startWorkflow(service.deps.temporal, start as WorkflowStart);
  await comparison.listed(`ExecutionStatus = 'Running'`, Object.keys(KINDS).length + 1);
  for (let n = 0; n < 3; n += 1) assert.deepEqual(await comparison.round(), NOTHING);
  assert.ok((await describeWorkflow(service.deps.temporal, start.id)).isOpen);
  await service.deps.temporal.workflow.getHandle(start.id).terminate('the end of the test');
});

test('a stop that is at work is not started a second time', async () => {
  const { id } = KINDS['campaignStop' satisfies WorkflowType]!;
  await service.deps.temporal.workflow.getHandle(id).terminate('an operator');
  await startWorkflow(service.deps.temporal, {
    type: 'campaignStop',
    id: 'campaign-stop/default/1/9',
    input: { tenantId: 'default', campaignIds: [1], cause: '1/9' },
  });
  await comparison.listed(`WorkflowType = 'campaignStop' AND ExecutionStatus = 'Running'`, 1);
  assert.deepEqual(await comparison.round(), NOTHING);
});
