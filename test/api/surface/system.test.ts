import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { Validator } from '@seriousme/openapi-schema-validator';
import { parse, type DefaultTreeAdapterMap } from 'parse5';
import { routes } from '../../../api/routes.ts';
import { errorCatalogue } from '../../../lib/checks/errors.ts';
import type { Api } from '../../support/call-api.ts';
import { eventTypes } from '../../../events/contracts.ts';
import { startService, type Service } from '../../support/service.ts';
import { startVariant } from '../../support/variant.ts';
import { until } from '../../support/until.ts';

let service: Service;
beforeAll(async () => {
  service = await startService({ worker: ['temporal', 'consumers'] });
});
afterAll(() => service.stop());

const get = (path: string, headers: Record<string, string> = {}) => fetch(service.url + path, { headers });
/** Asks until the answer is as expected: on a busy machine a check may take longer than it has. */
const untilHealth = (api: Api, path: string, expected: string) =>
  until(`${path} is ${expected}`, async () => {
    const answer = await api('GET', path, undefined, { token: null });
    return answer.body.status === expected && answer;
  });
const AREAS = ['auth', 'contacts', 'emails', 'campaigns', 'forms', 'scoring', 'analytics'];

test('health names every component, without a token and without an address', async () => {
  const health = await untilHealth(service.api, '/health', 'UP');
  assert.deepEqual([health.status, health.headers.get('cache-control')], [200, 'no-store']);
  assert.deepEqual(health.body, {
    status: 'UP',
    components: Object.fromEntries(
      ['postgres', 'nats', 'temporal', 'worker', 'workflows', 'mail', 'restore'].map((name) => [
        name,
        { status: 'UP' },
      ]),
    ),
  });
});

test('health of each of the seven areas', async () => {
  for (const area of AREAS) {
    const { status, body } = await untilHealth(service.api, `/${area}/health`, 'UP');
    assert.deepEqual([status, body.status, body.components.postgres], [200, 'UP', { status: 'UP' }], area);
    assert.deepEqual(Object.keys(body), ['status', 'components']);
  }
});

test('without a mail provider the service is DEGRADED, and still there', async () => {
  const poor = await startVariant(service, { SMTP_URL: 'smtp://127.0.0.1:1' });
  // The checks of a moment ago belong to other settings.
  const { status, body } = await untilHealth(poor.api, '/health', 'DEGRADED');
  assert.deepEqual([status, body.status, body.components.mail.status], [200, 'DEGRADED', 'DEGRADED']);
  await untilHealth(poor.api, '/emails/health', 'DEGRADED');
  await untilHealth(poor.api, '/scoring/health', 'UP');
  await poor.stop();
  const second = await startVariant(service, { SMTP_URL: `smtp://127.0.0.1:1,${service.deps.env.SMTP_URL}` });
  // One of several providers is enough.
  await untilHealth(second.api, '/health', 'UP');
  await second.stop();
});

test('openapi.json is the description of this very service', async () => {
  const response = await get('/api/v1/openapi.json');
  assert.match(response.headers.get('content-type') ?? '', /^application\/json/);
  const document = (await response.json()) as { openapi: string; servers: unknown; paths: Record<string, object> };
  assert.ok((await new Validator().validate(structuredClone(document))).valid);
  assert.match(document.openapi, /^3\.1\./);
  assert.deepEqual(document.servers, [{ url: service.url }]);
  assert.equal(Object.values(document.paths).flatMap((path) => Object.keys(path)).length, routes.length);
  assert.equal((await get('/api/v1/openapi.json', { 'if-none-match': response.headers.get('etag')! })).status, 304);
});

test('asyncapi.json is there', async () => {
  const { status, body } = await service.api('GET', '/asyncapi.json', undefined, { token: null });
  assert.equal(status, 200);
  assert.match(body.asyncapi, /^3\./);
});

