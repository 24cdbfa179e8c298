import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from '@jest/globals';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import { openapi } from '../../../api/openapi/openapi.ts';
import { routes } from '../../../api/routes.ts';
import { errorCatalogue } from '../../../lib/checks/errors.ts';
import { compileRequest, compileResponse } from '../../../lib/checks/schema-check.ts';
import { PERMISSIONS } from '../../../domain/auth/access/permissions.ts';
import { asyncapi } from '../../../transport/asyncapi.ts';
import { eventContracts, eventTypes } from '../../../events/contracts.ts';

interface Operation {
  operationId: string;
  summary: string;
  security: unknown[];
  parameters: ({ name: string; in: string; required: boolean } | { $ref: string })[];
  requestBody?: { content: Content };
  responses: Record<string, Answer | { $ref: string }>;
}
type Content = Record<string, { schema: object; example?: unknown; examples?: Record<string, { value: unknown }> }>;
interface Answer {
  description: string;
  headers?: Record<string, { $ref: string }>;
  content?: Content;
}
const natsEnv = {
  NATS_URL: 'nats://perennial:secret@127.0.0.1:4222',
  EVENTS_MAX_AGE: '36h',
  FORM_FILES_MAX_BYTES: 1024 ** 2,
  ENABLE_MULTI_TENANT: false,
};
const document = JSON.parse(JSON.stringify(openapi(routes, 'https://example.com'))) as {
  paths: Record<string, Record<string, Operation>>;
  components: {
    responses: Record<string, Answer>;
    headers: Record<string, object>;
    parameters: Record<string, { name: string; in: string; required: boolean }>;
    schemas: Record<string, object>;
  };
};
const nameIn = ({ $ref }: { $ref: string }): string => $ref.split('/').at(-1)!;
const answerOf = (answer: Answer | { $ref: string }): Answer =>
  '$ref' in answer ? document.components.responses[nameIn(answer)]! : answer;
const operationOf = (route: (typeof routes)[number]) =>
  document.paths[route.path.startsWith('//') ? route.path.slice(1) : `/api/v1${route.path}`]?.[
    route.method.toLowerCase()
  ];

/** What the contract lets anyone call. */
const PUBLIC = [
  /^\/(\w+\/)?health$/,
  /^\/(openapi|asyncapi)\.json$/,
  /^\/\/(docs|metrics)(\/|$)/,
  /^\/\/(reset-password|verify-email|accept-invitation)$/,
  /^\/auth\/(register|login|refresh|forgot-password|reset-password|verify-email(\/resend)?|invitations\/accept)$/,
  /^\/emails\/(tracking\/(open|click)|unsubscribe|preferences|confirm(-sender)?|view|webhooks)\//,
  /^\/forms\/(\{id\}\/(page|fields|token|captcha|script|submit|abandon)|assets\/\{name\})$/,
  /^\/scoring\/visit/,
  /^\/channels\/webhooks\/\{id\}$/,
  /^\/channels\/push\/(subscriptions(\/\{id\})?|events|sites\/\{siteKey\}\/(script|worker)\.js)$/,
  /^\/\/r\/\{code\}$/,
  /^\/\/(favicon\.svg)?$/,
];

test('every route says what it is, who may call it and what it answers', () => {
  for (const route of routes) {
    const name = `${route.method} ${route.path}`;
    assert.match(route.operationId, /^[a-z][A-Za-z]+$/, name);
    assert.ok(route.summary.length >= 5 && !route.summary.endsWith('.'), `${name}: a summary`);
    const { description = '' } = route;
    assert.ok(description.length >= 20 && description.endsWith('.'), `${name}: a description in sentences`);
    assert.ok(
      route.access === 'public' || route.access === 'user' || PERMISSIONS.includes(route.access),
      `${name}: ${route.access} is a permission`,
    );
    assert.ok(Object.keys(route.responses).length > 0, `${name}: answers`);
    for (const code of route.errors ?? []) assert.ok(code in errorCatalogue, `${name}: ${code}`);
  }
});

test('no two routes share an operationId or a method and path', () => {
  for (const key of [
    (r: (typeof routes)[number]) => r.operationId,
    (r: (typeof routes)[number]) => `${r.method} ${r.path.replaceAll(/\{\w+\}/g, '{}')}`,
  ]) {
    const keys = routes.map(key);
    assert.deepEqual(
      keys.filter((one, index) => keys.indexOf(one) !== index),
      [],
    );
  }
});

