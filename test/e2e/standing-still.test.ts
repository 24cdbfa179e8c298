import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { requestExample } from '../../api/examples.ts';
import { bodySchema, type RouteSpec } from '../../api/guard.ts';
import { routes } from '../../api/routes.ts';
import { startApiProcess, type ApiProcess } from '../support/api-process.ts';
import { formBodies, jsonBodies, jsonShapes, multipartBodies, type Body } from '../support/body-shapes.ts';
import { startService, type Service } from '../support/service.ts';
import { until } from '../support/until.ts';

/** Nothing that one request asks for may keep all others waiting for longer (ms of the thread's processor time). */
const MOST_MS = 100;
const PUBLIC_BYTES = 64 * 1024;
/** Within what the fields of the form below can need. */
const FORM_BYTES = 700_000;
const FIXED_SEED = 20_260_101;
const RANDOM_SEED = Number(process.env['STANDING_STILL_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

let service: Service;
let api: ApiProcess;
let formId: number;
let formToken: string;
let unsubscribeToken: string;
const longest = { what: '', ms: 0 };

const FIELD_TYPES = ['text', 'email', 'textarea', 'number', 'phone', 'url', 'date', 'time', 'datetime', 'country', 'rating', 'hidden', 'checkbox', 'consent'];
before(async () => {
  service = await startService();
  const watch = pathToFileURL(resolve('test/support/loop-watch.ts')).href;
  api = await startApiProcess(service, { NODE_OPTIONS: `--import ${watch}`, WEBHOOK_POSTMARK_SECRET: 'user:password', WEBHOOK_MAILGUN_SIGNING_KEY: 'key' });
  const options = Array.from({ length: 500 }, (_, n) => ({ value: `v${n}`, label: `L${n}` }));
  const fields = [
    ...FIELD_TYPES.map((type) => ({ name: type === 'email' ? 'email' : `a_${type}`, label: type, type })), { name: 'many', label: 'Many', type: 'multiselect', options },
    ...Array.from({ length: 20 }, (_, n) => ({ name: `pattern${n}`, label: 'P', type: 'textarea', validationRegex: '([a-z]+[.])*[a-z]{1,20}x', maxLength: 1000 })),
  ];
  const form = await service.api('POST', '/forms', { name: 'Still', fields });
  assert.equal(form.status, 201, JSON.stringify(form.body));
  formId = form.body.id;
  formToken = (await service.api('GET', `/forms/${formId}/token`)).body.token;
  const contact = await service.api('POST', '/contacts', { firstName: 'A', lastName: 'B', email: 'still@example.com' });
  unsubscribeToken = service.deps.links.unsubscribeToken({ tenantId: 'default', contactId: contact.body.id, emailId: 1, address: null });
});
after(async () => {
  await api.end('SIGKILL');
  await service.stop();
});

interface Still { ms: number; from: number; to: number }
const stills = (): Still[] => api.log().split('\n').filter((line) => line.includes('stood still')).map((line) => JSON.parse(line) as Still);

/** A turn is told of when the next one begins, so this waits for one more. */
async function settle(): Promise<void> {
  await (await fetch(`${api.url}/api/v1/emails/tracking/open/x`)).arrayBuffer();
  await new Promise((done) => setTimeout(done, 15));
}

const stillBetween = (from: number, to: number): number => Math.max(0, ...stills().filter((still) => still.from <= to && still.to >= from).map((still) => still.ms));

/** How long the process stood still while something was done with it. */
async function stillDuring(work: () => Promise<unknown>): Promise<number> {
  const from = Date.now();
  await work();
  await settle();
  return stillBetween(from, Date.now());
}

interface Request { what: string; method: string; path: string; body?: string; type?: string; headers?: Record<string, string> }

async function send({ method, path, body, type, headers = {} }: Request): Promise<number> {
  const response = await fetch(api.url + path, {
    method, redirect: 'manual', signal: AbortSignal.timeout(30_000), headers: { authorization: `Bearer ${service.admin.token}`, ...(type ? { 'content-type': type } : {}), ...headers }, ...(body === undefined ? {} : { body }),
  });
  const bytes = (await response.arrayBuffer()).byteLength;
  if (response.status === 200 || response.status >= 400) assert.ok(bytes < 8 * 1024 * 1024, `${path} answered ${bytes} bytes`);
  assert.notEqual(response.status, 500, path);
  return response.status;
}

/** Sends one request after the other. One during which the process stood still for too long must do so again to count, so that a collection of garbage does not. */
async function check(requests: readonly Request[]): Promise<void> {
  assert.ok(requests.length > 0);
  const sent: { request: Request; from: number; to: number }[] = [];
  for (const request of requests) {
    const from = Date.now();
    await send(request);
    sent.push({ request, from, to: Date.now() });
  }
  await settle();
  const faults: string[] = [];
  for (const { request, from, to } of sent) {
    const about = `${request.method} ${request.path}: ${request.what}`;
    let ms = stillBetween(from, to);
    for (let tries = 0; tries < 2 && ms > MOST_MS; tries += 1) ms = await stillDuring(() => send(request));
    if (ms > longest.ms) Object.assign(longest, { what: about, ms });
    if (ms > MOST_MS) faults.push(`${about} stood still for ${ms} ms`);
  }
  assert.deepEqual(faults, [], `seed ${RANDOM_SEED}`);
}

const pathOf = ({ path }: RouteSpec): string => {
  const given = path.replace('{id}', String(path.startsWith('/forms/') ? formId : 1)).replace('{token}', unsubscribeToken).replace('{provider}', 'postmark').replaceAll(/\{\w+\}/g, '1');
  return given.startsWith('//') ? given.slice(1) : `/api/v1${given}`;
};
const fieldsOf = (route: RouteSpec): string[] => Object.keys((route.body as { properties?: object } | undefined)?.properties ?? {});
const CONTENT_TYPES = { json: 'application/json', form: 'application/x-www-form-urlencoded', multipart: 'multipart/form-data; boundary=b' };

/** Bodies of each type that a route takes, up to its limit. */
function requestsOf(route: RouteSpec, limit: number, count: number, seed: number): Request[] {
  const valid = route.body ? (requestExample(route.body) as Record<string, unknown>) : {};
  const types = route.operationId === 'receiveWebhook' ? ['json' as const] : (route.bodyTypes ?? ['json']);
  const names = route.operationId === 'submitForm' ? [...FIELD_TYPES.map((type) => `a_${type}`), 'email', 'many', 'pattern1'] : fieldsOf(route);
  return types.flatMap((type) => {
    const arbitrary: fc.Arbitrary<Body> = type === 'json' ? jsonBodies(limit, names, valid)
      : type === 'form' ? formBodies(limit, route.operationId === 'submitForm' ? `_token=${formToken}&` : '') : multipartBodies(limit);
    return fc.sample(arbitrary, { numRuns: count, seed }).map(({ what, text }) => ({
      what: `${type}, ${what}`, method: route.method, path: pathOf(route), body: text, type: CONTENT_TYPES[type],
      // Only with a key is a request hashed.
      headers: { 'idempotency-key': `${seed}-${what}`.slice(0, 200), ...(route.operationId === 'receiveWebhook' ? { 'x-webhook-secret': 'user:password' } : {}) },
    }));
  });
}

const taking = (isPublic: boolean): RouteSpec[] =>
  routes.filter((route) => (route.access === 'public') === isPublic && (bodySchema(route) !== undefined || route.operationId === 'receiveWebhook'));

test('the watch sees a process that stands still', async () => {
  const ms = await stillDuring(async () => {
    process.kill(api.pid, 'SIGCONT');
    await until('it is seen', () => stills().some((still) => still.ms >= 150));
  });
  assert.ok(ms >= 150, String(ms));
});

for (const seed of [FIXED_SEED, RANDOM_SEED]) {
  test(`no body without a token makes the process stand still (seed ${seed})`, async () => {
    await check(taking(true).flatMap((route) => requestsOf(route, route.operationId === 'submitForm' ? FORM_BYTES : route.bodyLimit ?? PUBLIC_BYTES, 8, seed)));
  });

  test(`no body with a token makes the process stand still (seed ${seed})`, async () => {
    for (const route of taking(false)) await check(requestsOf(route, service.deps.env.BODY_MAX_BYTES, 1, seed));
  });
}

test('every shape of JSON, up to every limit, is taken or refused without standing still', async () => {
  const to = (path: string, limit: number, wrap: (text: string) => string) => Object.entries(jsonShapes).map(([what, shape]): Request => ({
    what, method: 'POST', path: `/api/v1${path}`, body: wrap(shape(limit - 100)), type: 'application/json', headers: { 'idempotency-key': what },
  }));
  await check([
    ...to('/auth/login', PUBLIC_BYTES, (text) => `{"password":"x","username":${text}}`), ...to(`/forms/${formId}/submit`, 300_000, (text) => `{"email":"a@example.com","a_textarea":${text}}`),
    ...to('/contacts/batch', 5_000_000, (text) => `{"contacts":${text}}`),
    ...to('/contacts', 5_000_000, (text) => `{"firstName":"A","lastName":"B","email":"a@example.com","customFields":${text}}`), ...to('/contacts/segments/preview', 5_000_000, (text) => `{"filter":${text}}`),
  ]);
});

test('headers and addresses of every shape are read without standing still', async () => {
  const units = ['a,', '"1",', 'W/"1",', 'text/html;q=0.1,', 'en-a;q=0.5,', '*;q=0,', '1.1.1.1,', '[::ffff:1.1.1.1]:1,', '%', 'a=b; ', 'a=b&', 'a&', '&', '%41', '%FF', '+', '[]=1&', '__proto__=1&', '"', '\\"', ';', '(', ' ,', ']'];
  const names = ['accept', 'accept-language', 'if-none-match', 'if-match', 'x-forwarded-for', 'cookie', 'origin', 'x-request-id', 'authorization', 'content-type', 'user-agent', 'idempotency-key', 'traceparent'];
  const long = (unit: string) => unit.repeat(14_000 / unit.length);
  const requests = units.flatMap((unit): Request[] => [
    ...names.map((name) => ({ what: `${name}: ${unit}`, method: 'GET', path: name === 'if-match' ? '/api/v1/contacts/1' : `/api/v1/forms/${formId}/page`, headers: { [name]: long(unit).trim() } })),
    ...['/contacts', '/contacts/search', '/forms/1/fields', '/emails/tracking/click/x', '/analytics/dashboard'].map((path) => ({ what: `?${unit}`, method: 'GET', path: `/api/v1${path}?${long(unit).replaceAll(/["\\ ]/g, encodeURIComponent)}` })),
    { what: `cursor ${unit}`, method: 'GET', path: `/api/v1/contacts?cursor=${encodeURIComponent(unit.repeat(2_000 / unit.length))}` },
    { what: `path ${unit}`, method: 'GET', path: `/api/v1/contacts/${encodeURIComponent(unit.repeat(4_000 / unit.length))}` },
  ]);
  await check(requests);
});

test('large requests that are as they should be are taken without standing still', async () => {
  const create = (path: string, body: object): Request => ({ what: 'as it should be', method: 'POST', path: `/api/v1${path}`, body: JSON.stringify(body), type: 'application/json', headers: { 'idempotency-key': `large ${path}` } });
  for (let n = 0; n < 20; n += 1) await service.api('POST', '/contacts/custom-fields', { entity: 'contact', name: `c${n}`, type: 'string' });
  const customFields = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`c${n}`, 'x'.repeat(100)]));
  const contacts = Array.from({ length: 1000 }, (_, n) => ({
    firstName: 'Ada', lastName: 'Byron', email: `large${n}@example.com`, phone: '+44 20 7946 0958', company: `Mill ${n % 10}`, tags: ['a', 'b', 'c'], timezone: 'Europe/Berlin', locale: 'de-AT', customFields,
  }));
  const ids = Array.from({ length: 10_000 }, (_, n) => n + 1);
  const fields = Array.from({ length: 100 }, (_, n) => ({ name: n === 0 ? 'email' : `f${n}`, label: 'L', type: n === 0 ? 'email' : 'select', ...(n === 0 ? {} : { options: Array.from({ length: 50 }, (__, o) => ({ value: `v${o}`, label: `l${o}` })) }) }));
  const requests = [
    create('/contacts/batch', { contacts }), create('/contacts/lists', { name: 'Large', contactIds: ids }), create('/forms', { name: 'Large', fields }),
    create('/contacts/segments/preview', { filter: { op: 'or', conditions: Array.from({ length: 1000 }, (_, n) => ({ field: 'email', operator: 'eq', value: `a${n}@example.com` })) } }),
    create('/emails/templates', { name: 'Large', subject: 'S', content: `<p>${'Hello {{firstName}}. '.repeat(20_000)}</p>` }),
  ];
  await check(requests);
  assert.equal(await send({ ...create('/contacts/batch', { contacts }), headers: {} }), 200);
});

test('the longest that it stood still is told', () => {
  process.stderr.write(`longest: ${longest.ms} ms, ${longest.what}; seed ${RANDOM_SEED}\n`);
});
