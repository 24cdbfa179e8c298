import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { rows, sql, tenantEm } from '../../../db/orm.ts';
import { missHeartbeats } from '../../support/lost-activities.ts';
import { startService, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { killWorkerProcesses, startWorkerProcess } from '../../support/worker-process.ts';

/** Four pages of 200, the last not full. */
const CONTACTS = 700;
const ROLES = ['temporal', 'relay'] as const;
let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  await killWorkerProcesses();
  await service.stop();
});

const query = <T>(statement: ReturnType<typeof sql>): Promise<T[]> =>
  tenantEm(service.deps.orm, 'default').transactional((tx) => rows<T>(tx, statement));

test('kill -9 of the worker in the middle: each contact is entered once, and each workflow is started', async () => {
  const contacts = await query<{ id: number }>(sql`
    insert into contacts (tenant_id, first_name, last_name, email, email_key)
    select 'default', 'P', 'Q', 'kill' || n || '@example.com', 'kill' || n || '@example.com' from generate_series(1, ${CONTACTS}) n
    returning id`);
  const steps = [{ id: 'pause', type: 'WAIT', config: { waitMinutes: 1440 } }];
  const { body } = await service.api('POST', '/campaigns', { name: 'Killed', steps, entry: { reentry: 'always' } });
  const contactIds = contacts.map(({ id }) => id);
  const { enrolmentId } = (await service.api('POST', `/campaigns/${body.id}/start`, { contactIds })).body;
  const enrolment = async () => (await service.api('GET', `/campaigns/enrolments/${enrolmentId}`)).body;

  let worker = startWorkerProcess(service, ROLES);
  for (const reached of [200, 400]) {
    await until(`${reached} are entered`, async () => (await enrolment()).enrolled >= reached, 120_000);
    await worker.end('SIGKILL');
    assert.equal((await enrolment()).status, 'RUNNING', 'it was killed in the middle');
    await missHeartbeats(service, `campaign-enrolment/default/${enrolmentId}`, 15);
    worker = startWorkerProcess(service, ROLES);
  }
  await until('it is completed', async () => (await enrolment()).status === 'COMPLETED', 240_000);
  const running = `CampaignId = ${body.id} AND WorkflowType = 'campaignExecution' AND ExecutionStatus = 'Running'`;
  await until(
    'each workflow runs',
    async () => (await service.deps.temporal.workflow.count(running)).count === CONTACTS,
    120_000,
  );
  const { enrolled, skipped } = await enrolment();
  assert.deepEqual([enrolled, skipped], [CONTACTS, 0]);
  const counts = async () =>
    (
      await query<{ executions: number; contacts: number; started: number }>(sql`
        select count(*) as executions, count(distinct contact_id) as contacts, count(run_id) as started
        from campaign_executions where campaign_id = ${body.id}`)
    )[0]!;
  // A start is noted after it, so a workflow may run before.
  await until('each start is noted', async () => (await counts()).started === CONTACTS);
  assert.deepEqual(await counts(), { executions: CONTACTS, contacts: CONTACTS, started: CONTACTS });
  await worker.end('SIGKILL');
});
