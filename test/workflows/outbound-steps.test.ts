import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { CampaignStepExecution } from '../../db/entities/campaigns.ts';
import { rows, sql } from '../../db/orm.ts';
import { pauseCampaign, resumeCampaign } from '../../domain/campaigns/management/pause-campaign.ts';
import { stopCampaign } from '../../domain/campaigns/management/stop-campaign.ts';
import { AppError } from '../../lib/checks/errors.ts';
import { createOutbound } from '../../domain/outbound/outbound.ts';
import { parseRanges } from '../../lib/addresses/ranges.ts';
import { webhookSecret } from '../../domain/outbound/sign-webhook.ts';
import { startEndpoint, type Endpoint, type EndpointAnswer, type Received } from '../support/endpoint.ts';
import { until } from '../support/until.ts';
import { restingAt, wait, walk, type Walked } from './campaign-paths.ts';
import { startJourneys, TENANT, type Journeys } from './campaign-support.ts';
import { makeUser, notice, outboundPaths, walkAndRetry, walkToEndpoint } from './outbound-paths.ts';

let journeys: Journeys;
beforeAll(async () => {
  journeys = await startJourneys();
  await journeys.worker();
});
const endpoints: Endpoint[] = [];
afterAll(async () => {
  for (const endpoint of endpoints) await endpoint.close();
  await journeys.stop();
});

/** An endpoint that is there until the tests are over. */
async function endpointWith(answer: EndpointAnswer): Promise<Endpoint> {
  const endpoint = await startEndpoint([answer]);
  endpoints.push(endpoint);
  return endpoint;
}

const origin = { tenantId: TENANT, actor: null, requestId: null, address: null };

async function reasons(executionId: number): Promise<(string | null)[]> {
  const found = await journeys.em().find(CampaignStepExecution, { executionId }, { orderBy: { seq: 'asc' } });
  return found.map(({ reason }) => reason ?? null);
}

/** Checks how a walk ended: its steps as `step:result`, and the reasons of all but the last. */
async function wentOn({ execution }: Walked, steps: string[], told: (string | null)[]): Promise<void> {
  assert.deepEqual([execution.status, execution.exitReason ?? null], ['COMPLETED', null]);
  assert.deepEqual(await journeys.steps(execution.id), [...steps, 'end:success']);
  assert.deepEqual((await reasons(execution.id)).slice(0, -1), told);
}

const idsOf = (received: Received[]): unknown[] => received.map(({ headers }) => headers['webhook-id']);

test('WEBHOOK sends the contact, signed, and tells the answer', async () => {
  const walked = await outboundPaths.webhook(journeys);
  await wentOn(walked, ['call:success'], ['answered 204']);
  const [{ method, path, headers, body }] = walked.received as [Received];
  assert.deepEqual([method, path, headers['content-type']], ['POST', '/hook', 'application/json']);
  const verifier = new Webhook(webhookSecret(journeys.deps.env, TENANT));
  const { id: executionId, campaignId, contactId } = walked.execution;
  const told = verifier.verify(body, headers as Record<string, string>) as { data: { contact: object } };
  const { contact, ...data } = told.data;
  assert.deepEqual(
    { ...told, timestamp: '', data },
    {
      type: 'campaign.step',
      timestamp: '',
      data: { campaignId, campaignVersion: 1, executionId, stepId: 'call', visit: 1, contactId, tenantId: TENANT },
    },
  );
  assert.deepEqual(Object.keys(contact).sort(), [
    'company',
    'customFields',
    'email',
    'firstName',
    'id',
    'lastName',
    'phone',
    'status',
    'tags',
  ]);
  assert.throws(() => verifier.verify(`${body} `, headers as Record<string, string>));
});

test('the call is an ordinary activity: one scheduled, started and completed', async () => {
  const { workflowId } = await outboundPaths.webhook(journeys);
  const history = await journeys.history(workflowId);
  assert.deepEqual(history.slice(4, 8), [
    'ACTIVITY_TASK_SCHEDULED',
    'ACTIVITY_TASK_STARTED',
    'ACTIVITY_TASK_COMPLETED',
    'WORKFLOW_TASK_SCHEDULED',
  ]);
});

