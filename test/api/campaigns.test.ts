import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { makeContact, makeTemplate } from '../support/emails.ts';
import { startService, type Answer, type Service } from '../support/service.ts';
import { until } from '../support/until.ts';

let service: Service;
let templateId: number;
before(async () => {
  service = await startService({ worker: true });
  templateId = await makeTemplate(service);
});
after(() => service.stop());

const email = (id: string) => ({ id, type: 'EMAIL', config: { templateId } });
const wait = (id: string, waitMinutes: number) => ({ id, type: 'WAIT', config: { waitMinutes } });

async function create(fields: Record<string, unknown> = {}): Promise<Answer['body']> {
  const answer = await service.api('POST', '/campaigns', { name: 'A campaign', steps: [email('one'), wait('pause', 0), email('two')], ...fields });
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return answer.body;
}

async function start(id: number, audience?: Record<string, unknown>) {
  const answer = await service.api('POST', `/campaigns/${id}/start`, audience);
  assert.equal(answer.status, 202, JSON.stringify(answer.body));
  return answer.body;
}

const executionsOf = async (id: number, query = '') => (await service.api('GET', `/campaigns/${id}/executions${query}`)).body.data;

async function untilExecutions(id: number, status: string, count: number) {
  return until(`${count} executions of campaign ${id} are ${status}`, async () => {
    const found = await executionsOf(id, `?status=${status}&limit=200`);
    return found.length === count ? found : null;
  });
}

test('a campaign sends its mails and completes', async () => {
  const contact = await makeContact(service);
  const campaign = await create();
  const { campaign: started, enrolmentId } = await start(campaign.id, { contactIds: [contact.id] });
  assert.equal(started.status, 'ACTIVE');
  assert.equal(started.publishedVersion, 1);
  const [execution] = await untilExecutions(campaign.id, 'COMPLETED', 1);
  const mails = () => service.sink.mails.filter((mail) => mail.to.includes(contact.email));
  await until('both mails are there', () => mails().length === 2);
  assert.deepEqual({ ...execution, startedAt: null, finishedAt: null, runId: null }, {
    id: execution.id, campaignId: campaign.id, campaignVersion: 1, contactId: contact.id, entryNo: 1, currentStep: 3, currentStepId: null,
    status: 'COMPLETED', startedAt: null, finishedAt: null, exitReason: null, runId: null,
    workflowId: `campaign-execution/default/${campaign.id}/${contact.id}/1`,
  });
  const enrolment = (await service.api('GET', `/campaigns/enrolments/${enrolmentId}`)).body;
  assert.deepEqual([enrolment.status, enrolment.enrolled, enrolment.skipped], ['COMPLETED', 1, 0]);
});
