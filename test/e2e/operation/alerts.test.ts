/** Every alert of deploy/alerts.yml is caused, in processes that have just started. */
import assert from 'node:assert/strict';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { freePorts } from '../../../dev/stack/ports.ts';
import { batchSubject, KEPT_FILES, SEND_REQUEST_SUBJECT } from '../../../transport/streams.ts';
import type { Role } from '../../../worker/roles.ts';
import { startApiProcess } from '../../support/api-process.ts';
import { startLogged, type LoggedProcess } from '../../support/logged-process.ts';
import { startScriptedSmtp, type ScriptedSmtp } from '../../support/mail/scripted-smtp.ts';
import { onTestFinished } from '../../support/on-test-finished.ts';
import { alerts, holds, readMetrics, type Sample } from '../../support/prometheus.ts';
import { startService, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';

let service: Service;
let smtp: ScriptedSmtp;
let owner: pg.Client;
const caused = new Set<string>();
beforeAll(async () => {
  service = await startService({ env: { OUTBOUND_ALLOW: '127.0.0.1/32' } });
  smtp = await startScriptedSmtp();
  owner = new pg.Client({ connectionString: service.slot.env['DATABASE_MIGRATION_URL'] });
  await owner.connect();
});
afterAll(async () => {
  await owner.end();
  await smtp.stop();
  await service.stop();
});

const create = async (path: string, body: unknown) => {
  const answer = await service.api('POST', path, body);
  assert.ok(answer.status < 300, `${path}: ${JSON.stringify(answer.body)}`);
  return answer.body;
};

/** What Prometheus has after it has asked a process: no answer is a sample, too. */
async function scrape(url: string): Promise<Sample[]> {
  const text = await fetch(`${url}/metrics`, { headers: { authorization: 'Bearer a-token' } }).then(
    (response) => (response.ok ? response.text() : null),
    () => null,
  );
  const labels = { job: 'perennial', instance: url };
  const samples = text === null ? [] : readMetrics(text);
  return [
    { name: 'up', labels, value: text === null ? 0 : 1 },
    ...samples.map((sample) => ({ ...sample, labels: { ...sample.labels, ...labels } })),
  ];
}

interface Scraped {
  url: string;
  fresh: Sample[];
  process?: LoggedProcess;
}

async function startWorker(roles: Role[], settings: Record<string, string> = {}): Promise<Scraped> {
  const [port = 0] = await freePorts(1);
  const env = { WORKER_HEALTH_PORT: String(port), SMTP_URL: smtp.url, METRICS_TOKEN: 'a-token', ...settings };
  const process = startLogged(service, 'worker/main.ts', ['--only', roles.join()], env);
  await until('the worker works', () => process.said('"working"'));
  const url = `http://127.0.0.1:${port}`;
  return { url, fresh: await scrape(url), process };
}

/** Waits until the alert fires, which it did not when the process was fresh. */
async function fires(alert: string, { url, fresh }: Scraped): Promise<void> {
  assert.ok(!holds(alert, { before: fresh, after: fresh, seconds: 1 }), `${alert} fires without a cause`);
  await until(
    `${alert} fires`,
    async () => holds(alert, { before: fresh, after: await scrape(url), seconds: 60 }),
    60_000,
  );
  caused.add(alert);
}

const old = (table: string, set: string): Promise<unknown> => owner.query(`update ${table} set ${set}`);

test('what waits because nobody handles it', async () => {
  const { nats } = service.deps;
  const worker = await startWorker(['consumers']);
  const has = (name: string) => worker.fresh.some((sample) => sample.name === name);
  // It measures nothing that it does not do.
  assert.ok(!has('perennial_mail_provider_state') && !has('perennial_outbox_relaying') && has('perennial_build_info'));

  await nats.js.publish(SEND_REQUEST_SUBJECT, '{}');
  await create('/webhooks', { name: 'CRM', url: 'https://127.0.0.1/', types: ['CONTACT_CREATED'] });
  const { id: contactId } = await create('/contacts', { firstName: 'A', lastName: 'B', email: 'a@example.com' });
  const template = await create('/emails/templates', { name: 'A', subject: 'A', content: '<p>A</p>' });
  await create('/emails/send', { templateId: template.id, recipientId: contactId });
  const ago = "now() - interval '10 minutes'";
  await old('outbox_events', `occurred_at = ${ago}`);
  await old('emails', `accepted_at = ${ago}, next_attempt_at = ${ago}`);
  await old('webhook_lanes', `active = true, due_at = ${ago}`);
  for (const alert of ['OutboxBehind', 'FiguresBehind', 'EmailsBehind', 'WebhooksBehind', 'QueueBehind'])
    await fires(alert, worker);
  await worker.process!.end('SIGTERM');
  await fires('ProcessDown', worker);
  await old('webhook_lanes', 'active = false');
});

test('files of forms that nearly fill their store', async () => {
  const { js, jsm } = service.deps.nats;
  const before = await startWorker(['relay']);
  const { config } = await jsm.streams.info(KEPT_FILES);
  const piece = new Uint8Array(1024 ** 2);
  for (let bytes = 0; bytes < config.max_bytes * 0.85; bytes += piece.length)
    await js.publish('kept-files.default.full', piece);
  const { url } = await startWorker(['consumers']);
  await fires('FormFilesFull', { url, fresh: before.fresh });
  await jsm.streams.purge(KEPT_FILES);
});

test('what a worker gives up, refuses, or cannot send', async () => {
  const { js } = service.deps.nats;
  const worker = await startWorker(['temporal', 'intake', 'consumers', 'relay', 'senders']);
  const consumers = worker.fresh.filter(({ name }) => name === 'perennial_events_consumed_total');
  const outcomes = new Set(consumers.map(({ labels }) => labels['outcome']));
  assert.deepEqual([...outcomes].sort(), ['dead', 'done', 'lost', 'retried']);

  await js.publish(SEND_REQUEST_SUBJECT, 'not JSON');
  await fires('DeadLetters', worker);
  const event = { type: 'CONTACT_CREATED', events: [{ id: crypto.randomUUID(), data: {} }] };
  await js.publish(batchSubject('CONTACT_CREATED'), JSON.stringify(event));
  await fires('EventsDropped', worker);

  const template = await create('/emails/templates', { name: 'B', subject: 'B', content: '<p>B</p>' });
  const send = (to: string) => create('/emails/send', { templateId: template.id, to });
  smtp.script.rcpt = (to) => (to.startsWith('unknown-user') ? '550 5.1.1 no such user' : '250 ok');
  smtp.script.dot = (to) => (to.startsWith('no-reply') ? 'drop' : '250 accepted');
  await send('unknown-user@example.com');
  await fires('EmailsRejected', worker);
  await send('no-reply@example.com');
  await fires('EmailsUnknown', worker);

  const contact = await create('/contacts', { firstName: 'C', lastName: 'D', email: 'c@example.com' });
  const campaign = await create('/campaigns', {
    name: 'A wait',
    steps: [{ id: 'wait', type: 'WAIT', config: { waitMinutes: 100 } }],
  });
  await create(`/campaigns/${campaign.id}/start`, { contactIds: [contact.id] });
  const workflowId = await until('the journey waits', async () => {
    const { body } = await service.api('GET', `/campaigns/${campaign.id}/executions`);
    return body.data[0]?.workflowId as string | undefined;
  });
  const journey = service.deps.temporal.workflow.getHandle(workflowId);
  await until('its workflow runs', async () => (await journey.describe().catch(() => null))?.status.name === 'RUNNING');
  await journey.terminate('by a test');
  await owner.query(
    "update campaign_executions set started_at = now() - interval '1 hour', updated_at = now() - interval '1 hour'",
  );
  await fires('WorkflowsDisagree', worker);

  const temporal = await scrape(worker.url);
  assert.ok(
    temporal.some(
      ({ name, value }) => name === 'temporal_workflow_completed_total' || (name.startsWith('temporal_') && value > 0),
    ),
  );

  await smtp.stop();
  for (let n = 0; n < 10; n += 1) await send(`later-${n}@example.com`);
  await fires('MailProviderDown', worker);
  await smtp.start();
});

test('requests that wait for Postgres until they fail', async () => {
  const api = await startApiProcess(service, { DATABASE_POOL_MAX: '2', METRICS_TOKEN: 'a-token' });
  onTestFinished(() => api.end('SIGKILL'));
  const fresh = await scrape(api.url);
  const classes = fresh.filter(({ name }) => name === 'perennial_http_responses_total');
  assert.deepEqual(classes.map(({ labels }) => labels['class']).sort(), ['2xx', '3xx', '4xx', '5xx']);
  await owner.query('begin; lock table contacts in access exclusive mode');
  onTestFinished(() => void owner.query('rollback'));
  const asked = Promise.allSettled(Array.from({ length: 6 }, () => api.api('GET', '/contacts')));
  await fires('PoolExhausted', { url: api.url, fresh });
  await fires('ServerErrors', { url: api.url, fresh });
  await owner.query('rollback');
  await asked;
});

test('the health of a worker says what is away; its metrics need the token', async () => {
  const { url } = await startWorker(['relay']);
  const healthy = await fetch(`${url}/health`);
  assert.equal(healthy.status, 200);
  assert.deepEqual(((await healthy.json()) as { status: string }).status, 'UP');
  assert.equal((await fetch(`${url}/metrics`)).status, 401);
});

test('no alert is left that nobody has seen fire', () => {
  expect([...alerts.keys()].filter((alert) => !caused.has(alert))).toEqual([]);
});