test('a WAIT before the call is recorded before the call is made', async () => {
  let seen: string | null | undefined;
  let recorded: string[] = [];
  const before = async (): Promise<void> => {
    const [row] = await journeys
      .em()
      .transactional((tx) =>
        rows<{ id: number; at: string }>(
          tx,
          sql`select id, current_step_id as at from campaign_executions order by id desc limit 1`,
        ),
      );
    seen = row!.at;
    recorded = await journeys.steps(row!.id);
  };
  const walked = await walkToEndpoint(journeys, [{ status: 200, before }], { before: [wait('pause', 60)] });
  await wentOn(walked, ['pause:success', 'call:success'], [null, 'answered 200']);
  assert.deepEqual([seen, recorded], ['call', ['pause:success']]);
});

test('what may pass is repeated under the same id', async () => {
  const times: number[] = [];
  const before = async (): Promise<void> => void times.push(await journeys.env.currentTimeMs());
  const walked = await walkToEndpoint(journeys, [
    { status: 500, before },
    { status: 429, headers: { 'retry-after': '120' }, before },
    { status: 200, body: 'thank\u0000s,\r\n  \u202eall', before },
  ]);
  await wentOn(walked, ['call:success'], ['answered 200 after 3 attempts: thank s, all']);
  const ids = idsOf(walked.received);
  assert.equal(ids.length, 3);
  // The second answer asked for two minutes; else it would have been two seconds.
  assert.ok(times[1]! - times[0]! < 60_000 && times[2]! - times[1]! >= 120_000, times.join());
  assert.equal(new Set(ids).size, 1);
  assert.match(String(ids[0]), /^[0-9a-f-]{36}$/);
});

for (const [status, headers] of [
  [410, {}],
  [404, {}],
  [302, { location: 'http://10.0.0.1/' }],
  [304, {}],
] as const) {
  test(`${status} is not repeated, and the journey goes on`, async () => {
    const walked = await walkToEndpoint(journeys, [{ status, headers }]);
    await wentOn(walked, ['call:failed'], [`answered ${status}`]);
    assert.equal(walked.received.length, 1);
  });
}

test('what is repeated for an hour in vain fails, and the journey goes on', async () => {
  const body = `no ${'x'.repeat(300)}`;
  const walked = await walkToEndpoint(journeys, [{ status: 500, body }]);
  const attempts = walked.received.length;
  await wentOn(walked, ['call:failed'], [`answered 500 after ${attempts} attempts: ${body.slice(0, 200)}`]);
  // After 1, 2, 4 … 256 s, and then every 5 minutes.
  assert.ok(attempts >= 18 && attempts <= 24, `${attempts} attempts`);
  assert.equal(new Set(idsOf(walked.received)).size, 1);
  // However often it is repeated, the history does not grow.
  assert.ok((await journeys.history(walked.workflowId)).length < 30);
});

/** Walks with another guard, as if the service had been started with other settings. */
async function guardedBy<T>(guard: ReturnType<typeof createOutbound>, work: () => Promise<T>): Promise<T> {
  const { outbound } = journeys.deps;
  journeys.deps.outbound = guard;
  try {
    return await work();
  } finally {
    journeys.deps.outbound = outbound;
    guard.close();
  }
}

test('an endpoint that never answers holds up a call only for a while', async () => {
  const patient = createOutbound(parseRanges('127.0.0.1/32'), { totalMs: 200 });
  const walked = await guardedBy(patient, () => walkToEndpoint(journeys, [null, { status: 200 }]));
  await wentOn(walked, ['call:success'], ['answered 200 after 2 attempts']);
});

test.each(['localhost', 'nobody.invalid'])(
  'a name that leads nowhere that may be called is asked for again within the hour, and told alike: %s',
  async (host) => {
    const url = `https://${host}:1/hook`;
    const walked = await guardedBy(createOutbound([]), () => walkToEndpoint(journeys, [{ status: 200 }], { url }));
    assert.deepEqual(await journeys.steps(walked.execution.id), ['call:failed', 'end:success']);
    const [told] = await reasons(walked.execution.id);
    const words = `outbound_refused: ${host} leads to no address that may be called`;
    assert.match(told!, new RegExp(`^${words.replaceAll('.', '\\.')} after \\d\\d attempts$`));
    assert.equal(walked.received.length, 0);
  },
);

