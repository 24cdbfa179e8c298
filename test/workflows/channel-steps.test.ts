import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { CampaignStepExecution } from '../../db/entities/campaigns.ts';
import { rows, sql } from '../../db/orm.ts';
import { readStats } from '../../domain/campaigns/management/read-stats.ts';
import { until } from '../support/until.ts';
import { wait, walk, type Walked } from './campaign-paths.ts';
import { DAY, HISTORY_OF_ONE_WAIT, startJourneys, type Journeys } from './campaign-support.ts';
import { channelPaths, messagesOf, reachable, sendingSteps } from './channel-paths.ts';

let journeys: Journeys;
beforeAll(async () => {
  journeys = await startJourneys();
  await journeys.worker();
});
afterAll(() => journeys.stop());

/** Walks a path to its end, and checks its steps as `step:result`. */
async function walked(name: keyof typeof channelPaths, steps: string[]): Promise<Walked> {
  const walk = await channelPaths[name](journeys);
  assert.deepEqual([walk.execution.status, walk.execution.exitReason ?? null], ['COMPLETED', null]);
  assert.deepEqual(await journeys.steps(walk.execution.id), steps);
  return walk;
}
const reasonsOf = async ({ execution: { id: executionId } }: Walked): Promise<(string | null)[]> => {
  const steps = await journeys.em().find(CampaignStepExecution, { executionId }, { orderBy: { seq: 'asc' } });
  return steps.map(({ reason }) => reason ?? null);
};
const queued = async ({ execution }: Walked) =>
  (await messagesOf(journeys, execution.id)).map(({ id: _, ...message }) => message);

test('SMS, WAIT of 30 days, PUSH: one message for each visit, and no more history than for emails', async () => {
  const walk = await walked('text-wait-push', ['text:success', 'pause:success', 'note:success']);
  const { id, campaignId, startedAt, finishedAt } = walk.execution;
  const common = { status: 'QUEUED', reason: null, lane: 'journey' };
  assert.deepEqual(await queued(walk), [
    { send_key: `execution:${id}:text:1`, channel: 'sms', ...common },
    { send_key: `execution:${id}:note:1`, channel: 'push', ...common },
  ]);
  assert.deepEqual(await journeys.emails(id), []);
  assert.ok(finishedAt!.getTime() - startedAt.getTime() >= 30 * DAY);
  const { messages } = await readStats(journeys.em(), campaignId);
  assert.deepEqual([messages.sms.queued, messages.push.queued], [1, 1]);
  assert.deepEqual(await journeys.history(walk.workflowId), HISTORY_OF_ONE_WAIT);
});

test('what the gates refuse is suppressed, MESSAGE leaves no trace of it, and the journey goes on', async () => {
  const walk = await walked('messages-suppressed', [
    'text:suppressed',
    'note:suppressed',
    'any:suppressed',
    'pause:success',
  ]);
  assert.deepEqual(await reasonsOf(walk), [
    'no_consent',
    'no_subscription',
    'push: no_subscription · sms: no_consent · email: contact_unsubscribed',
    null,
  ]);
  assert.deepEqual(
    (await queued(walk)).map(({ channel, status, reason }) => [channel, status, reason]),
    [
      ['sms', 'SUPPRESSED', 'no_consent'],
      ['push', 'SUPPRESSED', 'no_subscription'],
    ],
  );
  assert.deepEqual(await journeys.emails(walk.execution.id), []);
});

test('a cap of the entry counts the channels that it names, and MESSAGE goes round it', async () => {
  const walk = await walked('messages-capped', ['text:success', 'note:suppressed', 'any:sent:email', 'pause:success']);
  assert.deepEqual(await reasonsOf(walk), [null, 'frequency_cap', null, null]);
  assert.deepEqual(
    (await queued(walk)).map(({ channel, status, reason }) => [channel, status, reason]),
    [
      ['sms', 'QUEUED', null],
      ['push', 'SUPPRESSED', 'frequency_cap'],
    ],
  );
  const emails = await journeys.emails(walk.execution.id);
  assert.deepEqual(
    emails.map(({ send_key, status }) => [send_key, status]),
    [[`execution:${walk.execution.id}:any:1:email`, 'QUEUED']],
  );
});

