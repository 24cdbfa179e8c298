import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { MockActivityEnvironment } from '@temporalio/testing';
import { campaignActivities } from '../../activities/campaigns.ts';
import { CampaignEnrolment } from '../../db/entities/campaigns.ts';
import { engineEm, rows, sql } from '../../db/orm.ts';
import { enrolPage } from '../../domain/campaigns/enrolment/enrol-page.ts';
import { enterCampaign } from '../../domain/campaigns/enrolment/enter-campaign.ts';
import { enterOnEvents } from '../../domain/campaigns/enrolment/enter-on-events.ts';
import { definitionCache } from '../../domain/campaign-definitions/load-definition.ts';
import { readStats } from '../../domain/campaigns/management/read-stats.ts';
import { updateCampaign } from '../../domain/campaigns/management/save-campaign.ts';
import { startCampaign, type Audience } from '../../domain/campaigns/management/start-campaign.ts';
import { stopCampaign } from '../../domain/campaigns/management/stop-campaign.ts';
import { searchAttributes } from '../../registry/search-attributes.ts';
import { eventOf } from '../support/events.ts';
import { until } from '../support/until.ts';
import { wait } from './campaign-paths.ts';
import { startJourneys, TENANT, WHOLE_MS, type Journeys } from './campaign-support.ts';

let journeys: Journeys;
const load = definitionCache();
const origin = { tenantId: TENANT, actor: null, requestId: null, address: null };
beforeAll(async () => {
  journeys = await startJourneys();
  await journeys.worker();
});
afterAll(() => journeys.stop());

const steps = [wait('pause', 60)] as never;

/** Starts a campaign again, runs the enrolment, and returns what it counted. */
async function enrol(campaignId: number, audience: Audience): Promise<[string, number, number]> {
  const { enrolmentId } = await startCampaign(journeys.em(), origin, campaignId, audience);
  // In real time: awaiting a result skips time, and with it the waits of executions that are to go on waiting.
  for (const id of await journeys.relay()) await journeys.settled(id);
  return counted(enrolmentId!);
}
async function counted(id: number): Promise<[string, number, number]> {
  const enrolment = await journeys.em().findOneOrFail(CampaignEnrolment, { id });
  return [enrolment.status, enrolment.enrolled, enrolment.skipped];
}
const enrolmentOf = async (campaignId: number) =>
  (await journeys.em().findOneOrFail(CampaignEnrolment, { campaignId })).id;
const contacts = (n: number) => Promise.all(Array.from({ length: n }, () => journeys.contact()));
/** Enters a contact for a cause of its own. */
const enter = (campaignId: number, contactId: number, entryKey: string) =>
  journeys
    .em()
    .transactional((tx) => enterCampaign(tx, origin, { campaignId, contactId, entryKey, trigger: 'SCORE_REACHED' }));

test('pages through an audience, enrols each contact once, and no one twice', async () => {
  const contactIds = await contacts(210);
  const listId = await journeys.list(contactIds);
  const campaignId = await journeys.start({ steps });
  assert.deepEqual(await enrol(campaignId, { listId }), ['COMPLETED', 210, 0]);
  const executions = await journeys.executions(campaignId);
  assert.deepEqual(
    executions.map((execution) => execution.contactId),
    [...contactIds].sort((a, b) => a - b),
  );
  assert.ok(executions.every((execution) => execution.runId));
  assert.deepEqual(await enrol(campaignId, { listId }), ['COMPLETED', 0, 210]);
  assert.deepEqual(
    await enrol(campaignId, { contactIds: [contactIds[0]!, contactIds[0]!, await journeys.contact()] }),
    ['COMPLETED', 1, 1],
  );
  const events = await journeys.em().transactional((tx) =>
    rows<{ n: number }>(
      tx,
      sql`
    select count(*) as n from outbox_events o, jsonb_array_elements(o.events) v
    where o.type = 'CAMPAIGN_TRIGGERED' and v -> 'data' ->> 'campaignId' = ${String(campaignId)} and v -> 'data' ->> 'trigger' = 'MANUAL'`,
    ),
  );
  assert.equal(events[0]!.n, 211);
});

