import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { afterAll, beforeAll, test } from '@jest/globals';
import { freePorts } from '../../../dev/stack/ports.ts';
import { cutLine } from '../../support/database/cut-line.ts';
import { startService, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { processEnv } from '../../support/process-env.ts';
import { onTestFinished } from '../../support/on-test-finished.ts';

let service: Service;
beforeAll(async () => {
  service = await startService({ worker: true });
});
afterAll(() => service.stop());

const create = async (path: string, body: unknown) => {
  const answer = await service.api('POST', path, body);
  assert.ok(answer.status < 300, `${path}: ${JSON.stringify(answer.body)}`);
  return answer.body;
};
/** The sum of a metric's samples. */
const sum = (text: string, sample: RegExp): number =>
  text
    .split('\n')
    .filter((line) => sample.test(line))
    .reduce((total, line) => total + Number(line.split(' ').at(-1)), 0);

test('what the service does is counted', async () => {
  const contact = await create('/contacts', { firstName: 'Ada', lastName: 'Byron', email: 'metrics@example.com' });
  const template = await create('/emails/templates', { name: 'Metrics', subject: 'Hello', content: '<p>Hello</p>' });
  // As docs/operating.md has a welcome begin: only who has confirmed gets mail.
  const active = { if: { field: 'status', operator: 'eq', value: 'active' }, then: 'hello', else: null };
  const campaign = await create('/campaigns', {
    name: 'Metrics',
    steps: [
      { id: 'wait', type: 'WAIT', config: { waitMinutes: 0 } },
      { id: 'active', type: 'CONDITION', config: active },
      { id: 'hello', type: 'EMAIL', config: { templateId: template.id } },
    ],
  });
  await create(`/campaigns/${campaign.id}/start`, { contactIds: [contact.id] });
  await until('the mail is there', () => service.sink.mails.find((mail) => mail.to.includes('metrics@example.com')));
  for (const sample of [
    /^perennial_http_request_duration_seconds_count\{.*operation="createContact",status="201"/,
    /^perennial_outbox_relayed_total\{table="outbox_events"/,
    /^perennial_events_consumed_total\{consumer="contact",outcome="done"/,
    /^perennial_emails_total\{outcome="sent"/,
    /^perennial_campaign_step_duration_seconds_count\{.*type="EMAIL"/,
  ])
    await until(
      `${sample.source} counts`,
      async () => sum(await (await fetch(`${service.url}/metrics`)).text(), sample) > 0,
    );
  // One for each outbox table.
  assert.equal(sum(await (await fetch(`${service.url}/metrics`)).text(), /^perennial_outbox_relaying\{/), 4);
});

test("a worker serves its metrics, and each line of its log is JSON, Temporal's core's too", async () => {
  const [host = '', port] = service.slot.env['TEMPORAL_ADDRESS']!.split(':');
  const line = await cutLine(host, Number(port));
  onTestFinished(() => line.cut().catch(() => {}));
  const [metricsPort = 0] = await freePorts(1);
  const child = spawn(process.execPath, [resolve('worker/main.ts'), '--only', 'temporal'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...processEnv,
      ...service.slot.env,
      SMTP_URL: 'smtp://127.0.0.1:1',
      LOG_LEVEL: 'info',
      TEMPORAL_ADDRESS: `127.0.0.1:${line.port}`,
      WORKER_HEALTH_PORT: String(metricsPort),
    },
  });
  const exited = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await exited;
  });
  let [log, rest] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    log += part;
  });
  child.stderr.setEncoding('utf8').on('data', (part: string) => {
    rest += part;
  });
  await until('it works', () => log.includes('"working"'));
  assert.match(
    await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text(),
    /^# TYPE perennial_outbox_relaying gauge$/m,
  );
  await line.cut();
  const said = () =>
    log
      .split('\n')
      .slice(0, -1)
      .map(
        (one) =>
          JSON.parse(one) as { level: string; service: string; msg: string; time: string; sdkComponent?: string },
      );
  const core = await until("Temporal's core misses its server", () =>
    said().find((one) => one.level === 'warn' && one.sdkComponent === 'core'),
  );
  assert.deepEqual([core.service, typeof core.time, typeof core.msg], ['perennial-worker', 'string', 'string']);
  assert.equal(rest, '');
});
