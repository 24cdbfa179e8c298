import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, test } from '@jest/globals';
import { startApiProcess } from '../../support/api-process.ts';
import { startService, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';

/** A span as OTLP/JSON has it, as far as it is looked at. */
interface Span {
  service: string;
  name: string;
  traceId: string;
  parentSpanId?: string;
  kind: number;
  attributes: Record<string, unknown>;
}
interface Export {
  resourceSpans: {
    resource: { attributes: Pair[] };
    scopeSpans: { spans: (Omit<Span, 'service' | 'attributes'> & { attributes: Pair[] })[] }[];
  }[];
}
interface Pair {
  key: string;
  value: Record<string, unknown>;
}

const pairs = (list: Pair[]): Record<string, unknown> =>
  Object.fromEntries(list.map(({ key, value }) => [key, Object.values(value)[0]]));

const spans: Span[] = [];
const bodies: string[] = [];
let collector: Server;
let service: Service;
let endpoint: string;

beforeAll(async () => {
  collector = createServer((request, response) => {
    void text(request).then((body) => {
      if (request.url === '/v1/traces') {
        bodies.push(body);
        for (const { resource, scopeSpans } of (JSON.parse(body) as Export).resourceSpans) {
          const service = String(pairs(resource.attributes)['service.name']);
          for (const span of scopeSpans.flatMap((scope) => scope.spans))
            spans.push({ ...span, service, attributes: pairs(span.attributes) });
        }
      }
      response.setHeader('Content-Type', 'application/json').end('{}');
    });
  });
  await once(collector.listen(0, '127.0.0.1'), 'listening');
  endpoint = `http://127.0.0.1:${(collector.address() as { port: number }).port}`;
  // The SDK's own setting (ms): spans are looked for as they are sent.
  process.env['OTEL_BSP_SCHEDULE_DELAY'] = '100';
  service = await startService({ worker: true, env: { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint } });
});
afterAll(async () => {
  await service.stop();
  collector.close();
});

test("a request is a span of its caller's trace; events and activities are spans too, and no secret is in any", async () => {
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
  const api = await startApiProcess(service);
  const { status, body } = await api.api(
    'POST',
    '/contacts',
    { firstName: 'Trace', lastName: 'Able', email: 'traced@example.com' },
    {
      headers: { traceparent: `00-${traceId}-00f067aa0ba902b7-01`, 'x-request-id': 'the-request' },
    },
  );
  assert.equal(status, 201);
  assert.equal((await api.api('GET', `/contacts/${Number(body.id) + 1000}`)).status, 404);
  assert.equal((await api.api('POST', '/campaigns', { name: 'Traced', steps: [] })).status, 201);
  const line = await until('it is logged', () =>
    api
      .log()
      .split('\n')
      .map((entry) => JSON.parse(entry) as Record<string, unknown>)
      .find((entry) => entry['requestId'] === 'the-request'),
  );
  assert.equal(line['traceId'], traceId);
  // What it has gathered is sent as it ends.
  await api.end();

  const created = spans.find((span) => span.name === 'POST createContact')!;
  assert.deepEqual(
    [created.service, created.traceId, created.parentSpanId, created.kind],
    ['perennial-api', traceId, '00f067aa0ba902b7', 2],
  );
  assert.deepEqual(created.attributes, {
    'http.request.method': 'POST',
    'url.path': '/api/v1/contacts',
    'http.response.status_code': 201,
    'perennial.request_id': 'the-request',
  });
  assert.equal(spans.find((span) => span.name === 'GET getContact')!.attributes['http.response.status_code'], 404);
  assert.match(spans.find((span) => span.name === 'POST createCampaign')!.traceId, /^[0-9a-f]{32}$/);

  const consumed = await until(
    'the event is a span',
    () => spans.find((span) => span.name === 'process contact'),
    30_000,
  );
  assert.equal(consumed.attributes['messaging.destination.name'], 'EVENT_BATCHES');
  const file = new FormData();
  file.set(
    'file',
    new Blob(['email,firstName,lastName\nada@example.com,Ada,Meadow\n'], { type: 'text/csv' }),
    'people.csv',
  );
  const imported = await fetch(`${service.url}/api/v1/contacts/import`, {
    method: 'POST',
    body: file,
    headers: { Authorization: `Bearer ${service.admin.token}` },
  });
  const { workflowId } = (await imported.json()) as { workflowId: string };
  const activity = await until(
    'the activity is a span',
    () => spans.find((span) => span.name === 'activity importContacts'),
    30_000,
  );
  assert.equal(activity.attributes['temporal.workflow_id'], workflowId);
  assert.ok(bodies.every((sent) => !sent.includes(service.admin.token) && !sent.includes('traced@example.com')));
});

test('a collector that is not there costs nothing but spans', async () => {
  const api = await startApiProcess(service, { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' });
  assert.equal((await api.api('GET', '/auth/profile')).status, 200);
  await api.end();
});
