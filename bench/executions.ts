/**
 * `npm run bench:executions -- --executions 500 --pairs 3`: executions per second of EMAIL, WAIT 0, EMAIL, compared to
 * workflows that do nothing with the same number of local activities, timers and search attributes, on the same server.
 */
import { parseArgs } from 'node:util';
import { rows, sql, tenantEm } from '../db/orm.ts';
import { startService, type Service } from '../test/support/service.ts';
import { until } from '../test/support/until.ts';
import { startNothing } from './support/nothing.ts';
import { onStack, printPairs } from './support/stack.ts';

const { values } = parseArgs({
  options: { executions: { type: 'string', default: '500' }, pairs: { type: 'string', default: '3' } },
});
const executions = Number(values.executions);

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

await onStack(2, async () => {
  const service = await startService({ worker: ['temporal', 'relay'] });
  const { TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE } = service.deps.env;
  const nothing = await startNothing(TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE);
  const template = await service.api('POST', '/emails/templates', {
    name: 'Bench',
    subject: 'Hello {{firstName}}',
    content: '<p>Hello</p>',
  });
  const contactIds = await makeContacts(service);
  const pairs: [number, number][] = [];
  for (let pair = 0; pair < Number(values.pairs); pair += 1) {
    const reference = await nothing.rate(executions);
    pairs.push([await campaignRate(service, contactIds, template.body.id), reference]);
  }
  console.log(`${executions} executions of EMAIL, WAIT 0, EMAIL beside workflows that do nothing in as many steps`);
  printPairs('/s', 'executions', 'nothing', pairs);
  await nothing.stop();
  await service.stop();
});
