import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { AwaitedEvent, CampaignStepExecution } from '../../db/entities/campaigns.ts';
import { Contact, CustomField } from '../../db/entities/contacts.ts';
import { readStats } from '../../domain/campaigns/management/read-stats.ts';
import { readContactScore } from '../../domain/scoring/scores/read-scores.ts';
import { paths, wait, walk, type PathName, type Walked } from './campaign-paths.ts';
import { DAY, HISTORY_OF_ONE_WAIT, MINUTE, startJourneys, type Journeys } from './campaign-support.ts';

let journeys: Journeys;
beforeAll(async () => {
  journeys = await startJourneys();
  await journeys.worker();
});
afterAll(() => journeys.stop());

/** Walks a path and checks how it ended and which steps it did, as `step:result`. */
async function walked(
  name: PathName,
  status: string,
  steps: string[],
  exitReason: string | null = null,
): Promise<Walked> {
  const walk = await paths[name](journeys);
  assert.deepEqual([walk.execution.status, walk.execution.exitReason ?? null], [status, exitReason]);
  assert.deepEqual(await journeys.steps(walk.execution.id), steps);
  assert.ok(walk.execution.finishedAt);
  return walk;
}

const walkedTo = async (...args: Parameters<typeof walked>): Promise<void> => void (await walked(...args));
const reasons = async (executionId: number): Promise<(string | null)[]> =>
  journeys.em().transactional(async (tx) => {
    const steps = await tx.find(CampaignStepExecution, { executionId }, { orderBy: { seq: 'asc' } });
    return steps.map(({ reason }) => reason ?? null);
  });
const sendKeys = async ({ execution }: Walked) => (await journeys.emails(execution.id)).map((email) => email.send_key);

test('EMAIL, WAIT of 30 days, EMAIL', async () => {
  const walk = await walked('email-wait-email', 'COMPLETED', ['one:success', 'pause:success', 'two:success']);
  const { id, startedAt, finishedAt, currentStep, currentStepId, runId } = walk.execution;
  assert.deepEqual(await sendKeys(walk), [`execution:${id}:one:1`, `execution:${id}:two:1`]);
  assert.deepEqual(
    (await journeys.emails(id)).map(({ status, lane }) => [status, lane]),
    [
      ['QUEUED', 'journey'],
      ['QUEUED', 'journey'],
    ],
  );
  assert.ok(finishedAt!.getTime() - startedAt.getTime() >= 30 * DAY);
  assert.deepEqual([currentStep, currentStepId], [3, null]);
  const described = await journeys.env.client.workflow.getHandle(walk.workflowId).describe();
  assert.equal(runId, described.runId);
  assert.deepEqual(await journeys.history(walk.workflowId), HISTORY_OF_ONE_WAIT);
});

test('a WAIT of nothing is a step that costs no timer', async () => {
  const walk = await walked('wait-of-nothing', 'COMPLETED', ['one:success', 'pause:success', 'two:success']);
  assert.equal((await sendKeys(walk)).length, 2);
  assert.deepEqual(await journeys.history(walk.workflowId), [
    'WORKFLOW_EXECUTION_STARTED',
    'WORKFLOW_TASK_SCHEDULED',
    'WORKFLOW_TASK_STARTED',
    'WORKFLOW_TASK_COMPLETED',
    'MARKER_RECORDED',
    'MARKER_RECORDED',
    'WORKFLOW_EXECUTION_COMPLETED',
  ]);
});

test('WAIT first, twice and last', async () => {
  const { execution } = await walked('wait-first-and-last', 'COMPLETED', [
    'first:success',
    'second:success',
    'third:success',
  ]);
  assert.ok(execution.finishedAt!.getTime() - execution.startedAt.getTime() >= DAY + 60 * 60_000);
});

test('WAIT until an instant, and until a local time of the contact', async () => {
  const { execution } = await walked('wait-until', 'COMPLETED', ['past:success', 'future:success', 'local:success']);
  const { startedAt, finishedAt } = execution;
  assert.ok(finishedAt!.getTime() - startedAt.getTime() >= 400 * DAY);
  // 09:00 in Tokyo is midnight in UTC.
  assert.equal(finishedAt!.getUTCDay(), 1);
  assert.match(finishedAt!.toISOString(), /T00:00:/);
});

test('an EMAIL waits for the send window', async () => {
  const { execution } = await walked('send-window', 'COMPLETED', ['one:success']);
  assert.match(execution.finishedAt!.toISOString(), /T09:00:/);
  assert.ok(execution.finishedAt!.getTime() - execution.startedAt.getTime() > DAY);
});

test('an EMAIL that a gate holds back is suppressed, and the journey goes on', async () => {
  const walk = await walked('email-suppressed', 'COMPLETED', ['one:suppressed', 'pause:success']);
  assert.deepEqual(
    (await journeys.emails(walk.execution.id)).map(({ status, reason }) => [status, reason]),
    [['SUPPRESSED', 'contact_unsubscribed']],
  );
});

