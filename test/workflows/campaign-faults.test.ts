import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { Worker } from '@temporalio/worker';
import { createActivities } from '../../activities/index.ts';
import { closeWorkflow, startExecutions } from '../../activities/start-executions.ts';
import { QUEUES, workflows } from '../../registry/workflows.ts';
import { CampaignEnrolment, type CampaignExecution } from '../../db/entities/campaigns.ts';
import { rows, sql } from '../../db/orm.ts';
import { enrolPage } from '../../domain/campaigns/enrolment/enrol-page.ts';
import type { ExecutionStart, StepRequest } from '../../domain/campaigns/execution/execution.ts';
import { stepCommandsOf } from '../../activities/campaigns.ts';
import { definitionCache } from '../../domain/campaign-definitions/load-definition.ts';
import { pauseCampaign, resumeCampaign } from '../../domain/campaigns/management/pause-campaign.ts';
import { retryExecution } from '../../domain/campaigns/execution/change-execution.ts';
import { mergeContacts } from '../../domain/contacts/people/merge-contacts.ts';
import { runStep } from '../../domain/campaigns/execution/run-step.ts';
import { stopCampaign } from '../../domain/campaigns/management/stop-campaign.ts';
import { stopExecutionsOfContact } from '../../domain/campaigns/execution/stop-executions.ts';
import { workflowBundle } from '../../worker/bundle.ts';
import { until } from '../support/until.ts';
import { wait } from './campaign-paths.ts';
import { LONG, MINUTE, startJourneys, TENANT, type Journeys } from './campaign-support.ts';
import { messagesOf, reachable, sendingSteps } from './channel-paths.ts';

let journeys: Journeys;
const load = definitionCache();
const tools = { load, commands: stepCommandsOf({ MAIL_FROM: 'no-reply@example.com' }) };
const origin = { tenantId: TENANT, actor: null, requestId: null, address: null };
const runId = 'a-run';
beforeAll(async () => {
  journeys = await startJourneys();
});
afterAll(() => journeys.stop());

/** Enters contacts as the enrolment's page does, without starting their workflows. */
async function entered(steps: object[], contacts = 1, entry = {}): Promise<ExecutionStart[]> {
  return enteredBy(steps, await Promise.all(Array.from({ length: contacts }, () => journeys.contact())), entry);
}

async function enteredBy(steps: object[], contactIds: number[], entry = {}): Promise<ExecutionStart[]> {
  const campaignId = await journeys.start({ steps: steps as never, entry }, { contactIds });
  await journeys.em().transactional((tx) => rows(tx, sql`delete from outbox_workflows`));
  const { id: enrolmentId } = await journeys.em().findOneOrFail(CampaignEnrolment, { campaignId });
  return (await enrolPage(journeys.em(), load, { tenantId: TENANT, enrolmentId, after: 0 })).starts;
}

const firstStep = ({ executionId, runSeq }: ExecutionStart, seq = 0): StepRequest => ({
  tenantId: TENANT,
  executionId,
  runSeq,
  seq,
  at: Date.now(),
});
const step = (request: StepRequest) => runStep(journeys.em(), tools, request, { runId });
const eventsOf = async (type: string, executionId: number) =>
  (
    await journeys.em().transactional((tx) =>
      rows(
        tx,
        sql`
  select 1 from outbox_events o, jsonb_array_elements(o.events) v where o.type = ${type} and v -> 'data' ->> 'executionId' = ${String(executionId)}`,
      ),
    )
  ).length;

test('a step that is run again after its commit answers the same and does nothing twice', async () => {
  const templateId = await journeys.template();
  const email = (id: string) => ({ id, type: 'EMAIL', config: { templateId } });
  const [start] = await entered([email('one'), wait('pause', 0), email('two')]);
  const first = await step(firstStep(start!));
  assert.ok('ahead' in first);
  assert.deepEqual(first.ahead.runs, { stepId: 'two', type: 'EMAIL', summary: 'email: Hello' });
  assert.deepEqual(await step(firstStep(start!)), first);
  assert.equal((await journeys.emails(start!.executionId)).length, 1);
  for (let n = 0; n < 2; n += 1) assert.deepEqual(await step(firstStep(start!, first.ahead.seq)), { end: true });
  assert.equal((await journeys.emails(start!.executionId)).length, 2);
  assert.deepEqual(await journeys.steps(start!.executionId), ['one:success', 'pause:success', 'two:success']);
  assert.equal(await eventsOf('CAMPAIGN_COMPLETED', start!.executionId), 1);
});