test('a refused address is a violation when the campaign is saved', async () => {
  for (const url of ['https://10.0.0.1/', 'https://2130706434/', 'https://[::ffff:10.0.0.1]/'])
    await assert.rejects(
      journeys.start({ steps: [{ id: 'call', type: 'WEBHOOK', config: { url } }] }),
      (error) => error instanceof AppError && error.errors![0]!.code === 'outbound_refused',
    );
});

test('onError fail ends the execution as FAILED, and a retry calls again under the same id', async () => {
  const walked = await walkAndRetry(journeys);
  const { failed } = walked;
  assert.deepEqual(
    [failed.execution.status, failed.execution.exitReason, failed.execution.currentStepId],
    ['FAILED', 'answered 404', 'call'],
  );
  assert.equal(failed.workflow, 'FAILED');
  await wentOn(walked, ['call:failed', 'call:success'], ['answered 404: no such hook', 'answered 200']);
  assert.deepEqual(new Set(idsOf(walked.received)).size, 1);
  assert.equal(walked.received.length, 2);
});

test('a call whose answer could not be recorded is repeated under the same id, and recorded once', async () => {
  const walked = await walkToEndpoint(journeys, [
    { status: 200, before: () => journeys.owner('revoke insert on campaign_step_executions from perennial_app') },
    { status: 202, before: () => journeys.owner('grant insert on campaign_step_executions to perennial_app') },
  ]);
  await wentOn(walked, ['call:success'], ['answered 202 after 2 attempts']);
  assert.equal(walked.received.length, 2);
  assert.equal(new Set(idsOf(walked.received)).size, 1);
});

/** Starts a contact towards an endpoint, which does this when it is called; returns once the call has ended. */
async function whileCalled(act: (campaignId: number) => Promise<unknown>) {
  let campaignId = 0;
  const endpoint = await endpointWith({ status: 200, before: () => act(campaignId) });
  const call = { id: 'call', type: 'WEBHOOK', config: { url: endpoint.url } };
  campaignId = await journeys.start({ steps: [call, wait('end', 60)] }, { contactIds: [await journeys.contact()] });
  await journeys.relay();
  const [execution] = await until('the contact has entered', async () => {
    const found = await journeys.executions(campaignId);
    return found.length > 0 && endpoint.received.length > 0 ? found : null;
  });
  const workflowId = execution!.workflowId!;
  // If a workflow ends with an activity under way, Temporal's test server skips no time any more.
  await until('the call has ended', async () => {
    const { raw } = await journeys.env.client.workflow.getHandle(workflowId).describe();
    return (raw.pendingActivities ?? []).length === 0;
  });
  return { endpoint, campaignId, id: execution!.id, workflowId };
}

test('the answer of a call that was on its way at the stop is discarded', async () => {
  const { endpoint, campaignId, id, workflowId } = await whileCalled((campaign) =>
    stopCampaign(journeys.em(), origin, campaign),
  );
  await journeys.relay();
  await journeys.settled(workflowId);
  const [execution] = await journeys.executions(campaignId);
  assert.deepEqual([execution!.status, execution!.exitReason], ['STOPPED', 'campaign_stopped']);
  assert.deepEqual(await journeys.steps(id), []);
  assert.equal(endpoint.received.length, 1);
});

test('the answer of a call that was on its way at the pause is recorded, and the next step waits', async () => {
  const { endpoint, campaignId, id, workflowId } = await whileCalled((campaign) =>
    pauseCampaign(journeys.em(), origin, campaign),
  );
  await until('the answer is recorded', async () => (await journeys.steps(id)).length === 1);
  assert.deepEqual(await journeys.steps(id), ['call:success']);
  await resumeCampaign(journeys.em(), origin, campaignId);
  for (const started of await journeys.relay()) await journeys.finished(started);
  await journeys.finished(workflowId);
  assert.deepEqual(await journeys.steps(id), ['call:success', 'end:success']);
  assert.equal(endpoint.received.length, 1);
});