test('a page that is committed is not entered again, and its workflows are started all the same', async () => {
  const campaignId = await journeys.start({ steps }, { contactIds: await contacts(3) });
  const request = { tenantId: TENANT, enrolmentId: await enrolmentOf(campaignId), after: 0 };
  const first = await enrolPage(journeys.em(), load, request);
  assert.deepEqual([first.done, first.starts.length], [true, 3]);
  assert.deepEqual(await enrolPage(journeys.em(), load, request), first);
  // The process died here: nothing was started. The enrolment's activity runs again.
  for (const id of await journeys.relay()) await journeys.finished(id);
  const executions = await journeys.executions(campaignId);
  assert.equal(executions.length, 3);
  for (const { workflowId } of executions) await journeys.finished(workflowId!);
  assert.ok((await journeys.executions(campaignId)).every((execution) => execution.status === 'COMPLETED'));
  assert.deepEqual(await counted(request.enrolmentId), ['COMPLETED', 3, 0]);
});

test('waits for a segment that is being built', async () => {
  const listId = await journeys.list(await contacts(2));
  const build = (status: string) =>
    journeys.em().transactional((tx) => rows(tx, sql`update segments set status = ${status} where id = ${listId}`));
  await build('BUILDING');
  const campaignId = await journeys.start({ steps }, { listId });
  const workflowId = (await journeys.relay()).at(-1);
  const finished = journeys.finished(workflowId!);
  await until(
    'it has asked twice',
    async () => (await journeys.history(workflowId!)).filter((type) => type === 'TIMER_FIRED').length >= 2,
  );
  assert.deepEqual(await journeys.executions(campaignId), []);
  await build('READY');
  await finished;
  assert.equal((await journeys.executions(campaignId)).length, 2);
});

test('a stop cancels the enrolment that runs', async () => {
  const campaignId = await journeys.start({ steps }, { contactIds: await contacts(2) });
  await stopCampaign(journeys.em(), origin, campaignId);
  for (const id of await journeys.relay()) await journeys.finished(id);
  assert.deepEqual(await journeys.executions(campaignId), []);
  assert.deepEqual(await counted(await enrolmentOf(campaignId)), ['CANCELLED', 0, 0]);
});

test('starting again after a stop revives no one, and lets in whom the entry rules let in', async () => {
  const contactIds = await contacts(1);
  // Later than any time that the tests before have skipped to.
  const pause = { id: 'pause', type: 'WAIT', config: { until: '2190-01-01T00:00:00.000Z' } };
  for (const [reentry, entries] of [
    ['never', 1],
    ['after_completion', 2],
  ] as const) {
    const campaignId = await journeys.start({ steps: [pause] as never, entry: { reentry } }, { contactIds });
    const workflowId = (await journeys.relay()).at(-1);
    await until('it is entered', async () => (await journeys.executions(campaignId)).length === 1);
    await stopCampaign(journeys.em(), origin, campaignId);
    await journeys.settled(workflowId!);
    await enrol(campaignId, { contactIds });
    const executions = await journeys.executions(campaignId);
    assert.deepEqual(
      executions.map((execution) => execution.entryNo),
      [1, 2].slice(0, entries),
    );
    assert.equal(executions[0]!.status, 'STOPPED');
  }
});

test('reentry', async () => {
  const contactId = await journeys.contact();
  const start = (entry: object) => journeys.start({ steps, entry });
  const never = await start({});
  assert.ok(await enter(never, contactId, 'event-1'));
  assert.equal(await enter(never, contactId, 'event-2'), null);

  const after = await start({ reentry: 'after_completion' });
  assert.ok(await enter(after, contactId, 'event-1'));
  assert.equal(await enter(after, contactId, 'event-2'), null);
  await journeys
    .em()
    .transactional((tx) =>
      rows(tx, sql`update campaign_executions set status = 'COMPLETED' where campaign_id = ${after}`),
    );
  assert.equal(await enter(after, contactId, 'event-1'), null);
  assert.ok(await enter(after, contactId, 'event-3'));

  const always = await start({ reentry: 'always' });
  assert.ok(await enter(always, contactId, 'event-1'));
  assert.ok(await enter(always, contactId, 'event-2'));
  assert.equal(await enter(always, contactId, 'event-2'), null);
  const both = await Promise.all(['event-3', 'event-4', 'event-5'].map((key) => enter(always, contactId, key)));
  assert.ok(both.every((entered) => entered !== null));
  assert.deepEqual(
    (await journeys.executions(always)).map((execution) => execution.entryNo),
    [1, 2, 3, 4, 5],
  );

  const seldom = await start({ reentry: 'always', minIntervalMinutes: 60 });
  assert.ok(await enter(seldom, contactId, 'event-1'));
  assert.equal(await enter(seldom, contactId, 'event-2'), null);
  await journeys.em().transactional((tx) =>
    rows(
      tx,
      sql`
    update campaign_executions set started_at = started_at - interval '61 minutes' where campaign_id = ${seldom}`,
    ),
  );
  assert.ok(await enter(seldom, contactId, 'event-3'));
});