test('mail over the frequency cap is suppressed', async () => {
  const walk = await walked('email-capped', 'COMPLETED', ['one:success', 'two:suppressed', 'pause:success']);
  const emails = await journeys.emails(walk.execution.id);
  assert.deepEqual(
    emails.map(({ status, reason }) => [status, reason]),
    [
      ['QUEUED', null],
      ['SUPPRESSED', 'frequency_cap'],
    ],
  );
});

test('CONDITION: then', () => walkedTo('condition-then', 'COMPLETED', ['fork:then', 'yes:success']));
test('CONDITION: else', () => walkedTo('condition-else', 'COMPLETED', ['fork:else', 'no:success']));
test('CONDITION: else-if', () => walkedTo('condition-branch', 'COMPLETED', ['fork:branch-1', 'found:success']));
test('CONDITION: null is the end', async () => {
  const { execution } = await walked('condition-end', 'COMPLETED', ['fork:else']);
  assert.equal(execution.currentStep, 2);
});

test('SEGMENT puts the contact on a list and takes it off', () =>
  walkedTo('segment', 'COMPLETED', ['join:success', 'member:then', 'leave:success', 'gone:else', 'end:success']));

test('SPLIT goes to one of its branches, and says with which share', async () => {
  const { execution } = await paths.split(journeys);
  const [fork, ...rest] = await journeys.steps(execution.id);
  assert.match(fork!, /^fork:branch-[12]$/);
  assert.deepEqual(rest, ['one:success']);
  assert.deepEqual(await reasons(execution.id), ['1 of 2', null]);
});

test('UPDATE_CONTACT sets fields, with an event, and what depends on them sees it', async () => {
  const { execution } = await walked('update-contact', 'COMPLETED', [
    'set:success',
    'again:success',
    'is:then',
    'end:success',
  ]);
  assert.deepEqual(await reasons(execution.id), [
    'changed jobTitle, tags',
    'nothing changed',
    'jobTitle eq "Engineer": yes ("Engineer")',
    null,
  ]);
  const contact = await journeys.em().transactional((tx) => tx.findOneOrFail(Contact, { id: execution.contactId }));
  assert.deepEqual([contact.jobTitle, contact.tags, contact.version], ['Engineer', ['vip'], 2]);
});

test('UPDATE_CONTACT sets what Liquid prints for the contact', async () => {
  const em = journeys.em();
  await em.transactional(async (tx) => {
    for (const [name, type] of [
      ['visits', 'number'],
      ['last', 'date'],
    ] as const)
      tx.create(CustomField, { tenantId: 'default', entity: 'contact', name, type });
    await tx.flush();
  });
  const set = {
    jobTitle: '{{ firstName }} {% if lastName %}{{ contact.lastName }}{% endif %} & co',
    tags: ['vip', '{{ firstName | downcase }}', '{{ nothing }}'],
    customFields: {
      visits: '{{ customFields.visits | default: 1 | plus: 1 }}',
      last: "{{ 'now' | date: '%Y-%m-%d' }}",
    },
  };
  const steps = [
    { id: 'set', type: 'UPDATE_CONTACT', config: { set } },
    { id: 'again', type: 'UPDATE_CONTACT', config: { set: { customFields: set.customFields } } },
    {
      id: 'bad',
      type: 'UPDATE_CONTACT',
      config: { set: { jobTitle: 'x', customFields: { visits: '{{ firstName }}' } } },
    },
    wait('end', 60),
  ];
  const { execution } = await walk(journeys, steps);
  assert.deepEqual(await journeys.steps(execution.id), ['set:success', 'again:success', 'bad:failed', 'end:success']);
  assert.match((await reasons(execution.id))[2]!, /^\/customFields\/visits must be a number/);
  const contact = await journeys.em().transactional((tx) => tx.findOneOrFail(Contact, { id: execution.contactId }));
  const { firstName, lastName } = contact;
  assert.equal(contact.jobTitle, `${firstName} ${lastName} & co`);
  assert.deepEqual(contact.tags, ['vip', firstName.toLowerCase()]);
  assert.equal(contact.customFields['visits'], 3);
  assert.match(String(contact.customFields['last']), /^\d{4}-\d\d-\d\d$/);
});

test('SCORE adds points and takes some away, each visit once, with history and events', async () => {
  const { execution } = await walked('score', 'COMPLETED', ['up:success', 'down:success', 'is:then', 'end:success']);
  const told = ['watched the webinar: the score is 60', 'the score is 50', 'score eq 50: yes (50)', null];
  assert.deepEqual(await reasons(execution.id), told);
  const { totalScore, rules, history } = await readContactScore(journeys.em(), execution.contactId);
  assert.deepEqual(
    [totalScore, rules],
    [50, [{ ruleId: null, name: null, score: 50, points: 50, events: 2, deleted: false }]],
  );
  assert.deepEqual(
    history.map(({ eventType, ruleId, points, total }) => [eventType, ruleId, points, total]),
    [
      ['SCORE', null, -10, 50],
      ['SCORE', null, 60, 60],
    ],
  );
});