test('a paused campaign calls nobody', async () => {
  const endpoint = await endpointWith({ status: 200 });
  const call = { id: 'call', type: 'WEBHOOK', config: { url: endpoint.url } };
  // By Temporal's clock, on which the tests before have skipped time.
  const start = {
    id: 'start',
    type: 'CONDITION',
    config: { if: { field: 'status', operator: 'eq', value: 'active' } },
  };
  const { id, campaignId, workflowId } = await restingAt(journeys, 'pause', [start, wait('pause', 60), call]);
  await pauseCampaign(journeys.em(), origin, campaignId);
  await journeys.env.sleep('2 hours');
  await until('it is parked', async () => (await journeys.executions(campaignId)).some(({ parked }) => parked));
  assert.equal(endpoint.received.length, 0);
  await resumeCampaign(journeys.em(), origin, campaignId);
  for (const started of await journeys.relay()) await journeys.finished(started);
  await journeys.finished(workflowId!);
  assert.deepEqual(await journeys.steps(id), ['start:then', 'pause:success', 'call:success']);
});

const mailsOf = (executionId: number) =>
  journeys.em().transactional((tx) =>
    rows<Record<string, unknown>>(
      tx,
      sql`
      select e.send_key, e.to_address, e.contact_id, e.campaign_id, e.lane, e.status, e.data, t.category
      from emails e join email_templates t on t.tenant_id = e.tenant_id and t.id = e.template_id where e.execution_id = ${executionId}`,
    ),
  );

test('NOTIFY queues one email to the user, with the data of the contact', async () => {
  const walked = await outboundPaths.notify(journeys);
  await wentOn(walked, ['tell:success'], [null]);
  const { id, contactId } = walked.execution;
  const [contact] = await journeys
    .em()
    .transactional((tx) => rows<{ email: string }>(tx, sql`select email from contacts where id = ${contactId}`));
  assert.deepEqual(await mailsOf(id), [
    {
      send_key: `execution:${id}:tell:1`,
      to_address: 'Owner@example.com',
      contact_id: null,
      campaign_id: null,
      lane: 'transactional',
      status: 'QUEUED',
      data: { subject: 'About Ada', body: `Call Ada <${contact!.email}>,\nplease.` },
      category: 'transactional',
    },
  ]);
});

test('NOTIFY to a stranger is a violation that names the step', async () => {
  const config = { to: 'stranger@example.com', ...notice };
  await assert.rejects(journeys.start({ steps: [{ id: 'tell', type: 'NOTIFY', config }] }), (error) => {
    const [violation] = (error as AppError).errors!;
    assert.deepEqual([violation!.path, violation!.code], ['/steps/0/config/to', 'not_found']);
    return violation!.message.startsWith('step "tell": ');
  });
});

test('NOTIFY to a user who is gone or deactivated meanwhile fails, and the journey goes on', async () => {
  for (const [change, told] of [
    [sql`update users set active = false where email_key = 'late@example.com'`, 'the user is deactivated'],
    [sql`delete from users where email_key = 'late@example.com'`, 'no user has this address any more'],
  ] as const) {
    await makeUser(journeys, 'late@example.com');
    const steps = [{ id: 'tell', type: 'NOTIFY', config: { to: 'late@example.com', ...notice } }, wait('end', 60)];
    const campaignId = await journeys.start({ steps }, { contactIds: [await journeys.contact()] });
    await journeys.em().transactional((tx) => rows(tx, change));
    const [execution] = await journeys.runAll(campaignId);
    await wentOn({ execution: execution!, workflowId: '' }, ['tell:failed'], [told]);
    assert.deepEqual(await mailsOf(execution!.id), []);
  }
});

test('a text of NOTIFY that cannot be rendered for a contact fails, and the journey goes on', async () => {
  await makeUser(journeys, 'owner@example.com');
  const body = '{% for i in (1..1000000) %}{{ firstName }}{% endfor %}';
  const config = { to: 'owner@example.com', subject: 'Hi', body };
  const walked = await walk(journeys, [{ id: 'tell', type: 'NOTIFY', config }, wait('end', 60)]);
  await wentOn(walked, ['tell:failed'], ['the text cannot be rendered: The template exceeds its limits']);
});
