import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { WorkflowNotFoundError } from '@temporalio/common';
import { rows, sql, tenantEm } from '../../../db/orm.ts';
import { eventOf, publish, settled } from '../../support/events.ts';
import { makeContact } from '../../support/mail/emails.ts';
import { startService, type Answer, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';

let service: Service;
beforeAll(async () => {
  service = await startService({ worker: true });
});
afterAll(() => service.stop());

interface Execution {
  id: number;
  contactId: number;
  status: string;
  exitReason: string | null;
  currentStepId: string | null;
  workflowId: string;
  runId: string | null;
}

async function call(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown): Promise<Answer['body']> {
  const answer = await service.api(method, path, body);
  assert.ok(answer.status < 300, JSON.stringify(answer.body));
  return answer.body;
}

const WAITED = 'WEBSITE_VISITED';
const visit = (contactId: number) => eventOf(WAITED, { contactId, url: 'https://example.com/prices' });

/** Two ways to wait for a visit, each the steps of a campaign. The contact rests at the first step of both. */
const WAITS = {
  WAIT_FOR_EVENT: [{ id: 'rest', type: 'WAIT_FOR_EVENT', config: { event: WAITED, timeoutMinutes: 60_000 } }],
  'an open GOAL': [
    { id: 'rest', type: 'WAIT', config: { waitMinutes: 60_000 } },
    { id: 'bought', type: 'GOAL', config: { if: { event: WAITED, operator: 'atLeast' } } },
  ],
};
const DONE = { WAIT_FOR_EVENT: ['rest:event'], 'an open GOAL': ['rest:skipped', 'bought:met'] };

const executionsOf = async (campaignId: number): Promise<Execution[]> =>
  (await call('GET', `/campaigns/${campaignId}/executions?sort=id`)).data;
const executionOf = async (id: number): Promise<Execution & { steps: { stepId: string; result: string }[] }> =>
  call('GET', `/campaigns/executions/${id}`);

/** Starts a campaign of these steps for a contact; returns the execution, whose workflow rests at the first of them. */
async function resting(steps: object[], contactId: number): Promise<Execution & { campaignId: number }> {
  const { id: campaignId } = await call('POST', '/campaigns', { name: 'Waiting', steps });
  await call('POST', `/campaigns/${campaignId}/start`, { contactIds: [contactId] });
  const [execution] = await until('it waits', async () => {
    const found = await executionsOf(campaignId);
    return found[0]?.runId && found[0].currentStepId === 'rest' && found;
  });
  await until('its workflow waits', async () => (await workflowStatus(execution!)) === 'RUNNING');
  return { ...execution!, campaignId };
}

/** The status of a workflow; GONE if Temporal has deleted it. */
const workflowStatus = ({ workflowId }: Execution): Promise<string> =>
  service.deps.temporal.workflow
    .getHandle(workflowId)
    .describe()
    .then(
      ({ status }) => status.name,
      (error: unknown) => {
        if (error instanceof WorkflowNotFoundError) return 'GONE';
        throw error;
      },
    );

const query = <T>(statement: ReturnType<typeof sql>): Promise<T[]> =>
  tenantEm(service.deps.orm, 'default').transactional((tx) => rows<T>(tx, statement));
/** The contacts of the rows by which events wake an execution. */
const awaitedBy = async ({ id }: Execution): Promise<number[]> =>
  (
    await query<{ contact: number }>(sql`
      select contact_id as contact from awaited_events where execution_id = ${id} and event_type = ${WAITED}`)
  ).map(({ contact }) => contact);

/** What ends the journeys of a contact, and the reason that its executions show. */
const ENDS: Record<string, { end: (contactId: number) => Promise<unknown>; reason: string }> = {
  'is deleted': { end: (id) => call('DELETE', `/contacts/${id}`), reason: 'contact_deleted' },
  'is erased': { end: (id) => call('POST', `/contacts/${id}/erase`), reason: 'contact_erased' },
  unsubscribes: { end: (id) => call('PUT', `/contacts/${id}`, { status: 'unsubscribed' }), reason: 'unsubscribed' },
};

for (const [how, { end, reason }] of Object.entries(ENDS)) {
  for (const [what, steps] of Object.entries(WAITS)) {
    test(`a contact that ${how} while it waits by ${what} leaves, and nothing waits for it any more`, async () => {
      const { id: contactId } = await makeContact(service);
      const execution = await resting(steps, contactId);
      assert.deepEqual(await awaitedBy(execution), [contactId]);
      await end(contactId);
      await until('it is stopped', async () => (await executionOf(execution.id)).status === 'STOPPED');
      assert.equal((await executionOf(execution.id)).exitReason, reason);
      assert.deepEqual(await awaitedBy(execution), []);
      await until('its workflow is closed', async () => (await workflowStatus(execution)) !== 'RUNNING');
      // What it did before is told late.
      await publish(service, visit(contactId));
      await settled(service, 'contact');
      const { status, steps: done } = await executionOf(execution.id);
      assert.deepEqual([status, done], ['STOPPED', []]);
      assert.deepEqual(await query(sql`select 1 from dead_letters`), []);
    });
  }
}

for (const [what, steps] of Object.entries(WAITS)) {
  test(`a contact that is merged into another while it waits by ${what} goes on as that one`, async () => {
    const [target, source] = [await makeContact(service), await makeContact(service)];
    const execution = await resting(steps, source.id);
    const [both, twin] = await twins(steps, target.id, source.id);
    await call('POST', `/contacts/${target.id}/merge`, { sourceId: source.id });

    // Where the target is on its way too, that of the source ends.
    await until('the twin is stopped', async () => (await executionOf(twin.id)).status === 'STOPPED');
    assert.equal((await executionOf(twin.id)).exitReason, 'merged');
    assert.deepEqual(await awaitedBy(twin), []);
    await until('the workflow of the twin is closed', async () => (await workflowStatus(twin)) !== 'RUNNING');

    for (const { id } of [execution, both]) {
      const { status, contactId } = await executionOf(id);
      assert.deepEqual([status, contactId], ['RUNNING', target.id]);
    }
    assert.deepEqual([await awaitedBy(execution), await awaitedBy(both)], [[target.id], [target.id]]);
    await publish(service, visit(target.id));
    for (const moved of [execution, both]) {
      await until('it went on', async () => (await executionOf(moved.id)).status === 'COMPLETED');
      const done = (await executionOf(moved.id)).steps.map(({ stepId, result }) => `${stepId}:${result}`);
      assert.deepEqual(done, DONE[what as keyof typeof WAITS]);
      assert.deepEqual(await awaitedBy(moved), []);
      await until('its workflow has ended', async () => (await workflowStatus(moved)) === 'COMPLETED');
    }
  });
}

for (const [what, steps] of Object.entries(WAITS)) {
  test(`what the other contact of a merge had done counts for who waits by ${what}`, async () => {
    const [target, source] = [await makeContact(service), await makeContact(service)];
    const [ofTarget, ofSource] = [await resting(steps, target.id), await resting(steps, source.id)];
    const [doer, waiter] = [await makeContact(service), await makeContact(service)];
    const ofWaiter = await resting(steps, waiter.id);
    await publish(service, visit(source.id), visit(doer.id));
    await until('the source has gone on', async () => (await executionOf(ofSource.id)).status === 'COMPLETED');
    await until('the visit is in the timeline', async () => {
      const { data } = await call('GET', `/contacts/${doer.id}/activities`);
      return data.some(({ type }: { type: string }) => type === 'WEBSITE_VISITED');
    });
    await call('POST', `/contacts/${target.id}/merge`, { sourceId: source.id });
    await call('POST', `/contacts/${doer.id}/merge`, { sourceId: waiter.id });
    for (const { id } of [ofTarget, ofWaiter])
      await until('it goes on without a new event', async () => (await executionOf(id)).status === 'COMPLETED');
  });
}

/** Starts a campaign for two contacts; returns their executions, in the order of the contacts. */
async function twins(steps: object[], ...contactIds: [number, number]): Promise<[Execution, Execution]> {
  const { id: campaignId } = await call('POST', '/campaigns', { name: 'Waiting', steps });
  await call('POST', `/campaigns/${campaignId}/start`, { contactIds });
  const found = await until('both wait', async () => {
    const all = await executionsOf(campaignId);
    return all.length === 2 && all.every(({ runId, currentStepId }) => runId && currentStepId === 'rest') && all;
  });
  return contactIds.map((id) => found.find(({ contactId }) => contactId === id)!) as [Execution, Execution];
}
