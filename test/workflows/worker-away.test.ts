import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { rows, sql } from '../../db/orm.ts';
import { DAY, startJourneys, TENANT, type Journeys } from './campaign-support.ts';
import { until } from '../support/until.ts';

const EXECUTIONS = 300;

let journeys: Journeys;
beforeAll(async () => {
  journeys = await startJourneys();
});
afterAll(() => journeys.stop());

const query = <T>(statement: ReturnType<typeof sql>): Promise<T[]> =>
  journeys.em().transactional((tx) => rows<T>(tx, statement));

test(`${EXECUTIONS} waits that end while no worker runs: each goes on once when one is back`, async () => {
  const contacts = await query<{ id: number }>(sql`
    insert into contacts (tenant_id, first_name, last_name, email, email_key)
    select ${TENANT}, 'Ada', 'Number ' || n, 'away' || n || '@example.com', 'away' || n || '@example.com'
    from generate_series(1, ${EXECUTIONS}) n returning id`);
  const due = (await journeys.env.currentTimeMs()) + 30 * DAY;
  const campaignId = await journeys.start(
    {
      steps: [
        { id: 'pause', type: 'WAIT', config: { until: new Date(due).toISOString() } },
        { id: 'mail', type: 'EMAIL', config: { templateId: await journeys.template() } },
      ],
    },
    { contactIds: contacts.map(({ id }) => id) },
  );
  const worker = await journeys.worker(undefined, { forgetful: true });
  for (const id of await journeys.relay()) await journeys.settled(id);
  const executions = await journeys.executions(campaignId);
  assert.equal(executions.length, EXECUTIONS);
  const allAre = async (last: string): Promise<void> => {
    for (const { workflowId } of executions)
      await until(`${workflowId} is at ${last}`, async () => (await journeys.history(workflowId!)).at(-1) === last);
  };
  await allAre('TIMER_STARTED');
  await worker.stop();

  // The server skips no time while a task waits for a worker, so this ends when one is back.
  const slept = journeys.env.sleep(30 * DAY);
  await allAre('WORKFLOW_TASK_SCHEDULED');
  const done = sql`select execution_id from campaign_step_executions where campaign_id = ${campaignId}`;
  assert.deepEqual(await query(done), []);

  await journeys.worker();
  await slept;
  for (const { workflowId } of executions) await journeys.settled(workflowId!);
  for (const { id, status } of await journeys.executions(campaignId)) {
    assert.equal(status, 'COMPLETED');
    assert.deepEqual(await journeys.steps(id), ['pause:success', 'mail:success']);
  }
  const emails = await query(sql`select distinct execution_id from emails where campaign_id = ${campaignId}`);
  assert.equal(emails.length, EXECUTIONS);
  assert.equal((await query(sql`select 1 from emails where campaign_id = ${campaignId}`)).length, EXECUTIONS);
});
