import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import type proto from '@temporalio/proto';
import { tenantEm } from '../../../db/orm.ts';
import { appendEvents } from '../../../events/outbox.ts';
import { eventOf, publish, settled } from '../../support/events.ts';
import { makeContact } from '../../support/mail/emails.ts';
import { startService, type Answer, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';

const EVENTS = 2_000;
/** Events of one transaction, which are one message to the consumers. */
const TOGETHER = 100;
const TEN_YEARS_MINUTES = 5_256_000;
const PRICES = 'https://example.com/prices';

let service: Service;
beforeAll(async () => {
  service = await startService({ worker: true });
});
afterAll(() => service.stop());

interface Execution {
  id: number;
  status: string;
  currentStepId: string | null;
  startedAt: string;
  workflowId: string;
  runId: string | null;
}

async function call(method: 'GET' | 'POST', path: string, body?: unknown): Promise<Answer['body']> {
  const answer = await service.api(method, path, body);
  assert.ok(answer.status < 300, JSON.stringify(answer.body));
  return answer.body;
}

const listen = (id: string) => ({
  id,
  type: 'WAIT_FOR_EVENT',
  config: {
    event: 'WEBSITE_VISITED',
    where: [{ field: 'url', operator: 'eq', value: PRICES }],
    timeoutMinutes: 60_000,
    onTimeout: null,
  },
});

const executionOf = async (id: number): Promise<Execution & { steps: { stepId: string; result: string }[] }> =>
  call('GET', `/campaigns/executions/${id}`);
const stepsOf = async (id: number): Promise<string[]> =>
  (await executionOf(id)).steps.map(({ stepId, result }) => `${stepId}:${result}`);
const historyOf = async ({ workflowId }: Execution): Promise<proto.temporal.api.history.v1.IHistoryEvent[]> =>
  (await service.deps.temporal.workflow.getHandle(workflowId).fetchHistory()).events!;

/** Starts a campaign of these steps for a contact; returns the execution, whose workflow waits at the first of them. */
async function waiting(steps: { id: string }[], contactId: number): Promise<Execution> {
  const { id: campaignId } = await call('POST', '/campaigns', { name: 'Waiting', steps });
  await call('POST', `/campaigns/${campaignId}/start`, { contactIds: [contactId] });
  const [execution] = await until('it waits', async () => {
    const { data } = await call('GET', `/campaigns/${campaignId}/executions`);
    return data[0]?.runId && data[0].currentStepId === steps[0]!.id && (data as Execution[]);
  });
  await until('its timer runs', async () =>
    (await historyOf(execution)).some(({ timerStartedEventAttributes: t }) => t),
  );
  return execution!;
}

/** Writes visits of a contact, many at a time, as the service does. */
async function visits(contactId: number, urls: readonly string[]): Promise<void> {
  for (let at = 0; at < urls.length; at += TOGETHER) {
    const events = urls
      .slice(at, at + TOGETHER)
      .map((url) => ({ type: 'WEBSITE_VISITED', data: { contactId, url } }) as const);
    await tenantEm(service.deps.orm, 'default').transactional((tx) =>
      appendEvents(tx, { tenantId: 'default', requestId: null }, events),
    );
  }
}

test.each([
  ['the last of which is the one', (n: number) => (n === EVENTS - 1 ? PRICES : `https://example.com/${n}`)],
  ['each of which is the one', () => PRICES],
])(`${EVENTS} events of one contact that waits, %s: it goes on once, in few tasks`, async (_which, url) => {
  const { id: contactId } = await makeContact(service);
  const execution = await waiting([listen('listen')], contactId);
  await visits(
    contactId,
    Array.from({ length: EVENTS }, (_, n) => url(n)),
  );
  await until('it has ended', async () => (await executionOf(execution.id)).status !== 'RUNNING');
  await settled(service, 'contact');
  const { status } = await executionOf(execution.id);
  assert.deepEqual([status, await stepsOf(execution.id)], ['COMPLETED', ['listen:event']]);
  await until('its workflow has ended', async () => {
    const described = await service.deps.temporal.workflow.getHandle(execution.workflowId).describe();
    return described.status.name === 'COMPLETED';
  });
  const history = await historyOf(execution);
  const signals = history.filter(({ workflowExecutionSignaledEventAttributes: signal }) => signal).length;
  const tasks = history.filter(({ workflowTaskCompletedEventAttributes: task }) => task).length;
  // At most one wake per message, and one task per wake, beside the first.
  assert.ok(signals >= 1 && signals <= EVENTS / TOGETHER, `${signals} signals`);
  assert.ok(tasks <= signals + 2, `${tasks} workflow tasks for ${signals} signals`);
});

test('an event that is delivered five times is one event: the next wait does not take it', async () => {
  const { id: contactId } = await makeContact(service);
  const execution = await waiting([listen('one'), listen('two')], contactId);
  const first = eventOf('WEBSITE_VISITED', { contactId, url: PRICES });
  await publish(service, first, first, first, first, first);
  await until('it has reached the second wait', async () => (await executionOf(execution.id)).currentStepId === 'two');
  await settled(service, 'contact');
  const again = await executionOf(execution.id);
  assert.deepEqual([again.status, again.currentStepId], ['RUNNING', 'two']);
  await publish(service, first, first);
  await settled(service, 'contact');
  const second = eventOf('WEBSITE_VISITED', { contactId, url: PRICES });
  await publish(service, second, second, second, second, second);
  await until('it has ended', async () => (await executionOf(execution.id)).status === 'COMPLETED');
  await settled(service, 'contact');
  assert.deepEqual(await stepsOf(execution.id), ['one:event', 'two:event']);
  const { data } = await call('GET', `/contacts/${contactId}/activities?limit=200`);
  const visited = (data as { type: string }[]).filter(({ type }) => type === 'WEBSITE_VISITED');
  assert.equal(visited.length, 2);
});

test('a WAIT of ten years starts, shows until when it lasts, and can be stopped', async () => {
  const { id: contactId } = await makeContact(service);
  const steps = [{ id: 'long', type: 'WAIT', config: { waitMinutes: TEN_YEARS_MINUTES } }];
  const execution = await waiting(steps, contactId);
  const timer = (await historyOf(execution)).find(({ timerStartedEventAttributes: started }) => started)!;
  const seconds = Number(timer.timerStartedEventAttributes!.startToFireTimeout!.seconds);
  // It starts a little after the execution.
  assert.ok(Math.abs(seconds - TEN_YEARS_MINUTES * 60) < 600, `${seconds} s`);
  const handle = service.deps.temporal.workflow.getHandle(execution.workflowId);
  const shown = await handle.query<{ currentDetails?: string }>('__temporal_workflow_metadata');
  const [, shownEnd] = /^\*\*long\*\*: wait 3650 days, until (\S+ \S+) UTC$/.exec(shown.currentDetails!) ?? [];
  const lasts = Date.parse(`${shownEnd}Z`) - Date.parse(execution.startedAt);
  // It is shown without its seconds.
  assert.ok(Math.abs(lasts - TEN_YEARS_MINUTES * 60_000) < 120_000, shown.currentDetails);
  const { body } = await service.api('POST', `/campaigns/executions/${execution.id}/stop`);
  assert.equal(body.status, 'STOPPED');
  await until('its workflow is closed', async () => (await handle.describe()).status.name === 'TERMINATED');
  assert.deepEqual(await stepsOf(execution.id), []);
});
