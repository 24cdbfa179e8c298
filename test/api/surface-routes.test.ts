import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import { openapi } from '../../api/openapi.ts';
import { routes } from '../../api/routes.ts';
import { errorCatalogue } from '../../domain/errors.ts';
import { compileRequest, compileResponse } from '../../domain/schema-check.ts';
import { PERMISSIONS } from '../../domain/auth/permissions.ts';
import { asyncapi } from '../../events/asyncapi.ts';
import { eventTypes } from '../../events/contracts.ts';

interface Operation {
  operationId: string;
  summary: string;
  security: unknown[];
  parameters: { name: string; in: string; required: boolean }[];
  requestBody?: { content: Record<string, { schema: object; example?: unknown }> };
  responses: Record<string, { description: string; content?: Record<string, { schema?: object; example?: unknown }> }>;
}
const document = openapi(routes, 'https://example.com') as unknown as { paths: Record<string, Record<string, Operation>>; components: unknown };
const operationOf = (route: (typeof routes)[number]) =>
  document.paths[route.path.startsWith('//') ? route.path.slice(1) : `/api/v1${route.path}`]?.[route.method.toLowerCase()];

/** What the contract lets anyone call. */
const PUBLIC = [
  /^\/(\w+\/)?health$/, /^\/(openapi|asyncapi)\.json$/, /^\/\/(docs|metrics)(\/|$)/, /^\/auth\/(register|login|refresh|forgot-password|reset-password|verify-email(\/resend)?|invitations\/accept)$/,
  /^\/emails\/(tracking\/(open|click)|unsubscribe|preferences|confirm|view|webhooks)\//, /^\/forms\/\{id\}\/(page|fields|token|script|submit)$/, /^\/scoring\/visit/,
];

test('every route says what it is, who may call it and what it answers', () => {
  for (const route of routes) {
    const name = `${route.method} ${route.path}`;
    assert.match(route.operationId, /^[a-z][A-Za-z]+$/, name);
    assert.ok(route.summary.length >= 5 && !route.summary.endsWith('.'), `${name}: a summary`);
    assert.ok(route.access === 'public' || route.access === 'user' || PERMISSIONS.includes(route.access), `${name}: ${route.access} is a permission`);
    assert.ok(Object.keys(route.responses).length > 0, `${name}: answers`);
    for (const code of route.errors ?? []) assert.ok(code in errorCatalogue, `${name}: ${code}`);
  }
});

test('no two routes share an operationId or a method and path', () => {
  for (const key of [(r: (typeof routes)[number]) => r.operationId, (r: (typeof routes)[number]) => `${r.method} ${r.path.replaceAll(/\{\w+\}/g, '{}')}`]) {
    const keys = routes.map(key);
    assert.deepEqual(keys.filter((one, index) => keys.indexOf(one) !== index), []);
  }
});

test('only what the contract names is public', () => {
  const open = routes.filter((route) => route.access === 'public' && !PUBLIC.some((pattern) => pattern.test(route.path)));
  assert.deepEqual(open.map((route) => `${route.method} ${route.path}`), []);
});

test('reading needs a reading permission, changing one that is not', () => {
  for (const route of routes) {
    if (!route.access.includes(':')) continue;
    const harmless = route.method === 'GET' || /(preview|simulate)$/.test(route.path);
    assert.equal(route.access.endsWith(':read'), harmless, `${route.method} ${route.path} needs ${route.access}`);
    assert.equal(route.access.split(':')[0], route.path.split('/')[1], `${route.method} ${route.path} needs ${route.access}`);
  }
});

test('request bodies take no unknown fields, answers let none out', () => {
  const openBodies = routes.filter((route) => route.body && (route.body as { additionalProperties?: unknown }).additionalProperties !== false).map((route) => route.operationId);
  assert.deepEqual(openBodies, ['submitForm']);
  for (const route of routes) {
    for (const [status, response] of Object.entries(route.responses)) {
      if (!('schema' in response)) continue;
      const loose = loosePlaces(response.schema as unknown as Schema);
      assert.deepEqual(loose, [], `${route.operationId} ${status}`);
    }
  }
});