test('only what the contract names is public', () => {
  const open = routes.filter(
    (route) => route.access === 'public' && !PUBLIC.some((pattern) => pattern.test(route.path)),
  );
  assert.deepEqual(
    open.map((route) => `${route.method} ${route.path}`),
    [],
  );
});

/** An area is one resource; accounts are several, and settings and erasing people are not for everyone who may change the rest. */
function resourceOf(path: string): string | undefined {
  const [, area, part = ''] = path.split('/');
  if (/\/(erase|erasures)(\/|$)/.test(path)) return 'erasure';
  if (path.endsWith('/settings')) return 'settings';
  return area === 'auth'
    ? (({ invitations: 'users', permissions: 'roles' } as Record<string, string>)[part] ?? part)
    : area === 'segments'
      ? 'contacts'
      : area;
}

test('reading needs a reading permission, changing one that is not', () => {
  for (const route of routes) {
    if (!route.access.includes(':')) continue;
    // Who has a secret can do what it protects.
    const isSecret = /(-secret|^\/webhooks\/default)$/.test(route.path);
    const harmless = (route.method === 'GET' && !isSecret) || /(preview|simulate|check)$/.test(route.path);
    assert.equal(route.access.endsWith(':read'), harmless, `${route.method} ${route.path} needs ${route.access}`);
    assert.equal(
      route.access.split(':')[0],
      resourceOf(route.path),
      `${route.method} ${route.path} needs ${route.access}`,
    );
  }
});

test('request bodies take no unknown fields, answers let none out', () => {
  const openBodies = routes
    .filter((route) => route.body && (route.body as { additionalProperties?: unknown }).additionalProperties !== false)
    .map((route) => route.operationId);
  assert.deepEqual(openBodies, [
    ...['submitPreferences', 'submitForm', 'tellVisit', 'createPushSubscription', 'reportPushEvent'],
  ]);
  for (const route of routes) {
    for (const [status, response] of Object.entries(route.responses)) {
      if (!('schema' in response)) continue;
      const loose = loosePlaces(response.schema);
      assert.deepEqual(loose, [], `${route.operationId} ${status}`);
    }
  }
});

interface Schema {
  type?: string | string[];
  properties?: Record<string, Schema>;
  items?: Schema;
  additionalProperties?: unknown;
  patternProperties?: unknown;
  anyOf?: Schema[];
}
/** Objects with named fields that would let others through. */
function loosePlaces(schema: Schema, path = ''): string[] {
  const here = schema.properties && schema.additionalProperties !== false ? [path || '/'] : [];
  const inner = [
    ...Object.entries(schema.properties ?? {}),
    ...(schema.items ? [['items', schema.items] as const] : []),
    ...(schema.anyOf ?? []).map((one, n) => [`anyOf${n}`, one] as const),
  ];
  return [...here, ...inner.flatMap(([name, one]) => loosePlaces(one, `${path}/${name}`))];
}

test('the document is valid OpenAPI 3.1 and lists every route', async () => {
  const result = await new Validator().validate(structuredClone(JSON.parse(JSON.stringify(document))));
  assert.ok(result.valid, JSON.stringify(result.errors, null, 1));
  for (const route of routes)
    assert.equal(operationOf(route)?.operationId, route.operationId, `${route.method} ${route.path}`);
  assert.equal(Object.values(document.paths).flatMap((path) => Object.keys(path)).length, routes.length);
});

