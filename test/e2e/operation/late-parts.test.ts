import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { engineEm, rows, sql } from '../../../db/orm.ts';
import { startApiProcess, type ApiProcess } from '../../support/api-process.ts';
import { latePart } from '../../support/late-part.ts';
import { startLogged } from '../../support/logged-process.ts';
import { makeContact, makeTemplate, send, untilStatus } from '../../support/mail/emails.ts';
import { onTestFinished } from '../../support/on-test-finished.ts';
import { startService, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { BROWSER } from '../../support/visits.ts';
import { killWorkerProcesses, startWorkerProcess } from '../../support/worker-process.ts';
import { ROLES } from '../../../worker/roles.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
  // A worker that has never compared anything waits for both.
  await service.deps.generation.begin({ isSure: true });
});
afterAll(async () => {
  await killWorkerProcesses();
  await service.stop();
});

const query = <T>(statement: ReturnType<typeof sql>) =>
  engineEm(service.deps.orm).transactional((tx) => rows<T>(tx, statement));
const LINK = 'https://example.com/two';
// A busy API sheds load with a 503, so what visitors ask is asked until it is taken.

/** An API that started without a part; it answers, and says what it lacks. */
async function apiWithout(part: string, env: Record<string, string>): Promise<ApiProcess> {
  const api = await startApiProcess(service, env);
  onTestFinished(() => api.end('SIGKILL').catch(() => {}));
  const { status, body } = await until(`${part} is said to be away`, async () => {
    const answer = await api.api('GET', '/health', undefined, { token: null });
    return answer.body.components?.[part]?.status === 'DEGRADED' && answer;
  });
  assert.deepEqual([status, body.status], [200, 'DEGRADED']);
  return api;
}

/** What a recipient's mail program and browser ask. */
const visitor = ({ url }: ApiProcess) => {
  const { links } = service.deps;
  const at = (
    path: string,
    { headers, ...init }: Omit<RequestInit, 'headers'> & { headers?: Record<string, string> } = {},
  ) => fetch(`${url}/api/v1${path}`, { redirect: 'manual', headers: { 'user-agent': BROWSER, ...headers }, ...init });
  return {
    open: (emailId: number) => at(`/emails/tracking/open/${links.openTrackingId(emailId)}`),
    click: (emailId: number) =>
      at(`/emails/tracking/click/${links.clickTrackingId(emailId, LINK)}?url=${encodeURIComponent(LINK)}`),
    unsubscribe: (contactId: number, email: string) =>
      at(
        `/emails/unsubscribe/${links.unsubscribeToken({ tenantId: 'default', emailId: null, contactId, address: email })}`,
        {
          method: 'POST',
          body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }),
        },
      ),
    submit: (formId: number, email: string) =>
      at(`/forms/${formId}/submit`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ email }),
      }),
  };
};

async function makeForm(): Promise<number> {
  const fields = [{ name: 'email', label: 'Email', type: 'email', required: true }];
  const { status, body } = await service.api('POST', '/forms', { name: 'Lead', fields });
  assert.equal(status, 201, JSON.stringify(body));
  return body.id;
}

test('API and workers start without Temporal: emails leave, opens, forms and unsubscribes count; a journey starts once when it is there', async () => {
  const [env, line] = await latePart(service.slot.env, 'TEMPORAL_ADDRESS');
  onTestFinished(() => line.cut().catch(() => {}));
  const api = await apiWithout('temporal', env);
  startWorkerProcess(service, ROLES, env);
  const templateId = await makeTemplate(service);
  const formId = await makeForm();
  const contact = await makeContact(service);
  const campaign = await service.api('POST', '/campaigns', {
    name: 'Welcome',
    trigger: { type: 'FORM_SUBMITTED', formId },
    steps: [{ id: 'mail', type: 'EMAIL', config: { templateId } }],
  });
  assert.equal((await service.api('POST', `/campaigns/${campaign.body.id}/start`)).status, 202);

  const emailId = await send(service, { templateId, recipientId: contact.id });
  await untilStatus(service, emailId, 'SENT');
  const { open, submit, unsubscribe } = visitor(api);
  assert.equal((await open(emailId)).status, 200);
  await until(
    'the open counts',
    async () => (await service.api('GET', `/emails/tracking/${emailId}`)).body.events.length > 0,
  );
  await until('it is taken', async () => (await submit(formId, 'visitor@example.org')).status === 200);
  await until('it is taken', async () => (await unsubscribe(contact.id, contact.email)).status === 200);
  assert.equal((await service.api('GET', `/contacts/${contact.id}`)).body.status, 'unsubscribed');
  const entered = sql`select status, run_id from campaign_executions where campaign_id = ${campaign.body.id}`;
  await until('the visitor has entered', async () => (await query(entered)).length === 1);
  assert.ok((await query(sql`select 1 from outbox_workflows`)).length > 0);

  await line.mend();
  await until(
    'the journey is over',
    async () => (await query<{ status: string }>(entered)).every(({ status }) => status === 'COMPLETED'),
    60_000,
  );
  const mails = () => service.sink.mails.filter(({ to }) => to.includes('visitor@example.org'));
  await until('its email is sent', () => mails().length > 0);
  await until('nothing waits', async () => (await query(sql`select 1 from outbox_workflows`)).length === 0);
  assert.equal((await query(entered)).length, 1);
  assert.equal(mails().length, 1);
  await until(
    'health is UP',
    async () => (await api.api('GET', '/health', undefined, { token: null })).body.status === 'UP',
  );
});