for (const [name, why] of [
  ['message-in-order', 'the first channel that lets it pass'],
  ['message-preferred', 'the channel that the contact prefers'],
] as const) {
  test(`MESSAGE sends by ${why}, and by no other`, async () => {
    const walk = await walked(name, ['any:sent:push', 'pause:success']);
    const key = `execution:${walk.execution.id}:any:1:push`;
    assert.deepEqual(
      (await queued(walk)).map(({ send_key, channel, status }) => [send_key, channel, status]),
      [[key, 'push', 'QUEUED']],
    );
    assert.deepEqual(await journeys.emails(walk.execution.id), []);
  });
}

test('MESSAGE sends by the next channel if a text is refused when it is queued', async () => {
  const { message } = await sendingSteps(journeys);
  const contactId = await reachable(journeys, { text: true, push: true });
  const walking = await journeys.em().transactional(async (tx) => {
    await rows(tx, sql`lock table messages in share mode`);
    const walked = walk(journeys, [message('any', ['sms', 'push', 'email']), wait('pause', 60)], {}, contactId);
    await until('the text is about to be queued', async () => {
      const waiting = await rows(
        tx,
        sql`select 1 from pg_locks where relation = 'messages'::regclass and mode = 'RowExclusiveLock' and not granted`,
      );
      return waiting.length > 0;
    });
    await rows(
      tx,
      sql`
      insert into text_consents (tenant_id, address, status, source)
      select tenant_id, phone_e164, 'unsubscribed', 'text' from contacts where id = ${contactId}`,
    );
    return { walked };
  });
  const ended = await walking.walked;
  assert.deepEqual(await journeys.steps(ended.execution.id), ['any:sent:push', 'pause:success']);
  assert.deepEqual(
    (await queued(ended)).map(({ channel, status, reason }) => [channel, status, reason]),
    [
      ['sms', 'SUPPRESSED', 'no_consent'],
      ['push', 'QUEUED', null],
    ],
  );
});

test('SMS and MESSAGE wait for the send window', async () => {
  const walk = await walked('messages-in-window', ['text:success', 'hour:success', 'any:sent:email']);
  const { execution, workflowId } = walk;
  assert.match(execution.finishedAt!.toISOString(), /T09:00:/);
  // An hour after the first is too late for that day.
  assert.ok(execution.finishedAt!.getTime() - execution.startedAt.getTime() > 7 * DAY);
  // One for each wait, not one after the other until it is time; a timer that fires some milliseconds early is followed
  // by a second one.
  const timers = (await journeys.history(workflowId)).filter((type) => type === 'TIMER_STARTED').length;
  assert.ok(timers >= 3 && timers <= 5, String(timers));
});

test('a loop visits its steps again, each visit with a text of its own', async () => {
  const walk = await walked('text-loop', [
    ...['text:success', 'week:success', 'twice:else', 'mark:success'],
    ...['text:success', 'week:success', 'twice:then'],
  ]);
  const { id } = walk.execution;
  assert.deepEqual(
    (await queued(walk)).map(({ send_key, status }) => [send_key, status]),
    [1, 2].map((visit) => [`execution:${id}:text:${visit}`, 'QUEUED']),
  );
});

test('WAIT_FOR_EVENT goes on when the text of a step is followed, and not for that of another step', async () => {
  const walk = await walked('text-followed', ['other:success', 'text:success', 'listen:event', 'soon:success']);
  assert.match((await reasonsOf(walk))[2]!, /^MESSAGE_CLICKED atLeast 1, stepId eq "text": yes \(1 times\)$/);
});

test('a database that is away fails no journey, and one text is queued', async () => {
  const walk = await walked('text-database-away', ['start:then', 'pause:success', 'text:success']);
  assert.ok((await journeys.history(walk.workflowId)).includes('ACTIVITY_TASK_COMPLETED'));
  assert.deepEqual(
    (await queued(walk)).map(({ channel, status }) => [channel, status]),
    [['sms', 'QUEUED']],
  );
});