test('who may not enter, and where', async () => {
  const campaignId = await journeys.start({ steps });
  assert.equal(await enter(campaignId, await journeys.contact({ status: 'archived' }), 'event-1'), null);
  assert.ok(await enter(campaignId, await journeys.contact({ status: 'unsubscribed' }), 'event-1'));
  assert.equal(await enter(campaignId, 999_999_999, 'event-1'), null);
  assert.equal(await enter(999_999_999, await journeys.contact(), 'event-1'), null);
  await stopCampaign(journeys.em(), origin, campaignId);
  assert.equal(await enter(campaignId, await journeys.contact(), 'event-1'), null);
});

test('a campaign without steps, as releases before published, is completed as it is entered', async () => {
  const campaignId = await journeys.start({ steps });
  await journeys.owner(
    `update campaign_versions set definition = definition || '{"steps": []}' where campaign_id = ${campaignId}`,
  );
  assert.equal(await enter(campaignId, await journeys.contact(), 'event-1'), null);
  const [execution] = await journeys.executions(campaignId);
  assert.deepEqual([execution!.status, execution!.currentStep], ['COMPLETED', 0]);
});

test('an enrolment whose segment is gone is cancelled, not completed', async () => {
  const listId = await journeys.list(await contacts(2));
  const campaignId = await journeys.start({ steps }, { listId });
  // The API refuses this while the enrolment is not over.
  await journeys.owner(`delete from segments where id = ${listId}`);
  const workflowId = (await journeys.relay()).at(-1);
  await journeys.settled(workflowId!);
  const [status] = await counted(await enrolmentOf(campaignId));
  assert.deepEqual([status, await journeys.executions(campaignId)], ['CANCELLED', []]);
});

test('statistics know the steps of the versions that executions still run by', async () => {
  const campaignId = await journeys.start({
    steps: [{ id: 'old', type: 'WAIT', config: { waitMinutes: 60 } }] as never,
  });
  await enter(campaignId, await journeys.contact(), 'event-1');
  await updateCampaign(
    journeys.em(),
    TENANT,
    campaignId,
    { steps: [{ id: 'new', type: 'EXIT', config: {} }] },
    () => {},
  );
  await startCampaign(journeys.em(), origin, campaignId, {});
  const { steps: found } = await readStats(journeys.em(), campaignId);
  assert.deepEqual(
    found.map(({ stepId, type, waiting }) => [stepId, type, waiting]),
    [
      ['new', 'EXIT', 0],
      ['old', 'WAIT', 1],
    ],
  );
});

