import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startJourneys, type Journeys } from './campaign-support.ts';

let journeys: Journeys;
before(async () => {
  journeys = await startJourneys();
  await journeys.worker();
});
after(() => journeys.stop());

test('EMAIL, WAIT and EMAIL run to the end', async () => {
  const [templateId, contactId] = [await journeys.template(), await journeys.contact()];
  const campaignId = await journeys.start({
    steps: [
      { id: 'one', type: 'EMAIL', config: { templateId } },
      { id: 'pause', type: 'WAIT', config: { waitMinutes: 30 * 1440 } },
      { id: 'two', type: 'EMAIL', config: { templateId } },
    ],
  }, { contactIds: [contactId] });
  const [execution] = await journeys.runAll(campaignId);
  assert.equal(execution?.status, 'COMPLETED');
  assert.deepEqual(await journeys.steps(execution!.id), ['one:success', 'pause:success', 'two:success']);
  const history = await journeys.env.client.workflow.getHandle(execution!.workflowId).fetchHistory();
  (await import('node:fs')).writeFileSync('/tmp/campaigns-helper/out.txt', JSON.stringify(history.events?.map((e) => e.eventType + ' ' + Object.keys(e).find((k) => k.endsWith('Attributes') && e[k as never])), null, 1));
});