test('a step that is run again after an event came answers to look at once: its wake was spent on the first call', async () => {
  const listen = { id: 'listen', type: 'WAIT_FOR_EVENT', config: { event: 'WEBSITE_VISITED', timeoutMinutes: LONG } };
  const templateId = await journeys.template();
  const [start] = await entered([{ id: 'one', type: 'EMAIL', config: { templateId } }, listen]);
  const first = await step(firstStep(start!));
  assert.ok('ahead' in first);
  const looked = await step(firstStep(start!, first.ahead.seq));
  assert.ok('ahead' in looked && looked.ahead.waitUntil !== undefined);
  assert.deepEqual(await step(firstStep(start!)), looked);
  await journeys.happens(start!.contactId, 'WEBSITE_VISITED', { url: 'https://example.com/' });
  const { waitUntil: _isOver, ...atOnce } = looked.ahead;
  assert.deepEqual(await step(firstStep(start!)), { ahead: atOnce });
  assert.deepEqual(await step(firstStep(start!, atOnce.seq)), { end: true });
  assert.deepEqual(await journeys.steps(start!.executionId), ['one:success', 'listen:event']);
});

test('twins of a step run one after the other, and the second does nothing', async () => {
  const [start] = await entered([
    { id: 'one', type: 'EMAIL', config: { templateId: await journeys.template() } },
    wait('pause', 60),
  ]);
  const answers = await Promise.all(Array.from({ length: 5 }, () => step(firstStep(start!))));
  for (const answer of answers) assert.deepEqual(answer, answers[0]);
  assert.equal((await journeys.emails(start!.executionId)).length, 1);
});

test('texts and pushes of steps that are run again after their commit, also at once, are queued once', async () => {
  const { sms, message } = await sendingSteps(journeys);
  const contactId = await reachable(journeys, { text: true, push: true });
  const [start] = await enteredBy(
    [sms('one'), message('two', ['push', 'email', 'sms']), wait('pause', 60)],
    [contactId],
  );
  let seq = 0;
  for (let visit = 1; visit <= 2; visit += 1) {
    const answers = await Promise.all(Array.from({ length: 5 }, () => step(firstStep(start!, seq))));
    for (const answer of [...answers, await step(firstStep(start!, seq))]) assert.deepEqual(answer, answers[0]);
    const [first] = answers;
    assert.ok(first && 'ahead' in first);
    ({ seq } = first.ahead);
  }
  const { executionId } = start!;
  assert.deepEqual(await journeys.steps(executionId), ['one:success', 'two:sent:push']);
  assert.deepEqual(
    (await messagesOf(journeys, executionId)).map(({ send_key }) => send_key),
    [`execution:${executionId}:one:1`, `execution:${executionId}:two:1:push`],
  );
  assert.deepEqual(await journeys.emails(executionId), []);
});

test('executions that a merge moves before they have a workflow run under the id of their row', async () => {
  const templateId = await journeys.template();
  const starts = await entered([{ id: 'one', type: 'EMAIL', config: { templateId } }], 5);
  const { campaignId } = starts[0]!;
  // Targets that are not of the page.
  const [before, second, third] = starts.map(({ contactId }) => contactId);
  const outside = await journeys.contact();
  const other = await journeys.contact();
  const merge = (target: number, source: number) => mergeContacts(journeys.em(), origin, target, source, () => {});
  await merge(outside, second!);
  await merge(other, third!);
  const { id: enrolmentId } = await journeys.em().findOneOrFail(CampaignEnrolment, { campaignId });
  const again = await enrolPage(journeys.em(), load, { tenantId: TENANT, enrolmentId, after: 0 });
  const ids = new Map((await journeys.executions(campaignId)).map(({ id, workflowId }) => [id, workflowId]));
  assert.deepEqual(
    new Map(again.starts.map((start) => [start.executionId, workflows.campaignExecution.id(start)])),
    ids,
  );
  const worker = await journeys.worker();
  try {
    await startExecutions(journeys.deps, again.starts);
    for (const id of ids.values()) await journeys.finished(id!);
  } finally {
    await worker.stop();
  }
  const ended = await journeys.executions(campaignId);
  assert.deepEqual(
    ended.map(({ contactId, status }) => [contactId, status]),
    [before, starts[3]!.contactId, starts[4]!.contactId, outside, other].map((id) => [id, 'COMPLETED']),
  );
  for (const { id } of ended) assert.equal((await journeys.emails(id)).length, 1);
  const later = await enrolPage(journeys.em(), load, { tenantId: TENANT, enrolmentId, after: 0 });
  assert.deepEqual(later.starts, []);
});