test('EXIT stops', async () => {
  const { execution } = await walked('exit', 'STOPPED', ['pause:success', 'out:stop'], 'exit_step');
  assert.deepEqual([execution.currentStep, execution.currentStepId], [1, 'out']);
});

test('a loop visits its steps again, each visit with its own mail', async () => {
  const walk = await walked('loop', 'COMPLETED', [
    'mail:success',
    'week:success',
    'twice:else',
    'mark:success',
    'mail:success',
    'week:success',
    'twice:then',
  ]);
  const { id } = walk.execution;
  assert.deepEqual(await sendKeys(walk), [`execution:${id}:mail:1`, `execution:${id}:mail:2`]);
});

test('a contact that is gone is stopped at its next step', () =>
  walkedTo('contact-deleted', 'STOPPED', ['start:then'], 'contact_deleted'));

test('woken before its time it waits on', async () => {
  const { execution } = await walked('woken-early', 'COMPLETED', ['start:then', 'pause:success']);
  assert.ok(execution.finishedAt!.getTime() - execution.startedAt.getTime() >= DAY);
});

test('while the campaign is paused timers run on and no step is done; due steps run on resume', async () => {
  const walk = await walked('paused', 'COMPLETED', ['start:then', 'pause:success', 'next:success']);
  assert.equal(walk.execution.parked, false);
});

test('a database that is away fails no journey', async () => {
  const walk = await walked('database-away', 'COMPLETED', ['start:then', 'pause:success', 'mail:success']);
  const history = await journeys.history(walk.workflowId);
  assert.ok(history.includes('ACTIVITY_TASK_COMPLETED'));
  assert.equal((await sendKeys(walk)).length, 1);
});

test('what no try can change ends FAILED', async () => {
  const { execution, workflowId } = await paths.failed(journeys);
  assert.deepEqual([execution.status, execution.currentStep, execution.currentStepId], ['FAILED', 1, 'join']);
  assert.match(execution.exitReason!, /^There is no list \d+$/);
  assert.deepEqual(await journeys.steps(execution.id), ['pause:success', 'join:failed']);
  assert.equal(await journeys.status(workflowId), 'FAILED');
});

test('what FAILED can be retried, and goes on at the step that failed', async () => {
  const { execution } = await walked('failed-and-retried', 'COMPLETED', [
    'pause:success',
    'join:failed',
    'join:success',
    'end:success',
  ]);
  assert.equal(execution.runSeq, 2);
});

test('WAIT_FOR_EVENT goes on as soon as the event comes', async () => {
  const { execution } = await walked('event-came', 'COMPLETED', ['start:then', 'listen:event', 'soon:success']);
  assert.match((await reasons(execution.id))[1]!, /^WEBSITE_VISITED atLeast 1, url eq .*prices": yes \(1 times\)$/);
  // The wait after it counts from the event, not from the timeout.
  const after = await journeys.em().findOneOrFail(CampaignStepExecution, { executionId: execution.id, stepId: 'soon' });
  assert.ok(after.durationMs < 120 * MINUTE, `${after.durationMs} ms`);
  assert.equal(await journeys.em().count(AwaitedEvent, { executionId: execution.id }), 0);
});

test('WAIT_FOR_EVENT goes another way when its time is over', async () => {
  const { execution } = await walked('event-timeout', 'COMPLETED', ['listen:timeout', 'late:success']);
  assert.match((await reasons(execution.id))[0]!, /: no \(0 times\)$/);
  assert.ok(execution.finishedAt!.getTime() - execution.startedAt.getTime() >= 3 * DAY);
});

test('a goal that is met while the contact waits', async () => {
  const { execution } = await walked('goal-while-waiting', 'COMPLETED', [
    'start:then',
    'pause:skipped',
    'bought:met',
    'thanks:success',
  ]);
  assert.equal((await reasons(execution.id))[1], 'the goal bought is met');
  const stats = await readStats(journeys.em(), execution.campaignId);
  assert.deepEqual([stats.conversions, stats.goals], [1, [{ stepId: 'bought', met: 1, contacts: 1 }]]);
  const { skipped, completed, entered } = stats.steps.find(({ stepId }) => stepId === 'pause')!;
  assert.deepEqual([entered, completed, skipped], [1, 0, 1]);
});

test('a goal that was met before the contact entered', () =>
  walkedTo('goal-met-before', 'COMPLETED', ['pause:skipped', 'is:met']));

test('a goal that is not met is passed', () =>
  walkedTo('goal-not-met', 'COMPLETED', ['pause:success', 'bought:not_met', 'is:not_met', 'end:success']));