interface Schema { type?: string | string[]; properties?: Record<string, Schema>; items?: Schema; additionalProperties?: unknown; patternProperties?: unknown; anyOf?: Schema[] }
/** Objects with named fields that would let others through. */
function loosePlaces(schema: Schema, path = ''): string[] {
  const here = schema.properties && schema.additionalProperties !== false ? [path || '/'] : [];
  const inner = [...Object.entries(schema.properties ?? {}), ...(schema.items ? [['items', schema.items] as const] : []), ...(schema.anyOf ?? []).map((one, n) => [`anyOf${n}`, one] as const)];
  return [...here, ...inner.flatMap(([name, one]) => loosePlaces(one, `${path}/${name}`))];
}

test('the document is valid OpenAPI 3.1 and lists every route', async () => {
  const result = await new Validator().validate(structuredClone(JSON.parse(JSON.stringify(document))));
  assert.ok(result.valid, JSON.stringify(result.errors, null, 1));
  for (const route of routes) assert.equal(operationOf(route)?.operationId, route.operationId, `${route.method} ${route.path}`);
  assert.equal(Object.values(document.paths).flatMap((path) => Object.keys(path)).length, routes.length);
});

test('every operation describes its parameters, security and errors', () => {
  for (const route of routes) {
    const operation = operationOf(route)!;
    const inPath = [...route.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
    assert.deepEqual(operation.parameters.filter((parameter) => parameter.in === 'path').map((parameter) => parameter.name), inPath, route.operationId);
    assert.equal(operation.security.length, route.access === 'public' ? 0 : 1, route.operationId);
    const statuses = Object.keys(operation.responses).map(Number);
    assert.ok(statuses.includes(500) || route.operationId.endsWith('Health'), route.operationId);
    if (route.access !== 'public') for (const status of [401, 403]) assert.ok(statuses.includes(status), `${route.operationId} ${status}`);
    if (route.params) assert.ok(statuses.includes(404) && statuses.includes(400), route.operationId);
    if (route.body) for (const status of [400, 413, 415]) assert.ok(statuses.includes(status), `${route.operationId} ${status}`);
    if (route.method === 'PUT') assert.ok(statuses.includes(412), route.operationId);
    for (const code of route.errors ?? []) assert.ok(statuses.includes(errorCatalogue[code][0]), `${route.operationId} ${code}`);
  }
});

test('the examples are what the service takes and answers', () => {
  for (const route of routes) {
    const operation = operationOf(route)!;
    for (const [type, { example }] of Object.entries(operation.requestBody?.content ?? {})) {
      assert.deepEqual(compileRequest(route.body!)(structuredClone(example)), [], `${route.operationId} takes ${JSON.stringify(example)} as ${type}`);
    }
    for (const [status, response] of Object.entries(route.responses)) {
      if (!('schema' in response)) continue;
      const { example } = operation.responses[status]!.content!['application/json']!;
      assert.deepEqual(compileResponse(response.schema)(structuredClone(example)), [], `${route.operationId} answers ${JSON.stringify(example)}`);
    }
  }
});

test('the events\' document has every event type and the send requests', () => {
  const { asyncapi: version, channels, operations } = JSON.parse(JSON.stringify(asyncapi()));
  assert.match(version, /^3\./);
  assert.deepEqual(Object.keys(channels).sort(), [...eventTypes, 'sendRequests'].sort());
  for (const type of eventTypes) {
    assert.equal(channels[type].address, `events.{tenantId}.${type}`);
    const { data } = channels[type].messages.event.payload.properties;
    assert.deepEqual(['tenantId', 'timestamp'].filter((field) => !data.required.includes(field)), [], type);
    assert.equal(operations[`publish${type}`].channel.$ref, `#/channels/${type}`);
  }
  assert.equal(channels.sendRequests.address, 'email.send.requests');
});
