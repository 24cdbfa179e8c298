/**
 * `npm run bench:executions -- --executions 500 --pairs 3`: executions per second of EMAIL, WAIT 0, EMAIL, compared to
 * workflows that do nothing with the same number of local activities, timers and search attributes, on the same server.
 */
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { NativeConnection, Worker } from '@temporalio/worker';
import { searchAttributes } from '../workflows/search-attributes.ts';
import { TypedSearchAttributes } from '@temporalio/common';
import { rows, sql, tenantEm } from '../db/orm.ts';
import { startService, type Service } from '../test/support/service.ts';
import { until } from '../test/support/until.ts';
import { onStack, printPairs } from './support/stack.ts';

const { values } = parseArgs({
  options: { executions: { type: 'string', default: '500' }, pairs: { type: 'string', default: '3' } },
});
const executions = Number(values.executions);
const NOTHING_QUEUE = 'bench-nothing';

async function makeContacts(service: Service): Promise<number[]> {
  return tenantEm(service.deps.orm, 'default').transactional(async (tx) =>
    (
      await rows<{ id: number }>(
        tx,
        sql`
    insert into contacts (tenant_id, first_name, last_name, email, email_key)
    select 'default', 'Given', 'Family', 'bench' || n || '@example.com', 'bench' || n || '@example.com' from generate_series(1, ${executions}) n returning id`,
      )
    ).map((row) => row.id),
  );
}

async function campaignRate(service: Service, contactIds: number[], templateId: number): Promise<number> {
  const { status, body: campaign } = await service.api('POST', '/campaigns', {
    name: 'Bench',
    steps: [
      { id: 'first', type: 'EMAIL', config: { templateId } },
      { id: 'wait', type: 'WAIT', config: { waitMinutes: 0 } },
      { id: 'second', type: 'EMAIL', config: { templateId } },
    ],
  });
  if (status !== 201) throw new Error(JSON.stringify(campaign));
  const begin = performance.now();
  await service.api('POST', `/campaigns/${campaign.id}/start`, { contactIds });
  await until(
    'all executions are over',
    async () => (await service.api('GET', `/campaigns/${campaign.id}/stats`)).body.executions.completed === executions,
    900_000,
  );
  return executions / ((performance.now() - begin) / 1000);
}

async function nothingRate(service: Service, pair: number): Promise<number> {
  const { temporal } = service.deps;
  const begin = performance.now();
  const pending = Array.from({ length: executions }, (_, n) => n);
  await Promise.all(
    Array.from({ length: 20 }, async () => {
      for (let n = pending.pop(); n !== undefined; n = pending.pop()) {
        await temporal.workflow.start('doNothing', {
          workflowId: `nothing/${pair}/${n}`,
          taskQueue: NOTHING_QUEUE,
          args: [{ n }],
          typedSearchAttributes: new TypedSearchAttributes([
            { key: searchAttributes.campaignId, value: pair + 1 },
            { key: searchAttributes.contactId, value: n + 1 },
          ]),
        });
      }
    }),
  );
  await until(
    'all are over',
    async () =>
      (
        await temporal.workflow.count(
          `WorkflowType = 'doNothing' and CampaignId = ${pair + 1} and ExecutionStatus = 'Completed'`,
        )
      ).count === executions,
    900_000,
  );
  return executions / ((performance.now() - begin) / 1000);
}

await onStack(2, async () => {
  const service = await startService({ worker: ['temporal', 'relay'] });
  const connection = await NativeConnection.connect({ address: service.deps.env.TEMPORAL_ADDRESS });
  const worker = await Worker.create({
    connection,
    namespace: service.deps.env.TEMPORAL_NAMESPACE,
    taskQueue: NOTHING_QUEUE,
    workflowsPath: fileURLToPath(new URL('./references/nothing-workflow.ts', import.meta.url)),
    activities: { nothing: async () => {} },
    maxConcurrentWorkflowTaskExecutions: 100,
    maxConcurrentLocalActivityExecutions: 50,
  });
  const running = worker.run();
  const template = await service.api('POST', '/emails/templates', {
    name: 'Bench',
    subject: 'Hello {{firstName}}',
    content: '<p>Hello</p>',
  });
  const contactIds = await makeContacts(service);
  const pairs: [number, number][] = [];
  for (let pair = 0; pair < Number(values.pairs); pair += 1) {
    const reference = await nothingRate(service, pair);
    pairs.push([await campaignRate(service, contactIds, template.body.id), reference]);
  }
  console.log(`${executions} executions of EMAIL, WAIT 0, EMAIL beside workflows that do nothing in as many steps`);
  printPairs('/s', 'executions', 'nothing', pairs);
  worker.shutdown();
  await running;
  await connection.close();
  await service.stop();
});
