import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { rows, sql, tenantEm } from '../../../db/orm.ts';
import { startEndpoint, type Endpoint } from '../../support/endpoint.ts';
import { makeContact } from '../../support/mail/emails.ts';
import { startService, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';

let service: Service;
const endpoints: Endpoint[] = [];
beforeAll(async () => {
  service = await startService({ worker: true, env: { OUTBOUND_ALLOW: '127.0.0.1/32' } });
});
afterAll(async () => {
  for (const endpoint of endpoints) await endpoint.close();
  await service.stop();
});

async function endpoint(...answers: Parameters<typeof startEndpoint>[0]): Promise<Endpoint> {
  endpoints.push(await startEndpoint(answers));
  return endpoints.at(-1)!;
}

/** Starts a contact on these steps and waits for a status of its execution. */
async function run(steps: object[], contactId: number, status: string) {
  const made = await service.api('POST', '/campaigns', { name: 'A campaign', steps });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const { id } = made.body;
  assert.equal((await service.api('POST', `/campaigns/${id}/start`, { contactIds: [contactId] })).status, 202);
  return { id, execution: await executionOf(id, status) };
}

async function executionOf(id: number, status: string) {
  const [{ id: executionId }] = await until(`the execution is ${status}`, async () => {
    const { data } = (await service.api('GET', `/campaigns/${id}/executions?status=${status}`)).body;
    return data.length === 1 ? data : null;
  });
  return (await service.api('GET', `/campaigns/executions/${executionId}`)).body;
}

test('NOTIFY: the user gets one email, escaped, and it is none of the contact', async () => {
  const contact = await makeContact(service, { firstName: '<b>Ada</b>' });
  const config = { to: 'ADMIN@example.com', subject: 'Call {{firstName}}', body: 'It is {{ firstName }},\n{{email}}.' };
  const { id, execution } = await run([{ id: 'tell', type: 'NOTIFY', config }], contact.id, 'COMPLETED');
  assert.deepEqual([execution.steps[0].result, execution.steps[0].reason], ['success', null]);
  const [mail] = await until('the mail is there', () => {
    const found = service.sink.mails.filter(({ to }) => to[0] === 'admin@example.com');
    return found.length > 0 ? found : null;
  });
  const { subject, text, html } = mail!.parsed;
  assert.equal(subject, 'Call <b>Ada</b>');
  assert.equal(text!.trim(), `It is <b>Ada</b>,\n${contact.email}.`);
  assert.match(String(html), /It is &lt;b&gt;Ada&lt;\/b&gt;,<br \/>/);
  assert.doesNotMatch(mail!.raw, /List-Unsubscribe/i);
  await until('it is settled', async () => {
    const [row] = await tenantEm(service.deps.orm, 'default').transactional((tx) =>
      rows<{ status: string }>(tx, sql`select status from emails where execution_id = ${execution.id}`),
    );
    return row!.status === 'SENT';
  });
  const { emails } = (await service.api('GET', `/campaigns/${id}/stats`)).body;
  assert.deepEqual([emails.queued, emails.sent], [0, 0]);
  assert.deepEqual((await service.api('GET', `/emails?contactId=${contact.id}`)).body.data, []);
  const { data } = (await service.api('GET', `/contacts/${contact.id}/activities`)).body;
  assert.ok(data.every(({ type }: { type: string }) => type !== 'EMAIL_SENT'));
});

test('WEBHOOK: the receiver verifies the call with the secret of the API', async () => {
  const hook = await endpoint({ status: 500 }, { status: 201, body: 'noted' });
  const contact = await makeContact(service);
  const { execution } = await run(
    [{ id: 'call', type: 'WEBHOOK', config: { url: hook.url } }],
    contact.id,
    'COMPLETED',
  );
  const [{ result, reason }] = execution.steps;
  assert.deepEqual([result, reason], ['success', 'answered 201 after 2 attempts: noted']);
  const { secret } = (await service.api('GET', '/webhooks/default')).body;
  const bodies = hook.received.map(({ body, headers }) =>
    new Webhook(secret).verify(body, headers as Record<string, string>),
  ) as { data: { executionId: number; contact: { email: string } } }[];
  assert.equal(bodies.length, 2);
  for (const { data } of bodies)
    assert.deepEqual([data.executionId, data.contact.email], [execution.id, contact.email]);
});

test('WEBHOOK: what failed is retried by the API, under the same id', async () => {
  const hook = await endpoint({ status: 410 }, { status: 204 });
  const steps = [{ id: 'call', type: 'WEBHOOK', config: { url: hook.url, onError: 'fail' } }];
  const { id, execution } = await run(steps, (await makeContact(service)).id, 'FAILED');
  assert.deepEqual([execution.exitReason, execution.currentStepId], ['answered 410', 'call']);
  await until('its workflow has failed', async () => {
    const { status } = await service.deps.temporal.workflow.getHandle(execution.workflowId).describe();
    return status.name === 'FAILED';
  });
  assert.equal((await service.api('POST', `/campaigns/executions/${execution.id}/retry`)).status, 202);
  const { steps: done } = await executionOf(id, 'COMPLETED');
  assert.deepEqual(
    done.map(({ result, reason }: { result: string; reason: string }) => [result, reason]),
    [
      ['failed', 'answered 410'],
      ['success', 'answered 204'],
    ],
  );
  assert.equal(new Set(hook.received.map(({ headers }) => headers['webhook-id'])).size, 1);
  const { steps: figures } = (await service.api('GET', `/campaigns/${id}/stats`)).body;
  assert.deepEqual([figures[0].completed, figures[0].failed], [1, 1]);
});
