import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { rows, sql } from '../../db/orm.ts';
import { retryExecution } from '../../domain/campaigns/execution/change-execution.ts';
import { wait } from './campaign-paths.ts';
import { startJourneys, TENANT, type Journeys } from './campaign-support.ts';
import { channelTemplate, messagesOf } from './channel-paths.ts';

let journeys: Journeys;
const origin = { tenantId: TENANT, actor: null, requestId: null, address: null };
let mailTemplate: number;
beforeAll(async () => {
  journeys = await startJourneys();
  await journeys.worker();
  mailTemplate = await journeys.template();
});
afterAll(() => journeys.stop());

/** A step that needs a row, and that row taken away and put back as if nobody had looked. */
const things = [
  {
    name: 'template',
    table: 'email_templates',
    make: () => journeys.template(),
    step: (id: number) => ({ id: 'needs', type: 'EMAIL', config: { templateId: id } }),
    reason: 'There is no template',
    done: 'needs:success',
  },
  {
    name: 'template of texts',
    table: 'channel_templates',
    make: () => channelTemplate(journeys, 'sms'),
    step: (id: number) => ({ id: 'needs', type: 'SMS', config: { templateId: id } }),
    reason: 'There is no template',
    // The contact has no number; a template that is gone comes first.
    done: 'needs:suppressed',
  },
  {
    name: 'template of pushes',
    table: 'channel_templates',
    make: () => channelTemplate(journeys, 'push'),
    step: (id: number) => ({ id: 'needs', type: 'PUSH', config: { templateId: id } }),
    reason: 'There is no template',
    done: 'needs:suppressed',
  },
  {
    name: 'template of one of several channels',
    table: 'channel_templates',
    make: () => channelTemplate(journeys, 'sms'),
    step: (id: number) => ({
      ...{ id: 'needs', type: 'MESSAGE' },
      config: { templates: { sms: id, email: mailTemplate }, order: ['sms', 'email'] },
    }),
    reason: 'There is no template',
    done: 'needs:sent:email',
  },
  {
    name: 'list to join',
    table: 'segments',
    make: () => journeys.list(),
    step: (id: number) => ({ id: 'needs', type: 'SEGMENT', config: { action: 'add', listId: id } }),
    reason: 'There is no list',
    done: 'needs:success',
  },
  {
    name: 'list in a filter',
    table: 'segments',
    make: () => journeys.list(),
    step: (id: number) => ({
      id: 'needs',
      type: 'CONDITION',
      config: {
        if: { op: 'not', conditions: [{ field: 'segmentId', operator: 'eq', value: id }] },
      },
    }),
    reason: 'There is no segment or list',
    done: 'needs:then',
  },
];

for (const { name, table, make, step, reason, done } of things) {
  test(`a ${name} that is gone all the same fails the execution with its reason, which can be retried`, async () => {
    const id = await make();
    const campaignId = await journeys.start(
      { steps: [wait('pause', 60), step(id)] },
      { contactIds: [await journeys.contact()] },
    );
    const kept = `kept_${id}`;
    await journeys.owner(`create table ${kept} as select * from ${table} where id = ${id}`);
    await journeys.em().transactional((tx) => rows(tx, sql`delete from ${sql.table(table)} where id = ${id}`));
    for (const workflowId of await journeys.relay()) await journeys.finished(workflowId);
    const [begun] = await journeys.executions(campaignId);
    await assert.rejects(journeys.finished(begun!.workflowId!));
    const [failed] = await journeys.executions(campaignId);
    assert.deepEqual([failed!.status, failed!.exitReason], ['FAILED', `${reason} ${id}`]);
    assert.deepEqual(await journeys.steps(failed!.id), ['pause:success', 'needs:failed']);
    assert.deepEqual([await journeys.emails(failed!.id), await messagesOf(journeys, failed!.id)], [[], []]);

    await journeys.owner(`insert into ${table} select * from ${kept}`);
    await journeys.owner(`drop table ${kept}`);
    await retryExecution(journeys.em(), origin, failed!.id);
    const [retried] = await journeys.runAll(campaignId);
    assert.equal(retried!.status, 'COMPLETED');
    assert.deepEqual(await journeys.steps(failed!.id), ['pause:success', 'needs:failed', done]);
  });
}
