import assert from 'node:assert/strict';
import proto from '@temporalio/proto';
import { afterAll, beforeAll, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { rows, sql, tenantEm } from '../../../db/orm.ts';
import type { EventType } from '../../../events/contracts.ts';
import { eventOf, publish as publishEvents, settled } from '../../support/events.ts';
import { makeContact, makeTemplate, published } from '../../support/mail/emails.ts';
import { importer } from '../../api/contacts/import-support.ts';
import { startService, type Answer, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';

let service: Service;
let templateId: number;
beforeAll(async () => {
  service = await startService({ worker: true });
  templateId = await makeTemplate(service);
});
afterAll(() => service.stop());

const email = (id: string) => ({ id, type: 'EMAIL', config: { templateId } });
const wait = (id: string, waitMinutes: number) => ({ id, type: 'WAIT', config: { waitMinutes } });

async function create(fields: Record<string, unknown> = {}): Promise<number> {
  const answer = await service.api('POST', '/campaigns', {
    name: 'A campaign',
    steps: [email('one'), wait('pause', 0), email('two')],
    ...fields,
  });
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return answer.body.id;
}
async function start(id: number, audience?: Record<string, unknown>): Promise<Answer['body']> {
  const answer = await service.api('POST', `/campaigns/${id}/start`, audience);
  assert.equal(answer.status, 202, JSON.stringify(answer.body));
  return answer.body;
}
const executionsOf = async (id: number, query = '') =>
  (await service.api('GET', `/campaigns/${id}/executions?limit=200${query}`)).body.data;
const untilExecutions = (id: number, status: string, count: number) =>
  until(
    `${count} executions of campaign ${id} are ${status}`,
    async () => {
      const found = await executionsOf(id, `&status=${status}`);
      return found.length === count ? found : null;
    },
    120_000,
  );
/** How many workflows of a campaign are in a status, by Temporal's own count. */
const counted = async (id: number, status: string) =>
  (
    await service.deps.temporal.workflow.count(
      `CampaignId = ${id} AND TenantId = 'default' AND ExecutionStatus = '${status}'`,
    )
  ).count;

test('a campaign sends its mails and completes', async () => {
  const contact = await makeContact(service);
  const id = await create();
  const { campaign, enrolmentId } = await start(id, { contactIds: [contact.id] });
  assert.deepEqual([campaign.status, campaign.publishedVersion], ['ACTIVE', 1]);
  const [execution] = await untilExecutions(id, 'COMPLETED', 1);
  const workflowId = `campaign-execution/default/${id}/${contact.id}/1`;
  const { startedAt, finishedAt, runId, ...rest } = execution;
  assert.deepEqual(rest, {
    id: execution.id,
    campaignId: id,
    campaignVersion: 1,
    contactId: contact.id,
    entryNo: 1,
    currentStep: 3,
    currentStepId: null,
    status: 'COMPLETED',
    exitReason: null,
    workflowId,
  });
  assert.ok(Date.parse(startedAt) <= Date.parse(finishedAt));
  const history = await service.deps.temporal.workflow.getHandle(workflowId, runId).fetchHistory();
  assert.ok(history.events!.length <= 12, `${history.events!.length} events`);
  const bytes = proto.temporal.api.history.v1.History.encode(history).finish().length;
  assert.ok(bytes <= 4096, `${bytes} bytes`);

  await until(
    'both mails are there',
    () => service.sink.mails.filter((mail) => mail.to.includes(contact.email)).length === 2,
  );
  const { steps } = (await service.api('GET', `/campaigns/executions/${execution.id}`)).body;
  assert.deepEqual(
    steps.map((step: Answer['body']) => [step.stepId, step.visit, step.type, step.result, step.reason]),
    [
      ['one', 1, 'EMAIL', 'success', null],
      ['pause', 1, 'WAIT', 'success', null],
      ['two', 1, 'EMAIL', 'success', null],
    ],
  );
  const enrolment = (await service.api('GET', `/campaigns/enrolments/${enrolmentId}`)).body;
  assert.deepEqual([enrolment.status, enrolment.enrolled, enrolment.skipped], ['COMPLETED', 1, 0]);
  const stats = await until('the mails are settled', async () => {
    const { body } = await service.api('GET', `/campaigns/${id}/stats`);
    return body.emails.sent === 2 ? body : null;
  });
  assert.deepEqual(stats.executions, { running: 0, completed: 1, stopped: 0, failed: 0 });
  const perStep = stats.steps.map((step: Answer['body']) => [step.stepId, step.entered, step.waiting, step.completed]);
  assert.deepEqual(perStep, [
    ['one', 1, 0, 1],
    ['pause', 1, 0, 1],
    ['two', 1, 0, 1],
  ]);
  for (const type of ['CAMPAIGN_TRIGGERED', 'CAMPAIGN_COMPLETED'] as const) {
    const events = await until(type, async () => {
      const found = (await published(service, type)).filter((event) => event.data.campaignId === id);
      return found.length > 0 ? found : null;
    });
    assert.deepEqual(
      events.map(({ data }) => [data.contactId, data.executionId]),
      [[contact.id, execution.id]],
    );
  }
});

test('a campaign without steps, as releases before published, is over as soon as it begins: no workflow is named', async () => {
  const id = await create({ steps: [email('one')], trigger: { type: 'CONTACT_CREATED' } });
  await start(id);
  await tenantEm(service.deps.orm, 'default').transactional((tx) =>
    rows(tx, sql`update campaign_versions set definition = definition || '{"steps": []}' where campaign_id = ${id}`),
  );
  const [contact, other] = [await makeContact(service), await makeContact(service)];
  for (const execution of await untilExecutions(id, 'COMPLETED', 2)) {
    assert.deepEqual(
      [execution.currentStep, execution.currentStepId, execution.workflowId, execution.runId],
      [0, null, null, null],
    );
    const shown = (await service.api('GET', `/campaigns/executions/${execution.id}`)).body;
    assert.deepEqual(shown, { ...execution, steps: [] });
    const explained = (
      await service.api('GET', `/campaigns/${execution.campaignId}/contacts/${execution.contactId}/explain`)
    ).body;
    assert.deepEqual(explained.executions, [execution]);
  }
  // One that merges moves to the other, where it is the second.
  assert.equal((await service.api('POST', `/contacts/${contact.id}/merge`, { sourceId: other.id })).status, 200);
  assert.deepEqual(
    (await executionsOf(id, '&sort=id')).map((execution: Answer['body']) => [
      execution.contactId,
      execution.workflowId,
    ]),
    [
      [contact.id, null],
      [contact.id, null],
    ],
  );
});

// Two tests wait for a time on the clock: they do so together.
test.concurrent(
  'a CONDITION on an open goes by what the recipient did; a paused campaign waits for resume',
  async () => {
    const opened = {
      event: 'EMAIL_OPENED',
      operator: 'atLeast',
      count: 1,
      where: [{ field: 'stepId', operator: 'eq', value: 'one' }],
    };
    /** Null if the time was over before both waited and were paused. */
    const pausedBefore = async (due: Date) => {
      const contacts = [await makeContact(service), await makeContact(service)];
      const id = await create({
        steps: [
          email('one'),
          { id: 'pause', type: 'WAIT', config: { until: due.toISOString() } },
          { id: 'opened', type: 'CONDITION', config: { if: opened, else: null } },
          email('two'),
        ],
      });
      await start(id, { contactIds: contacts.map((contact) => contact.id) });
      const bothWait = async () =>
        (await executionsOf(id)).filter((found: Answer['body']) => found.currentStepId === 'pause').length === 2;
      const isOver = () => Date.now() >= due.getTime();
      await until('both wait', async () => isOver() || bothWait(), 120_000);
      const { status } = await service.api('POST', `/campaigns/${id}/pause`);
      if (isOver()) return null;
      assert.equal(status, 200);
      return { id, contacts };
    };
    // Soon, for the test's sake, unless the machine has so much to do that it is over too soon.
    const paused =
      (await pausedBefore(new Date(Date.now() + 15_000))) ?? (await pausedBefore(new Date(Date.now() + 100_000)));
    assert.ok(paused, 'it never waited');
    const { id, contacts } = paused;
    const mail = await until('the mail is there', () =>
      service.sink.mails.find((sunk) => sunk.to.includes(contacts[0]!.email)),
    );
    const pixel = /\/emails\/tracking\/open\/[\w-]+/.exec(String(mail.parsed.html))![0];
    assert.equal(
      (
        await fetch(`${service.url}/api/v1${pixel}`, {
          headers: { 'user-agent': 'Mozilla/5.0 (X11; Linux) Firefox/140.0' },
        })
      ).status,
      200,
    );
    await until('the open is known', async () =>
      (await service.api('GET', `/contacts/${contacts[0]!.id}/activities`)).body.data.some(
        (activity: { type: string }) => activity.type === 'EMAIL_OPENED',
      ),
    );
    const timers = async () =>
      Promise.all(
        (await executionsOf(id)).map(async (found: Answer['body']) => {
          const { events } = await service.deps.temporal.workflow.getHandle(found.workflowId).fetchHistory();
          const fired = events!.findIndex((event) => event.timerFiredEventAttributes);
          return fired >= 0 && events!.slice(fired).some((event) => event.workflowTaskCompletedEventAttributes);
        }),
      );
    await until('both timers have run off', async () => (await timers()).every(Boolean), 150_000);
    assert.deepEqual(
      (await executionsOf(id)).map((found: Answer['body']) => [found.status, found.currentStepId]),
      [
        ['RUNNING', 'pause'],
        ['RUNNING', 'pause'],
      ],
    );
    assert.equal((await service.api('POST', `/campaigns/${id}/resume`)).status, 200);
    await untilExecutions(id, 'COMPLETED', 2);
    const results = await Promise.all(
      (await executionsOf(id)).map(async (execution: Answer['body']) => {
        const { steps } = (await service.api('GET', `/campaigns/executions/${execution.id}`)).body;
        return [execution.contactId, steps.slice(2).map((step: Answer['body']) => `${step.stepId}:${step.result}`)];
      }),
    );
    assert.deepEqual(Object.fromEntries(results), {
      [contacts[0]!.id]: ['opened:then', 'two:success'],
      [contacts[1]!.id]: ['opened:else'],
    });
  },
);

test('stop closes everything that waits, in Temporal too', async () => {
  const count = 150;
  const contactIds = await Promise.all(Array.from({ length: count }, async () => (await makeContact(service)).id));
  const id = await create({ steps: [wait('pause', 1440), email('one')] });
  await start(id, { contactIds });
  await untilExecutions(id, 'RUNNING', count);
  await until('all workflows run', async () => (await counted(id, 'Running')) === count, 60_000);

  const stopped = await service.api('POST', `/campaigns/${id}/stop`);
  assert.deepEqual([stopped.status, stopped.body.status], [202, 'STOPPED']);
  const executions = await executionsOf(id, '&status=STOPPED');
  assert.equal(executions.length, count);
  assert.ok(
    executions.every(
      (execution: Answer['body']) => execution.exitReason === 'campaign_stopped' && execution.currentStepId === 'pause',
    ),
  );
  await until('all workflows are closed', async () => (await counted(id, 'Terminated')) === count, 60_000);
  assert.deepEqual(
    (await service.api('GET', `/campaigns/${id}/stats`)).body.steps.map((step: Answer['body']) => [
      step.stepId,
      step.entered,
      step.stopped,
    ]),
    [
      ['pause', count, count],
      ['one', 0, 0],
    ],
  );
  // Until the last page of them is noted as closed it is a 409 with Retry-After.
  await until(
    'the campaign can be deleted',
    async () => (await service.api('DELETE', `/campaigns/${id}`)).status === 204,
  );
});

test('CONTACT_CREATED and FORM_SUBMITTED enter contacts, once per event', async () => {
  const form = await service.api('POST', '/forms', {
    name: 'A form',
    fields: [{ name: 'email', type: 'email', label: 'Email', required: true }],
  });
  assert.equal(form.status, 201, JSON.stringify(form.body));
  const before = await makeContact(service);
  const onCreate = await create({ trigger: { type: 'CONTACT_CREATED' }, steps: [wait('pause', 1440)] });
  const onForm = await create({
    trigger: { type: 'FORM_SUBMITTED', formId: form.body.id },
    steps: [wait('pause', 1440)],
    entry: { reentry: 'always' },
  });
  await start(onCreate);
  await start(onForm);
  const contact = await makeContact(service);
  const [execution] = await untilExecutions(onCreate, 'RUNNING', 1);
  assert.equal(execution.contactId, contact.id);
  await until('its workflow runs', async () => (await counted(onCreate, 'Running')) === 1);

  const publish = (
    type: 'FORM_SUBMITTED' | 'CONTACT_CREATED',
    data: Record<string, unknown>,
    { id = randomUUID(), time = new Date().toISOString() } = {},
  ) => publishEvents(service, { ...eventOf(type, data, new Date(time)), id });
  const submission = { formId: form.body.id, contactId: contact.id, submissionId: 1 };
  const id = randomUUID();
  // Delivered twice; of another form; from before the campaign began; an import's contact; and last one that counts.
  await publish('FORM_SUBMITTED', submission, { id });
  await publish('FORM_SUBMITTED', submission, { id });
  await publish('FORM_SUBMITTED', { ...submission, formId: form.body.id + 1 });
  await publish('FORM_SUBMITTED', submission, { time: new Date(Date.now() - 3_600_000).toISOString() });
  await publish('CONTACT_CREATED', { contactId: before.id, email: before.email, runTriggers: false });
  await publish('FORM_SUBMITTED', { ...submission, contactId: before.id });
  await untilExecutions(onForm, 'RUNNING', 2);
  const entries = (await executionsOf(onForm)).map((found: Answer['body']) => [found.contactId, found.entryNo]);
  assert.deepEqual(Object.fromEntries(entries), { [before.id]: 1, [contact.id]: 1 });
  assert.equal((await executionsOf(onCreate)).length, 1);
  const triggered = (await published(service, 'CAMPAIGN_TRIGGERED')).filter(
    (event) => event.data.campaignId === onForm,
  );
  assert.ok(triggered.every((event) => event.data.trigger === 'FORM_SUBMITTED'));
});

test('opens, clicks, segments and scores enter contacts; machines and imports do not', async () => {
  const [person, machine, imported] = [
    await makeContact(service),
    await makeContact(service),
    await makeContact(service),
  ];
  const list = (await service.api('POST', '/contacts/lists', { name: 'Triggering' })).body.id;
  const steps = [wait('pause', 1440)];
  const campaigns = {
    opened: await create({ steps, trigger: { type: 'EMAIL_OPENED', templateId } }),
    clicked: await create({ steps, trigger: { type: 'EMAIL_CLICKED', url: 'https://www.example.com/a' } }),
    entered: await create({ steps, trigger: { type: 'SEGMENT_ENTERED', segmentId: list } }),
    scored: await create({ steps, trigger: { type: 'SCORE_REACHED', score: 50 } }),
  };
  for (const id of Object.values(campaigns)) await start(id);
  const publish = (type: EventType, data: Record<string, unknown>) => publishEvents(service, eventOf(type, data));
  const hit = { emailId: 1_000_000, contactId: person.id, automated: false, templateId };
  const score = { ruleId: null, qualification: 'warm', contactId: person.id };

  // Each of these lacks something: it is a machine's, of another template or link, no crossing, or an import's.
  await publish('EMAIL_OPENED', { ...hit, contactId: machine.id, automated: true });
  await publish('EMAIL_OPENED', { ...hit, contactId: machine.id, templateId: templateId + 1000 });
  await publish('EMAIL_OPENED', { ...hit, contactId: null });
  await publish('EMAIL_CLICKED', { ...hit, contactId: machine.id, url: 'https://www.example.com/b' });
  await publish('SCORE_UPDATED', { ...score, contactId: machine.id, previousScore: 50, totalScore: 60 });
  await publish('SCORE_UPDATED', { ...score, contactId: machine.id, previousScore: 60, totalScore: 40 });
  await publish('SEGMENT_ENTERED', { segmentId: list, contactId: imported.id, runTriggers: false });
  await publish('SEGMENT_ENTERED', { segmentId: list + 1000, contactId: machine.id });

  await publish('EMAIL_OPENED', hit);
  await publish('EMAIL_CLICKED', { ...hit, url: 'https://www.example.com/a' });
  await publish('SCORE_UPDATED', { ...score, previousScore: 49, totalScore: 50 });
  const added = await service.api('POST', `/contacts/lists/${list}/contacts`, { contactIds: [person.id] });
  assert.equal(added.status, 200, JSON.stringify(added.body));
  for (const [name, id] of Object.entries(campaigns)) {
    const [execution] = await untilExecutions(id, 'RUNNING', 1);
    assert.equal(execution.contactId, person.id, name);
  }
  await settled(service, 'campaign');
  for (const id of Object.values(campaigns)) assert.equal((await executionsOf(id)).length, 1);
});

test('an import into a list enters its contacts only with runTriggers', async () => {
  const list = (await service.api('POST', '/contacts/lists', { name: 'Imported' })).body.id;
  const segment = await service.api('POST', '/contacts/segments', {
    name: 'Of the list',
    type: 'dynamic',
    filter: { op: 'and', conditions: [{ field: 'listId', operator: 'eq', value: list }] },
  });
  assert.equal(segment.status, 201, JSON.stringify(segment.body));
  const steps = [wait('pause', 1440)];
  const ids = [
    await create({ steps, trigger: { type: 'SEGMENT_ENTERED', segmentId: list } }),
    await create({ steps, trigger: { type: 'SEGMENT_ENTERED', segmentId: segment.body.id } }),
  ];
  await until('the segment is ready', async () => {
    const { body } = await service.api('GET', `/contacts/segments/${segment.body.id}`);
    return body.status === 'READY';
  });
  for (const id of ids) await start(id);
  const importOf = async (email: string, runTriggers: boolean) => {
    const parts = { listId: String(list), runTriggers: String(runTriggers) };
    const job = await importer(service).run(`email,firstName,lastName\n${email},A,B\n`, parts);
    assert.equal(job.created, 1);
    await settled(service, 'contact', 'campaign');
  };
  await importOf(`quiet.${randomUUID()}@example.org`, false);
  for (const id of ids) assert.deepEqual(await executionsOf(id), []);
  assert.equal((await service.api('GET', `/contacts/segments/${segment.body.id}/contacts`)).body.data.length, 1);
  await importOf(`loud.${randomUUID()}@example.org`, true);
  for (const id of ids) await untilExecutions(id, 'RUNNING', 1);
});

test('an unsubscribed contact leaves, and explain tells', async () => {
  const contact = await makeContact(service);
  const id = await create({ steps: [wait('pause', 1440)] });
  const explain = async () => (await service.api('GET', `/campaigns/${id}/contacts/${contact.id}/explain`)).body;
  assert.deepEqual([(await explain()).inCampaign, (await explain()).canEnter], [false, false]);
  await start(id, { contactIds: [contact.id] });
  await untilExecutions(id, 'RUNNING', 1);
  const inside = await explain();
  assert.deepEqual([inside.inCampaign, inside.canEnter, inside.executions.length], [true, false, 1]);
  assert.match(inside.checks.find((check: Answer['body']) => check.check === 'reentry').reason, /never.*once/);
  assert.equal((await service.api('PUT', `/contacts/${contact.id}`, { status: 'unsubscribed' })).status, 200);
  const [execution] = await untilExecutions(id, 'STOPPED', 1);
  assert.equal(execution.exitReason, 'unsubscribed');
  await until('its workflow is closed', async () => (await counted(id, 'Terminated')) === 1);
});

test('one execution is stopped by hand', async () => {
  const contacts = [await makeContact(service), await makeContact(service)];
  const id = await create({ steps: [wait('pause', 1440)] });
  await start(id, { contactIds: contacts.map((contact) => contact.id) });
  const [first] = await untilExecutions(id, 'RUNNING', 2);
  const stopped = await service.api('POST', `/campaigns/executions/${first.id}/stop`);
  assert.deepEqual([stopped.status, stopped.body.status, stopped.body.exitReason], [202, 'STOPPED', 'stopped_by_user']);
  assert.equal((await service.api('POST', `/campaigns/executions/${first.id}/retry`)).status, 409);
  await untilExecutions(id, 'RUNNING', 1);
  await until('its workflow is closed', async () => (await counted(id, 'Terminated')) === 1);
});

test.concurrent(
  'SCHEDULE fires at its time, DATE at the moment of the contact; both enrolments can be read',
  async () => {
    const member = await makeContact(service);
    const list = (await service.api('POST', '/contacts/lists', { name: 'Every minute', contactIds: [member.id] })).body
      .id;
    const field = { entity: 'contact', name: 'renewal', type: 'date' };
    assert.equal((await service.api('POST', '/contacts/custom-fields', field)).status, 201);
    const steps = [wait('pause', 1440)];
    const scheduled = await create({
      steps,
      trigger: { type: 'SCHEDULE', cron: '* * * * *', timezone: 'Europe/Berlin', segmentId: list },
    });
    // The whole minute that comes after the activation, in UTC.
    const moment = new Date(Math.ceil((Date.now() + 5000) / 60_000) * 60_000);
    const [day, time] = [moment.toISOString().slice(0, 10), moment.toISOString().slice(11, 16)];
    const dated = await create({
      steps,
      trigger: { type: 'DATE', field: 'customFields.renewal', offsetDays: 0, time },
    });
    const contact = await makeContact(service);
    const change = { customFields: { renewal: day } };
    assert.equal((await service.api('PUT', `/contacts/${contact.id}`, change)).status, 200);
    await start(scheduled);
    await start(dated);
    const schedule = service.deps.temporal.schedule.getHandle(`campaign-schedule/default/${dated}`);
    await until('there is a schedule', async () => schedule.describe().catch(() => null));

    const [execution] = await untilExecutions(scheduled, 'RUNNING', 1);
    assert.equal(execution.contactId, member.id);
    await until('its minute has come', () => Date.now() > moment.getTime(), 70_000);
    // It fires every 15 minutes; by hand, it takes the moments up to now.
    await schedule.trigger();
    const [entered] = await untilExecutions(dated, 'RUNNING', 1);
    assert.equal(entered.contactId, contact.id);

    for (const [id, trigger, segmentId] of [
      [scheduled, 'SCHEDULE', list],
      [dated, 'DATE', null],
    ]) {
      const query = `CampaignId = ${id} AND WorkflowType = 'campaignEnrolment'`;
      const enrolment = await until('the enrolment that has entered the contact is found', async () => {
        for await (const { workflowId } of service.deps.temporal.workflow.list({ query })) {
          const { body } = await service.api('GET', `/campaigns/enrolments/${workflowId.split('/').at(-1)}`);
          if (body.enrolled === 1) return body;
        }
        return null;
      });
      assert.deepEqual([enrolment.trigger, enrolment.segmentId], [trigger, segmentId]);
      assert.match(enrolment.scheduledAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/);
    }
    await service.api('POST', `/campaigns/${scheduled}/stop`);
    await service.api('POST', `/campaigns/${dated}/stop`);
  },
);