test('every operation describes its parameters, security and errors', () => {
  for (const route of routes) {
    const operation = operationOf(route)!;
    const inPath = [...route.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
    const given = operation.parameters.map((parameter) =>
      '$ref' in parameter ? document.components.parameters[nameIn(parameter)]! : parameter,
    );
    assert.deepEqual(
      given.filter((parameter) => parameter.in === 'path').map((parameter) => parameter.name),
      inPath,
      route.operationId,
    );
    assert.equal(
      operation.security.length,
      route.access === 'public' ? (route.accessWithToken ? 3 : 0) : route.access === 'user' ? 1 : 2,
      route.operationId,
    );
    const statuses = Object.keys(operation.responses).map(Number);
    assert.ok(statuses.includes(500) || route.operationId.endsWith('Health'), route.operationId);
    if (route.access !== 'public')
      for (const status of [401, 403]) assert.ok(statuses.includes(status), `${route.operationId} ${status}`);
    if (route.params) assert.ok(statuses.includes(404) && statuses.includes(400), route.operationId);
    if (route.body)
      for (const status of [400, 413, 415]) assert.ok(statuses.includes(status), `${route.operationId} ${status}`);
    if (route.method === 'PUT') assert.ok(statuses.includes(412), route.operationId);
    for (const code of route.errors ?? [])
      assert.ok(statuses.includes(errorCatalogue[code][0]), `${route.operationId} ${code}`);
    for (const status of [429, 503]) assert.ok(statuses.includes(status), `${route.operationId} ${status}`);
  }
});

const formats = ajvFormats as unknown as (ajv: Ajv2020) => void;
const documentAjv = new Ajv2020({ strict: false, allErrors: true });
formats(documentAjv);
documentAjv.addSchema({ $id: 'document', components: document.components });
const compiled = new Map<string, ValidateFunction>();

/** What is wrong with a value by a schema of the document. */
function misfits(schema: object, value: unknown): unknown[] {
  const text = JSON.stringify(schema).replaceAll('"#/', '"document#/');
  const check = compiled.get(text) ?? documentAjv.compile(JSON.parse(text) as object);
  compiled.set(text, check);
  return check(value) ? [] : check.errors!;
}

test('the description lists every error code, its status and its meaning', () => {
  const lines = openapi(routes, 'http://localhost').info.description.split('\n');
  for (const [code, [status, title]] of Object.entries(errorCatalogue))
    assert.ok(lines.includes(`| \`${code}\` | ${status} | ${title} |`), code);
});

test('the examples are what the service takes and answers, and what the document says', () => {
  for (const route of routes) {
    const { operationId, requestBody, responses } = operationOf(route)!;
    for (const [type, { schema, example }] of Object.entries(requestBody?.content ?? {})) {
      assert.ok(example !== undefined, `${operationId} shows a request`);
      assert.deepEqual(misfits(schema, example), [], `${operationId} describes ${JSON.stringify(example)} as ${type}`);
      assert.deepEqual(
        compileRequest(route.body!)(structuredClone(example)),
        [],
        `${operationId} takes ${JSON.stringify(example)} as ${type}`,
      );
    }
    for (const [status, answer] of Object.entries(responses)) {
      for (const [type, { schema, example, examples = {} }] of Object.entries(answerOf(answer).content ?? {})) {
        const shown = [
          ...(example === undefined ? [] : [example]),
          ...Object.values(examples).map(({ value }) => value),
        ];
        assert.ok(
          shown.length > 0 || !/[/+]json$/.test(type) || /api\.json$/.test(route.path),
          `${operationId} ${status} shows an answer`,
        );
        for (const one of shown)
          assert.deepEqual(misfits(schema, one), [], `${operationId} ${status} describes ${JSON.stringify(one)}`);
        const own = route.responses[Number(status)];
        if (type === 'application/json' && own && 'schema' in own)
          assert.deepEqual(
            compileResponse(own.schema)(structuredClone(example)),
            [],
            `${operationId} answers ${JSON.stringify(example)}`,
          );
      }
    }
  }
});

test('answers name their headers', () => {
  for (const route of routes) {
    const { operationId, responses } = operationOf(route)!;
    for (const [status, answer] of Object.entries(responses)) {
      const names = Object.values(answerOf(answer).headers ?? {}).map(nameIn);
      for (const name of names) assert.ok(name in document.components.headers, `${operationId} ${status}: ${name}`);
      assert.ok(names.includes('X-Request-Id'), `${operationId} ${status}`);
      assert.equal(
        names.includes('Retry-After'),
        status === '429' || (status === '503' && !operationId.endsWith('Health')),
        `${operationId} ${status}`,
      );
      if (status === '201') assert.ok(names.includes('Location'), operationId);
    }
    const limited = Object.values(answerOf(responses['429']!).headers ?? {})
      .map(nameIn)
      .includes('RateLimit-Reset');
    assert.equal(limited, route.access !== 'public' || route.path.startsWith('/auth/'), operationId);
  }
});

test('bodies and answers have names, so that clients have named types', () => {
  for (const route of routes) {
    const { operationId, requestBody, responses } = operationOf(route)!;
    for (const { schema } of Object.values(requestBody?.content ?? {}))
      assert.ok('$ref' in schema, `${operationId}: its body`);
    for (const [status, response] of Object.entries(route.responses)) {
      if (Number(status) < 300 && 'schema' in response)
        assert.ok(
          '$ref' in answerOf(responses[status]!).content!['application/json']!.schema,
          `${operationId} ${status}`,
        );
    }
  }
  for (const name of [
    'Contact',
    'ContactList',
    'Segment',
    'Campaign',
    'Form',
    'Template',
    'User',
    'Filter',
    'Problem',
    'ErrorCode',
  ])
    assert.ok(name in document.components.schemas, name);
});

test('what a POST shows as its body, it takes: no field that the service sets', () => {
  for (const route of routes.filter(({ method, body }) => method === 'POST' && body)) {
    const [{ schema }] = Object.values(operationOf(route)!.requestBody!.content) as [{ schema: { $ref: string } }];
    const { properties = {} } = document.components.schemas[nameIn(schema)] as { properties?: object };
    for (const name of (route.body as { 'x-read-only'?: string[] })['x-read-only'] ?? [])
      assert.ok(!(name in properties), `${route.operationId} ${name}`);
  }
});

test("the events' document has every event type and the send requests", () => {
  const { asyncapi: version, channels, operations } = JSON.parse(JSON.stringify(asyncapi(natsEnv)));
  assert.match(version, /^3\./);
  assert.deepEqual(Object.keys(channels).sort(), [...eventTypes, 'sendRequests', 'deadLetters'].sort());
  for (const type of eventTypes) {
    assert.equal(channels[type].address, `events.{tenantId}.${type}`);
    const { data } = channels[type].messages.event.payload.properties;
    assert.deepEqual(
      ['tenantId', 'timestamp'].filter((field) => !data.required.includes(field)),
      [],
      type,
    );
    assert.equal(operations[`publish${type}`].channel.$ref, `#/channels/${type}`);
  }
  assert.equal(channels.sendRequests.address, 'email.send.requests');
  assert.deepEqual(
    [channels.deadLetters.address, channels.deadLetters['x-stream']],
    ['dead.{consumer}', 'DEAD_LETTERS'],
  );
});

test("the events' document says where the events are, who may read them, and what is kept how long", () => {
  const { servers, components, channels, ...rest } = JSON.parse(JSON.stringify(asyncapi(natsEnv)));
  assert.deepEqual([servers.nats.host, servers.nats.protocol], ['127.0.0.1:4222', 'nats']);
  assert.deepEqual(servers.nats.security, [{ $ref: '#/components/securitySchemes/listener' }]);
  assert.equal(components.securitySchemes.listener.type, 'userPassword');
  assert.deepEqual(
    rest['x-streams'].map(({ name, maxAgeSeconds }: { name: string; maxAgeSeconds: number | null }) => [
      name,
      maxAgeSeconds,
    ]),
    [
      ['EVENTS', 36 * 3600],
      ['EMAIL_SEND_REQUESTS', null],
      ['DEAD_LETTERS', 30 * 86_400],
    ],
  );
  for (const channel of Object.values<{ servers: unknown }>(channels))
    assert.deepEqual(channel.servers, [{ $ref: '#/servers/nats' }]);
  // Neither the login nor the name of a server elsewhere is told to everybody.
  const elsewhere = JSON.stringify(asyncapi({ ...natsEnv, NATS_URL: 'nats://user:secret@nats.internal:4222' }));
  assert.ok(!/secret@|nats\.internal/.test(elsewhere + JSON.stringify(asyncapi(natsEnv))));
});

test('examples of events are what their contracts say', () => {
  for (const type of eventTypes) {
    const {
      examples: [{ payload }],
    } = JSON.parse(JSON.stringify(asyncapi(natsEnv).channels[type])).messages.event;
    assert.deepEqual(compileRequest(eventContracts[type])(payload.data), [], type);
  }
});

test("the events' document fits the published schema of AsyncAPI 3", () => {
  const published = createRequire(import.meta.url)('@asyncapi/specs/schemas/3.0.0-without-$id.json') as object;
  const check = new Ajv({ strict: false, validateFormats: false }).compile(published);
  assert.ok(check(JSON.parse(JSON.stringify(asyncapi(natsEnv)))), JSON.stringify(check.errors, null, 1));
});