test('a trigger that is published later sees only what happens after that', async () => {
  const contactId = await journeys.contact();
  const campaignId = await journeys.start({ steps, trigger: { type: 'CONTACT_CREATED' } });
  const began = new Date(Date.now() - 3_600_000);
  await journeys.owner(`update campaigns set activated_at = '${began.toISOString()}' where id = ${campaignId}`);
  const happen = (type: 'CONTACT_CREATED' | 'FORM_SUBMITTED', data: object, at: Date) =>
    engineEm(journeys.deps.orm).transactional((tx) => enterOnEvents(tx, [eventOf(type, data, at)]));
  const [form] = await journeys.em().transactional((tx) =>
    rows<{ id: number }>(
      tx,
      sql`
    insert into forms (tenant_id, name, fields) values (${TENANT}, 'F', '[]') returning id`,
    ),
  );
  const submission = { formId: form!.id, contactId, submissionId: 1 };
  await updateCampaign(
    journeys.em(),
    TENANT,
    campaignId,
    { name: 'Renamed', trigger: { type: 'FORM_SUBMITTED', formId: form!.id } },
    () => {},
  );
  await startCampaign(journeys.em(), origin, campaignId, {});
  await happen('FORM_SUBMITTED', submission, new Date(Date.now() - 60_000));
  assert.deepEqual(await journeys.executions(campaignId), []);
  await happen('FORM_SUBMITTED', submission, new Date(Date.now() + 1000));
  assert.equal((await journeys.executions(campaignId)).length, 1);

  // Other edits move nothing: what happened before them still counts.
  await journeys.owner(`update campaigns set activated_at = '${began.toISOString()}' where id = ${campaignId}`);
  await updateCampaign(journeys.em(), TENANT, campaignId, { entry: { reentry: 'always' } }, () => {});
  await startCampaign(journeys.em(), origin, campaignId, {});
  await happen('FORM_SUBMITTED', submission, new Date(Date.now() - 60_000));
  assert.equal((await journeys.executions(campaignId)).length, 2);
});

test('the history of a large enrolment has at most 10 events per 1,000 contacts, and shows the campaign', async () => {
  await journeys.owner(`insert into contacts (tenant_id, first_name, last_name, email, email_key)
    select '${TENANT}', 'Many', 'People', 'many' || n || '@example.com', 'many' || n || '@example.com' from generate_series(1, 3000) n`);
  const members = await journeys
    .em()
    .transactional((tx) => rows<{ id: number }>(tx, sql`select id from contacts where first_name = 'Many'`));
  const listId = await journeys.list(members.map(({ id }) => id));
  const campaignId = await journeys.start({ name: 'Large', steps }, { listId });
  await journeys.relay();
  const workflowId = `campaign-enrolment/${TENANT}/${await enrolmentOf(campaignId)}`;
  await journeys.settled(workflowId);
  assert.deepEqual(await counted(await enrolmentOf(campaignId)), ['COMPLETED', 3000, 0]);
  const history = await journeys.history(workflowId);
  assert.ok(history.length <= 30, history.join(' '));
  const executions = await journeys.executions(campaignId);
  assert.ok(executions.every(({ runId }) => runId));
  for (const id of [workflowId, executions[0]!.workflowId!]) {
    const { memo, typedSearchAttributes } = await journeys.env.client.workflow.getHandle(id).describe();
    assert.deepEqual(memo, { campaign: 'Large', version: 1 });
    assert.equal(typedSearchAttributes.get(searchAttributes.campaignId), campaignId);
    assert.equal(typedSearchAttributes.get(searchAttributes.tenantId), TENANT);
  }
});

test('an enrolment whose worker dies again and again enters each contact once, and starts each workflow', async () => {
  const contactIds = await contacts(450);
  const campaignId = await journeys.start({ steps }, { contactIds });
  const enrolmentId = await enrolmentOf(campaignId);
  await journeys.em().transactional((tx) => rows(tx, sql`delete from outbox_workflows`));
  const page = (after: number) => enrolPage(journeys.em(), load, { tenantId: TENANT, enrolmentId, after });
  // Two pages are committed and nothing of them is started, nor noted in a heartbeat.
  await page((await page(0)).cursor);
  const { enrolPages } = campaignActivities(journeys.deps, WHOLE_MS);
  const dying = new MockActivityEnvironment();
  let beats = 0;
  dying.on('heartbeat', () => {
    if ((beats += 1) === 230) dying.cancel();
  });
  await assert.rejects(dying.run(enrolPages, { tenantId: TENANT, enrolmentId, after: 0 }));
  assert.deepEqual(await counted(enrolmentId), ['RUNNING', 400, 0]);
  // The next attempt starts where the last heartbeat was that the server has got.
  const next = new MockActivityEnvironment({ heartbeatDetails: { cursor: contactIds.sort((a, b) => a - b)[99] } });
  await next.run(enrolPages, { tenantId: TENANT, enrolmentId, after: 0 });
  assert.deepEqual(await counted(enrolmentId), ['COMPLETED', 450, 0]);
  const executions = await journeys.executions(campaignId);
  assert.equal(executions.length, 450);
  for (const { workflowId } of executions) assert.ok(await journeys.status(workflowId!));
});
