import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { startExecutions } from '../../activities/start-executions.ts';
import { stepCommandsOf } from '../../activities/campaigns.ts';
import { CampaignEnrolment, CampaignMigration, type CampaignExecution } from '../../db/entities/campaigns.ts';
import { rows, sql } from '../../db/orm.ts';
import { definitionCache } from '../../domain/campaign-definitions/load-definition.ts';
import { enrolPage } from '../../domain/campaigns/enrolment/enrol-page.ts';
import type { ExecutionStart } from '../../domain/campaigns/execution/execution.ts';
import { runStep } from '../../domain/campaigns/execution/run-step.ts';
import { pauseCampaign, resumeCampaign } from '../../domain/campaigns/management/pause-campaign.ts';
import { until } from '../support/until.ts';
import { ended, move, moveTo, paths, publish, restingAt, wait } from './campaign-paths.ts';
import { DAY, LONG, MINUTE, startJourneys, TENANT, type Journeys } from './campaign-support.ts';

let journeys: Journeys;
const origin = { tenantId: TENANT, actor: null, requestId: null, address: null };
beforeAll(async () => {
  journeys = await startJourneys();
  await journeys.worker();
});
afterAll(() => journeys.stop());

const days = (id: string, n: number) => wait(id, n * 1440);
const email = (id: string, templateId: number) => ({ id, type: 'EMAIL', config: { templateId } });
const sendKeys = async ({ id }: CampaignExecution) => (await journeys.emails(id)).map((mail) => mail.send_key);

/** How long the execution was at its first WAIT, in ms. */
async function waited({ id }: CampaignExecution): Promise<number> {
  const [record] = await journeys.em().transactional((tx) =>
    rows<{ ms: number }>(
      tx,
      sql`
    select duration_ms as ms from campaign_step_executions where execution_id = ${id} and type = 'WAIT' order by seq limit 1`,
    ),
  );
  return record!.ms;
}
const isAbout = (ms: number, expected: number) =>
  assert.ok(Math.abs(ms - expected) < 10 * MINUTE, `${ms / DAY} days, not ${expected / DAY}`);

/** Waits two of the three days between two emails. */
async function halfway(): Promise<{ resting: CampaignExecution; templateId: number }> {
  const templateId = await journeys.template();
  const resting = await restingAt(journeys, 'pause', [
    email('one', templateId),
    days('pause', 3),
    email('two', templateId),
  ]);
  await journeys.env.sleep('2 days');
  return { resting, templateId };
}

test('who has waited longer than the new version says goes on at once', async () => {
  const { resting, templateId } = await halfway();
  await moveTo(journeys, resting, [email('one', templateId), days('pause', 1), email('two', templateId)]);
  // In real time: nothing is left to wait for.
  await journeys.settled(resting.workflowId!);
  const { execution } = await ended(journeys, resting);
  assert.deepEqual([execution.status, execution.campaignVersion], ['COMPLETED', 2]);
  isAbout(await waited(execution), 2 * DAY);
  assert.deepEqual(await journeys.steps(execution.id), ['one:success', 'pause:success', 'two:success']);
  assert.deepEqual(await sendKeys(execution), [`execution:${execution.id}:one:1`, `execution:${execution.id}:two:1`]);
});

test('who has waited less waits on, for what is left', async () => {
  const { resting, templateId } = await halfway();
  await moveTo(journeys, resting, [email('one', templateId), days('pause', 5), email('two', templateId)]);
  const { execution } = await ended(journeys, resting);
  assert.equal(execution.status, 'COMPLETED');
  isAbout(await waited(execution), 5 * DAY);
  assert.deepEqual(await sendKeys(execution), [`execution:${execution.id}:one:1`, `execution:${execution.id}:two:1`]);
});

test('the workflow shows its new version, and its history replays', async () => {
  const { execution, workflowId } = await paths.migrate(journeys);
  assert.deepEqual([execution.status, execution.campaignVersion], ['COMPLETED', 2]);
  const { events } = await journeys.env.client.workflow.getHandle(workflowId).fetchHistory();
  const shown = (events ?? []).flatMap(
    ({ upsertWorkflowSearchAttributesEventAttributes: upsert }) =>
      upsert?.searchAttributes?.indexedFields?.['CampaignVersion']?.data ?? [],
  );
  assert.deepEqual(
    shown.map((data) => Buffer.from(data).toString()),
    ['2'],
  );
});

test('an email that stands later in the new version is another visit, with its own email', async () => {
  const { resting, templateId } = await halfway();
  await moveTo(journeys, resting, [days('pause', 3), email('one', templateId), email('two', templateId)]);
  const { execution } = await ended(journeys, resting);
  const { id } = execution;
  assert.deepEqual(await sendKeys(execution), [
    `execution:${id}:one:1`,
    `execution:${id}:one:2`,
    `execution:${id}:two:1`,
  ]);
});