test('an execution that a merge moved is retried under the id of its row', async () => {
  const [start] = await entered([{ id: 'one', type: 'EMAIL', config: { templateId: await journeys.template() } }]);
  const { executionId, campaignId, contactId } = start!;
  await journeys.owner(`update campaign_executions set status = 'FAILED' where id = ${executionId}`);
  await mergeContacts(journeys.em(), origin, await journeys.contact(), contactId, () => {});
  await retryExecution(journeys.em(), origin, executionId);
  const [{ workflowId }] = (await journeys.executions(campaignId)) as [CampaignExecution];
  assert.deepEqual(await journeys.relay(), [workflowId]);
});

test('a step of another run of the workflow, or of none, does nothing', async () => {
  const [start] = await entered([{ id: 'one', type: 'EMAIL', config: { templateId: await journeys.template() } }]);
  assert.deepEqual(await step({ ...firstStep(start!), runSeq: 2 }), { end: true });
  assert.deepEqual(await step({ ...firstStep(start!), executionId: 999_999_999 }), { end: true });
  assert.deepEqual(await journeys.emails(start!.executionId), []);
});

test('a step too early waits, whatever woke it', async () => {
  const [start] = await entered([wait('pause', 60), wait('next', 60)]);
  const answer = await step(firstStep(start!));
  const { rests: _atTheStart, ...ahead } = start!.ahead;
  assert.deepEqual(answer, { ahead });
  assert.deepEqual(await journeys.steps(start!.executionId), []);
});

test('a campaign that is resumed while a step parks is not slept through', async () => {
  const [start] = await entered([wait('now', 0), wait('pause', LONG)]);
  await pauseCampaign(journeys.em(), origin, start!.campaignId);
  assert.deepEqual(await step(firstStep(start!)), { parked: true });
  const em = journeys.em();
  const run = em.transactional.bind(em);
  let transactions = 0;
  // Resumed after the step has parked, before it looks again: the one who wakes may have been and gone.
  em.transactional = async (...args) => {
    if ((transactions += 1) === 2) await resumeCampaign(journeys.em(), origin, start!.campaignId);
    return run(...args);
  };
  const answer = await runStep(em, tools, firstStep(start!), { runId });
  assert.ok('ahead' in answer);
  assert.equal(answer.ahead.stepId, 'pause');
  const [execution] = await journeys.executions(start!.campaignId);
  assert.deepEqual([execution!.currentStepId, execution!.parked], ['pause', false]);
});

test('a worker that dies between the commit and the answer sends nothing twice', async () => {
  const templateId = await journeys.template();
  const activities = createActivities(journeys.deps);
  let lost = 0;
  const worker = await Worker.create({
    connection: journeys.env.nativeConnection,
    taskQueue: QUEUES.journeys,
    workflowBundle: await workflowBundle(),
    activities: {
      ...activities,
      EMAIL: async (request: StepRequest) => {
        const answer = await activities.EMAIL(request);
        // Executions that earlier tests have left without a worker are on the queue too.
        if (request.executionId !== start!.executionId) return answer;
        // Committed, and never heard of: three times as a local activity, then once as an ordinary one.
        if ((lost += 1) % 5 !== 0) throw new Error('the worker died');
        return answer;
      },
    },
  });
  const [start] = await entered([
    { id: 'one', type: 'EMAIL', config: { templateId } },
    wait('pause', 1440),
    { id: 'two', type: 'EMAIL', config: { templateId } },
  ]);
  const id = `campaign-execution/${TENANT}/${start!.campaignId}/${start!.contactId}/1`;
  await worker.runUntil(async () => {
    await startExecutions(journeys.deps, [start!]);
    await journeys.finished(id);
  });
  // On a busy machine a workflow task may run out of time: then its local activities, of which the history has nothing
  // yet, are done again from the first attempt.
  const events = await journeys.history(id);
  if (events.includes('WORKFLOW_TASK_TIMED_OUT')) assert.ok(lost >= 10);
  else assert.equal(lost, 10, events.join());
  assert.deepEqual(await journeys.steps(start!.executionId), ['one:success', 'pause:success', 'two:success']);
  assert.equal((await journeys.emails(start!.executionId)).length, 2);
});