test('a worker that sends stays while Temporal is half there, says so once, and drains', async () => {
  const [env, line] = await latePart(service.slot.env, 'TEMPORAL_ADDRESS');
  onTestFinished(() => line.cut().catch(() => {}));
  const namespace = `late-${service.slot.number}-${process.pid}`;
  const worker = startLogged(service, 'worker/main.ts', [], {
    ...{ ...env, TEMPORAL_NAMESPACE: namespace, LOG_LEVEL: 'debug' },
  });
  await until('it works without Temporal', () => worker.said('working'));
  const templateId = await makeTemplate(service);
  const sent = async () => {
    const contact = await makeContact(service);
    await untilStatus(service, await send(service, { templateId, recipientId: contact.id }), 'SENT');
  };
  await sent();
  await line.mend();
  // Its namespace is not there yet: a request to the server has been refused, and the worker sends on.
  await until('it was told so', () => worker.said('TEMPORAL_NAMESPACE must be an existing Temporal namespace'));
  await sent();
  await service.deps.temporal.workflowService.registerNamespace({
    namespace,
    workflowExecutionRetentionPeriod: { seconds: 86_400 as never },
  });
  await until('its workflows run', () => worker.said('Temporal (workflows): there now'));
  const lines = (text: string) => worker.output().split(`"msg":"${text}"`).length - 1;
  assert.equal(lines('waiting for Temporal'), 1);
  assert.ok(lines('waiting for Temporal (workflows)') <= 1);
  assert.equal(await worker.end('SIGTERM'), 0);
});

test('a setting that turns out wrong when its part comes drains the process before it ends it', async () => {
  const [env, line] = await latePart(service.slot.env, 'NATS_URL');
  onTestFinished(() => line.cut().catch(() => {}));
  const wrong = new URL(env['NATS_URL']!);
  wrong.password = 'wrong';
  const api = startLogged(service, 'api/server.ts', [], { NATS_URL: wrong.href });
  await until('it listens', () => api.said('"listening"'));
  await line.mend();
  assert.equal(await api.ended, 2, api.output());
  assert.match(api.output(), /NATS_URL does not work: .*Authorization Violation/i);
  assert.ok(api.said('"stopped"'), api.output());
});

test('an API starts without NATS: a click gets a 503, forms and unsubscribes count; when it is there, opens of before count too', async () => {
  const templateId = await makeTemplate(service);
  const formId = await makeForm();
  const contact = await makeContact(service);
  startWorkerProcess(service, ROLES);
  const emailId = await send(service, { templateId, recipientId: contact.id });
  await untilStatus(service, emailId, 'SENT');
  const [env, line] = await latePart(service.slot.env, 'NATS_URL');
  onTestFinished(() => line.cut().catch(() => {}));
  const api = await apiWithout('nats', env);
  const { open, click, submit, unsubscribe } = visitor(api);
  assert.equal((await open(emailId)).status, 200);
  assert.equal((await click(emailId)).status, 503);
  await until('it is taken', async () => (await submit(formId, 'other@example.org')).status === 200);
  await until('it is taken', async () => (await unsubscribe(contact.id, contact.email)).status === 200);
  assert.equal((await api.api('GET', '/analytics/dashboard')).status, 200);
  const upload = new FormData();
  upload.set('file', new Blob(['email\na@example.org\n'], { type: 'text/csv' }), 'people.csv');
  const refused = await api.api('POST', '/contacts/import', upload);
  assert.deepEqual([refused.status, refused.body.code], [503, 'unavailable']);

  await line.mend();
  await until('a click is taken', async () => (await click(emailId)).status === 302);
  await until('both count', async () => {
    const { events } = (await service.api('GET', `/emails/tracking/${emailId}`)).body;
    return ['OPEN', 'CLICK'].every((type) => events.some((event: { type: string }) => event.type === type));
  });
});