test('who was mapped to an email is sent it once, also when moved back and forth', async () => {
  const { resting, templateId } = await halfway();
  const first = [email('one', templateId), days('pause', 3), email('two', templateId)];
  // To where `one` is not known, and back to where it can be reached again.
  await moveTo(journeys, resting, [days('rest', 9), email('last', templateId)], { pause: 'rest' });
  const [moved] = await journeys.executions(resting.campaignId);
  await moveTo(
    journeys,
    moved!,
    [...first, { ...email('one', templateId), id: 'again', next: null }, days('rest', 9)].map((step) =>
      step.id === 'rest' ? { ...step, next: 'one' } : step,
    ),
  );
  const { execution } = await ended(journeys, resting);
  const { id } = execution;
  assert.equal(execution.campaignVersion, 3);
  assert.deepEqual(await sendKeys(execution), [
    `execution:${id}:one:1`,
    `execution:${id}:one:2`,
    `execution:${id}:two:1`,
    `execution:${id}:again:1`,
  ]);
});

test('while the campaign is paused, executions are moved and run no step; they go on in the new version', async () => {
  const { resting, templateId } = await halfway();
  const { campaignId } = resting;
  const steps = [email('one', templateId), wait('pause', 60), email('three', templateId)];
  const to = await publish(journeys, campaignId, steps);
  await pauseCampaign(journeys.em(), origin, campaignId);
  await journeys.env.sleep('2 days');
  const isParked = async () => (await journeys.executions(campaignId))[0]!.parked;
  await until('it is parked', isParked);
  await move(journeys, campaignId, { from: 1, to });
  // It was woken, found the campaign paused, and waits again.
  await until('it waits again', async () => {
    const history = await journeys.history(resting.workflowId!);
    const signalled = history.lastIndexOf('WORKFLOW_EXECUTION_SIGNALED');
    // One call by the number of the old version, and one in the new one.
    return signalled > 0 && history.slice(signalled).filter((type) => type === 'MARKER_RECORDED').length === 2;
  });
  const [moved] = await journeys.executions(campaignId);
  assert.deepEqual([moved!.campaignVersion, moved!.parked, moved!.status], [2, true, 'RUNNING']);
  assert.deepEqual(await journeys.steps(resting.id), ['one:success']);

  await resumeCampaign(journeys.em(), origin, campaignId);
  await journeys.relay();
  await journeys.settled(resting.workflowId!);
  const { execution } = await ended(journeys, resting);
  assert.deepEqual(await journeys.steps(execution.id), ['one:success', 'pause:success', 'three:success']);
  assert.equal(execution.parked, false);
});

/** Enters a contact without starting its workflow. */
async function entered(steps: object[]): Promise<{ start: ExecutionStart; execution: CampaignExecution }> {
  const campaignId = await journeys.start({ steps: steps as never }, { contactIds: [await journeys.contact()] });
  await journeys.em().transactional((tx) => rows(tx, sql`delete from outbox_workflows`));
  const { id: enrolmentId } = await journeys.em().findOneOrFail(CampaignEnrolment, { campaignId });
  const load = definitionCache();
  const { starts } = await enrolPage(journeys.em(), load, { tenantId: TENANT, enrolmentId, after: 0 });
  return { start: starts[0]!, execution: (await journeys.executions(campaignId))[0]! };
}

test('a step that was asked for by the old version does nothing, and answers where the execution is now', async () => {
  const templateId = await journeys.template();
  const { start, execution } = await entered([email('one', templateId), wait('pause', LONG)]);
  await moveTo(journeys, execution, [wait('before', LONG), { ...email('one', templateId) }]);
  const tools = { load: definitionCache(), commands: stepCommandsOf({ MAIL_FROM: 'no-reply@example.com' }) };
  const request = { tenantId: TENANT, executionId: execution.id, runSeq: 1, seq: start.ahead.seq, at: Date.now() };
  const answer = await runStep(journeys.em(), tools, request, { runId: 'a-run' });
  assert.ok('ahead' in answer);
  assert.deepEqual([answer.ahead.seq, answer.ahead.stepId, answer.ahead.campaignVersion], [1, 'one', 2]);
  assert.deepEqual(await sendKeys(execution), []);
  const next = { ...request, seq: answer.ahead.seq };
  await runStep(journeys.em(), tools, next, { runId: 'a-run' });
  await runStep(journeys.em(), tools, next, { runId: 'a-run' });
  assert.deepEqual(await sendKeys(execution), [`execution:${execution.id}:one:1`]);
});

test('a workflow that is started after its execution was moved does not wait as in the old version', async () => {
  const { start, execution } = await entered([wait('pause', LONG)]);
  await moveTo(journeys, execution, [wait('pause', 0), wait('next', 0)]);
  await startExecutions(journeys.deps, [start]);
  await journeys.settled(execution.workflowId!);
  assert.deepEqual(await journeys.steps(execution.id), ['pause:success', 'next:success']);
});

test('the migration counts what it moved', async () => {
  const { campaignId } = (await paths.migration(journeys)).execution;
  const migration = await journeys.em().findOneOrFail(CampaignMigration, { campaignId });
  const { status, total, movable, moved, blocked, byStep } = migration;
  assert.deepEqual(
    { status, total, movable, moved, blocked, byStep },
    {
      status: 'COMPLETED',
      total: 1,
      movable: 1,
      moved: 1,
      blocked: [],
      byStep: [{ from: 'pause', to: 'pause', count: 1 }],
    },
  );
});