test('stop: executions are STOPPED at once, queued mail is SUPPRESSED, workflows are closed', async () => {
  const templateId = await journeys.template();
  const email = (id: string) => ({ id, type: 'EMAIL', config: { templateId } });
  const starts = await entered([email('one'), wait('pause', LONG), email('two')], 30);
  const { campaignId } = starts[0]!;
  const worker = await journeys.worker();
  await startExecutions(journeys.deps, starts);
  for (const { workflowId } of await journeys.executions(campaignId)) {
    await until('it waits', async () => (await journeys.history(workflowId!)).at(-1) === 'TIMER_STARTED');
  }
  assert.equal((await stopCampaign(journeys.em(), origin, campaignId)).status, 'STOPPED');

  const stopped = await journeys.executions(campaignId);
  assert.equal(stopped.length, 30);
  for (const execution of stopped) {
    assert.deepEqual([execution.status, execution.exitReason, execution.sweep], ['STOPPED', 'campaign_stopped', true]);
    assert.deepEqual(
      (await journeys.emails(execution.id)).map(({ status, reason }) => [status, reason]),
      [['SUPPRESSED', 'stopped']],
    );
    assert.deepEqual(
      await step({ ...firstStep(starts[0]!, 1), executionId: execution.id, at: Date.now() + 2 * LONG * MINUTE }),
      { end: true },
    );
  }
  for (const id of await journeys.relay()) await journeys.settled(id);
  for (const { workflowId } of stopped) assert.equal(await journeys.status(workflowId!), 'TERMINATED');
  assert.ok((await journeys.executions(campaignId)).every((execution) => !execution.sweep));
  await stopCampaign(journeys.em(), origin, campaignId);
  assert.deepEqual(await journeys.relay(), []);
  await worker.stop();
});

test('a workflow that is started after its execution was stopped is closed again', async () => {
  const [start] = await entered([wait('pause', LONG)]);
  await stopCampaign(journeys.em(), origin, start!.campaignId);
  const [execution] = await journeys.executions(start!.campaignId);
  // The sweep is through before the start.
  await closeWorkflow(journeys.deps, execution!.workflowId!, 'not there yet');
  await startExecutions(journeys.deps, [start!]);
  assert.equal(await journeys.status(execution!.workflowId!), 'TERMINATED');
});

test('a contact that unsubscribes leaves the campaigns that say so, one that is deleted all of them', async () => {
  const contactId = await journeys.contact();
  const campaigns: number[] = [];
  for (const exitOnUnsubscribe of [true, false]) {
    const [start] = await enteredBy([wait('pause', LONG)], [contactId], { exitOnUnsubscribe });
    campaigns.push(start!.campaignId);
  }
  const states = async () =>
    (await Promise.all(campaigns.map(journeys.executions)))
      .flat()
      .map(({ status, exitReason }) => [status, exitReason ?? null]);
  const stop = (reason: 'unsubscribed' | 'contact_deleted', before?: Date) =>
    journeys.em().transactional((tx) => stopExecutionsOfContact(tx, TENANT, contactId, reason, before));
  await stop('unsubscribed', new Date(Date.now() - 60_000));
  assert.deepEqual(await states(), [
    ['RUNNING', null],
    ['RUNNING', null],
  ]);
  await stop('unsubscribed');
  assert.deepEqual(await states(), [
    ['STOPPED', 'unsubscribed'],
    ['RUNNING', null],
  ]);
  await stop('contact_deleted');
  assert.deepEqual(await states(), [
    ['STOPPED', 'unsubscribed'],
    ['STOPPED', 'contact_deleted'],
  ]);
});