test('the type of every problem leads to a text in the documentation', async () => {
  const refused = await service.api('POST', '/contacts', { email: 'x' });
  assert.equal(refused.body.type, '/docs#validation_failed');
  const document = parse(await (await get('/docs')).text());
  const texts = new Map<string, string>();
  const visit = (node: DefaultTreeAdapterMap['node'], under: string | null): void => {
    if (node.nodeName === '#text' && under !== null)
      texts.set(under, (texts.get(under) ?? '') + (node as DefaultTreeAdapterMap['textNode']).value);
    let current = under;
    for (const child of 'childNodes' in node ? node.childNodes : []) {
      const id = 'attrs' in child ? child.attrs.find(({ name }) => name === 'id')?.value : undefined;
      if (id !== undefined) current = id;
      visit(child, current);
    }
  };
  visit(document, null);
  for (const [code, [status, title]] of Object.entries(errorCatalogue)) {
    const text = texts.get(code) ?? '';
    assert.ok(text.startsWith(`${code} (${status})${title}. `), `${code}: ${text}`);
    assert.ok(text.length > code.length + title.length + 30, `${code} says what to do`);
  }
});

test('the documentation comes from the service alone', async () => {
  const page = await get('/docs');
  const html = await page.text();
  assert.deepEqual([page.status, page.headers.get('content-type')], [200, 'text/html; charset=utf-8']);
  assert.ok(!/https?:/.test(html), 'no other host in the page');
  assert.ok(!/<script>|\son\w+=/.test(html));
  const files = [...html.matchAll(/<(script|link)[^>]* (?:src|href)="([^"]+)">/g)].map((match) => match[2]!);
  assert.deepEqual(files, ['/docs/reference.css', '/favicon.svg', '/docs/reference.js', '/docs/start.js']);
  for (const file of files) {
    const response = await get(file);
    assert.equal(response.status, 200, file);
    assert.match(
      response.headers.get('content-type') ?? '',
      file.endsWith('.css') ? /^text\/css/ : file.endsWith('.svg') ? /^image\/svg\+xml/ : /^text\/javascript/,
    );
    assert.ok((await response.text()).length > 100);
  }
  const start = await (await get('/docs/start.js')).text();
  assert.ok(start.includes('/api/v1/openapi.json') && !/https?:/.test(start));
  // Whatever the script would like to load: the browser lets it reach this host only.
  const policy = page.headers.get('content-security-policy') ?? '';
  for (const directive of ["default-src 'none'", "script-src 'self'", "connect-src 'self'"])
    assert.ok(policy.includes(directive), directive);
  assert.ok(!/https?:|\*/.test(policy));
});

test('the page of the events shows every one with its subject and fields, without a script or another host', async () => {
  const page = await get('/docs/events');
  const html = await page.text();
  assert.deepEqual([page.status, page.headers.get('content-type')], [200, 'text/html; charset=utf-8']);
  for (const type of eventTypes) assert.ok(html.includes(`<code>events.{tenantId}.${type}</code>`), type);
  for (const text of [
    'email.send.requests',
    'dead.{consumer}',
    'previousScore',
    'recipientId',
    'The <code>id</code> of the contact',
    'which the operator can read and listeners cannot',
    'DEAD_LETTERS',
    `nats://127.0.0.1:${new URL(service.deps.env.NATS_URL).port}`,
  ])
    assert.ok(html.includes(text), text);
  assert.ok(!/<script|\son\w+=|<link rel="(?!icon")|src=/.test(html));
  assert.deepEqual(
    [...html.matchAll(/href="([^"#]+)"/g)].map((match) => match[1]),
    ['/favicon.svg', '/docs', '/api/v1/asyncapi.json'],
  );
  assert.ok(!html.includes(new URL(service.deps.env.NATS_URL).password));
  // The description of the API, which /docs shows, leads there.
  assert.ok(JSON.stringify(await (await get('/api/v1/openapi.json')).json()).includes('](/docs/events)'));
});

test('metrics count requests by operation, and ask for their token where one is set', async () => {
  await service.api('GET', '/scoring/rules');
  const open = await get('/metrics');
  assert.match(open.headers.get('content-type') ?? '', /^text\/plain/);
  assert.match(
    await open.text(),
    /perennial_http_request_duration_seconds_count\{operation="listScoringRules",status="200"\} \d+/,
  );
  const guarded = await startVariant(service, { METRICS_TOKEN: 'a-token' });
  try {
    for (const authorization of ['', 'Bearer', 'Bearer a-tokem', `Bearer ${service.admin.token}`, 'a-token']) {
      const refused = await fetch(`${guarded.url}/metrics`, { headers: authorization ? { authorization } : {} });
      assert.equal(refused.status, 401, authorization);
    }
    assert.equal((await fetch(`${guarded.url}/metrics`, { headers: { authorization: 'Bearer a-token' } })).status, 200);
  } finally {
    await guarded.stop();
  }
});
