import { ONE_LINE, partsOf } from '../../../lib/checks/schema-check.ts';
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, test } from '@jest/globals';
import { engineEm, rows, sql } from '../../../db/orm.ts';
import { startService, type Answer, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { hasId, pathOf, routesWhere, takesJson } from '../../support/routes.ts';
import { startVariant } from '../../support/variant.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const PROBLEM = ['code', 'detail', 'requestId', 'status', 'title', 'type'];
/** Every error body is a problem of RFC 9457, whatever went wrong; returns `path code` of each violation. */
function problem(answer: Answer, status: number, code: string, what = ''): string[] {
  assert.deepEqual([answer.status, answer.body.code], [status, code], `${what} ${JSON.stringify(answer.body)}`);
  assert.equal(answer.headers.get('content-type'), 'application/problem+json', what);
  assert.deepEqual(
    Object.keys(answer.body)
      .filter((key) => key !== 'errors')
      .sort(),
    PROBLEM,
    what,
  );
  assert.deepEqual([answer.body.status, answer.body.requestId], [status, answer.headers.get('x-request-id')], what);
  for (const error of answer.body.errors ?? [])
    assert.deepEqual(Object.keys(error).sort(), ['code', 'message', 'path'], what);
  return (answer.body.errors ?? [])
    .map((error: { path: string; code: string }) => `${error.path} ${error.code}`)
    .sort();
}

test('a POST that takes no body takes no fields either', async () => {
  const { id } = (
    await service.api('POST', '/campaigns', { name: 'Bodies', steps: [{ type: 'WAIT', config: { waitMinutes: 1 } }] })
  ).body;
  const pause = (body?: unknown) => service.api('POST', `/campaigns/${id}/pause`, body);
  assert.deepEqual(problem(await pause({ junk: 1 }), 400, 'validation_failed'), ['/junk unknown_field']);
  problem(
    await service.api('POST', `/campaigns/${id}/pause`, '{', { headers: { 'content-type': 'application/json' } }),
    400,
    'malformed_json',
  );
  for (const body of [undefined, {}]) problem(await pause(body), 409, 'conflict');
});

test('no body in chunks, as some proxies send it, is no body', async () => {
  const { id } = (
    await service.api('POST', '/campaigns', { name: 'Chunks', steps: [{ type: 'WAIT', config: { waitMinutes: 1 } }] })
  ).body;
  for (const type of [undefined, 'application/json']) {
    const send = async (path: string, ...chunks: string[]) => {
      // `fetch` would say that the length is 0.
      const headers = {
        authorization: `Bearer ${service.admin.token}`,
        'transfer-encoding': 'chunked',
        ...(type ? { 'content-type': type } : {}),
      };
      const sent = request(`${service.url}/api/v1${path}`, { method: 'POST', headers });
      for (const chunk of chunks) sent.write(chunk);
      sent.end();
      const [answer] = (await once(sent, 'response')) as [IncomingMessage];
      return [answer.statusCode, ((await json(answer)) as { code: string }).code];
    };
    assert.deepEqual(await send(`/campaigns/${id}/pause`), [409, 'conflict']);
    assert.deepEqual(
      await send(`/campaigns/${id}/pause`, '{"junk"', ':1}'),
      type ? [400, 'validation_failed'] : [415, 'unsupported_media_type'],
    );
    assert.deepEqual(await send('/auth/login'), [400, type ? 'malformed_json' : 'validation_failed']);
  }
});

test('every violation is answered, with a JSON Pointer to it', async () => {
  const body = {
    name: '',
    eventType: 'NOTHING',
    points: 1.5,
    weight: '1',
    conditions: [
      { field: 'url', operator: 'eq' },
      { operator: 'like', 'a/b~c': 1 },
    ],
    nope: true,
  };
  assert.deepEqual(problem(await service.api('POST', '/scoring/rules', body), 400, 'validation_failed'), [
    '/conditions/1/a~1b~0c unknown_field',
    '/conditions/1/field required',
    '/conditions/1/operator enum',
    '/eventType enum',
    '/name too_short',
    '/nope unknown_field',
    '/points type',
    '/weight type',
  ]);
  assert.deepEqual(
    problem(await service.api('GET', '/scoring/rules?limit=0&sort=colour&page=2&active=yes'), 400, 'validation_failed'),
    ['/active type', '/limit out_of_range', '/page unknown_field', '/sort enum'],
  );
});

test('what is wrong in very many places is a 400 that names the first of them', async () => {
  const create = (body: string, token = service.admin.token) =>
    service.api('POST', '/contacts', body, { token, headers: { 'content-type': 'application/json' } });
  const fields = `{${Array.from({ length: 30_000 }, (_, n) => `"${n}":1`).join()}}`;
  const texts = `[${'"\\u0000",'.repeat(50_000)}1]`;
  const customFields = `{"firstName":"A","lastName":"B","email":"many@example.com","customFields":${fields}}`;
  for (const body of [fields, texts, customFields])
    assert.equal(problem(await create(body), 400, 'validation_failed').length, 10_000);
  const rows = Array.from({ length: 1000 }, (_, row) =>
    Object.fromEntries(Array.from({ length: 40 }, (__, n) => [`r${row}n${n}`, 1])),
  );
  const { status, body } = await service.api('POST', '/contacts/batch', { contacts: rows });
  const told = (body.results as { errors: object[] }[]).map(({ errors }) => errors.length);
  assert.deepEqual([status, told.length, new Set(told)], [200, 1000, new Set([10])]);
});

test('a body with more in it than any needs is refused before it is looked at', async () => {
  const send = (path: string, body: string, token: string | null) =>
    service.api('POST', path, body, { token, headers: { 'content-type': 'application/json' } });
  for (const body of [
    `{"username":[${'{},'.repeat(15_000)}{}]}`,
    `[${'1,'.repeat(15_000)}1]`,
    `{"username":{${'"a":1,'.repeat(9_000)}"b":1}}`,
  ]) {
    assert.deepEqual(problem(await send('/auth/login', body, null), 400, 'validation_failed'), [' too_many']);
  }
  for (const body of [`[${'{},'.repeat(150_000)}{}]`, `{"customFields":{${'"a":1,'.repeat(60_000)}"b":1}}`])
    assert.deepEqual(problem(await send('/contacts', body, service.admin.token), 400, 'validation_failed'), [
      ' too_many',
    ]);
  assert.deepEqual(
    problem(
      await send('/contacts', `${'['.repeat(2_000)}${']'.repeat(2_000)}`, service.admin.token),
      400,
      'validation_failed',
    ),
    [' too_deep'],
  );
  // In a text they are characters like others.
  assert.deepEqual(
    problem(
      await send('/auth/login', JSON.stringify({ username: '[{,:"\\'.repeat(7_000), password: 'x' }), null),
      400,
      'validation_failed',
    ),
    ['/username too_long'],
  );
});

test('without a token a body may have 64 KiB or less, a submission what its form can need', async () => {
  for (const { route, path } of routesWhere(
    (r) => r.access === 'public' && r.body !== undefined && r.operationId !== 'submitForm',
  )) {
    const limit = route.bodyLimit ?? 64 * 1024;
    for (const type of route.bodyTypes ?? ['json']) {
      const headers = {
        'content-type': {
          json: 'application/json',
          text: 'text/plain',
          form: 'application/x-www-form-urlencoded',
          multipart: 'multipart/form-data; boundary=b',
        }[type],
      };
      assert.notEqual(
        (await service.api(route.method, path, 'x'.repeat(limit), { token: null, headers })).status,
        413,
        path,
      );
      assert.equal(
        (await service.api(route.method, path, 'x'.repeat(limit + 1), { token: null, headers })).status,
        413,
        path,
      );
    }
  }
  const field = (n: number) => ({ name: `t${n}`, label: 'T', type: 'textarea' });
  const formWith = async (count: number): Promise<string> => {
    const form = await service.api('POST', '/forms', {
      name: `Sizes ${count}`,
      fields: [{ name: 'email', label: 'E', type: 'email' }, ...Array.from({ length: count }, (_, n) => field(n))],
    });
    return `/forms/${form.body.id}`;
  };
  const submission = (count: number) => ({
    email: 'sizes@example.com',
    ...Object.fromEntries(Array.from({ length: count }, (_, n) => [`t${n}`, '\u{1f600}'.repeat(10_000)])),
  });
  const long = await formWith(5);
  assert.equal((await service.api('POST', `${long}/submit`, submission(5), { token: null })).status, 200);
  const { token } = (await service.api('GET', `${long}/token`)).body;
  assert.equal(
    (
      await service.api(
        'POST',
        `${long}/submit`,
        new URLSearchParams({ ...submission(5), _token: token } as Record<string, string>),
        { token: null },
      )
    ).status,
    200,
    'each character in 12 bytes',
  );
  problem(
    await service.api('POST', `${await formWith(0)}/submit`, submission(10), { token: null }),
    413,
    'payload_too_large',
  );
  const stored = (await service.api('GET', `${long}/submissions`)).body.data[0].submissionData;
  assert.equal([...stored.t4].length, 10_000);
});

test('the description says how large each body may be', async () => {
  const { paths, components } = (await service.api('GET', '/openapi.json')).body;
  const told = (path: string) =>
    components.responses[paths[`/api/v1${path}`].post.responses['413'].$ref.split('/').at(-1)].description;
  assert.match(told('/auth/login'), /up to 64 KiB$/);
  assert.match(
    told('/forms/{id}/submit'),
    /up to 64 KiB, or more if the form fields require it, and one file of up to `FORM_FILE_MAX_BYTES` \(.*\) for each file field$/,
  );
  assert.match(told('/emails/webhooks/{provider}'), /up to 1,024 KiB$/);
  assert.match(told('/contacts'), /up to `BODY_MAX_BYTES`/);
  assert.match(told('/contacts/import'), /file of up to `IMPORT_MAX_BYTES`/);
});

test('every route refuses parameters that it does not know, but those that scanners call', async () => {
  for (const { route, path } of routesWhere((r) => !r.openQuery && r.method === 'GET')) {
    const violations = problem(await service.api('GET', `${path}?surprise=1`), 400, 'validation_failed', path);
    assert.ok(violations.includes('/surprise unknown_field'), `${route.operationId} ${violations.join()}`);
  }
  await until(
    'health is asked with one',
    async () => (await service.api('GET', '/health?utm_source=x')).status === 200,
  );
  assert.equal(
    (await service.api('GET', '/emails/tracking/open/x?utm_source=x', undefined, { token: null })).status,
    200,
  );
});

test('violations say what would be right', async () => {
  const told = async (method: string, path: string, body?: object): Promise<string[]> => {
    const answer = await service.api(method, path, body);
    assert.equal(answer.status, 400, `${path}: ${JSON.stringify(answer.body)}`);
    return answer.body.errors.map(({ path: at, message }: { path: string; message: string }) => `${at} ${message}`);
  };
  assert.deepEqual(await told('GET', '/contacts?page=2&per_page=10'), [
    '/page is not a known parameter; use `cursor`, with `page.nextCursor` of the page before',
    '/per_page is not a known parameter; use `limit`, up to 200 per page',
  ]);
  assert.deepEqual(await told('GET', '/contacts?createdAfter=2026-01-31'), [
    '/createdAfter must be a date-time with its offset (RFC 3339), such as 2030-01-31T09:30:00Z',
  ]);
  const window = { from: '9:00', to: '17:00', timezone: 'Europe/Warsaw' };
  const form = 'must be a time HH:MM from 00:00 to 23:59, such as 09:00';
  assert.deepEqual(await told('PUT', '/emails/settings', { sendWindow: window }), [`/sendWindow/from ${form}`]);
  const campaign = await told('POST', '/campaigns', { name: 'Window', steps: [], entry: { sendWindow: window } });
  assert.equal(campaign.length, 1, campaign.join('; '));
  assert.ok(campaign[0]!.startsWith('/entry/sendWindow/from ') && campaign[0]!.endsWith(form), campaign[0]);
});

test('a period may be given as dates, which begin in its timezone', async () => {
  const period = async (query: string) => (await service.api('GET', `/analytics/dashboard?${query}`)).body.period;
  assert.deepEqual(await period('from=2026-03-01&to=2026-04-01&timezone=Europe/Warsaw'), {
    ...{ from: '2026-02-28T23:00:00.000Z', to: '2026-03-31T22:00:00.000Z' },
    ...{ interval: 'day', timezone: 'Europe/Warsaw' },
  });
  assert.equal((await period('from=2026-03-01&to=2026-03-02')).from, '2026-03-01T00:00:00.000Z');
  const report = await service.api('POST', '/analytics/reports', {
    ...{ name: 'March', type: 'emails', format: 'csv' },
    ...{ from: '2026-03-01', to: '2026-04-01', timezone: 'Europe/Warsaw' },
  });
  assert.deepEqual([report.status, report.body.from], [202, '2026-02-28T23:00:00.000Z'], JSON.stringify(report.body));
});

test('every route refuses fields that it does not know, and those that nobody may set', async () => {
  // The fields of a submission are its form's; scripts of sites may be of another release.
  const open = ['submitForm', 'tellVisit', 'createPushSubscription', 'reportPushEvent'];
  for (const { route, path } of routesWhere((r) => takesJson(r) && !open.includes(r.operationId))) {
    const violations = problem(
      await service.api(route.method, path, { surprise: 1, __surprise: null }),
      400,
      'validation_failed',
      path,
    );
    for (const name of ['/surprise unknown_field', '/__surprise unknown_field'])
      assert.ok(violations.includes(name), `${route.operationId} ${violations.join()}`);
  }
  const readOnly = await service.api('POST', '/scoring/rules', {
    name: 'x',
    eventType: 'EMAIL_OPENED',
    points: 1,
    id: 5,
    tenantId: 'other',
  });
  assert.deepEqual(problem(readOnly, 400, 'validation_failed'), ['/id read_only', '/tenantId read_only']);
});

test('a body that is no JSON is 400, one of another type 415', async () => {
  for (const { route, path } of routesWhere(takesJson)) {
    problem(
      await service.api(route.method, path, '{"a":', { headers: { 'content-type': 'application/json' } }),
      400,
      'malformed_json',
      path,
    );
    problem(
      await service.api(route.method, path, '<a/>', { headers: { 'content-type': 'application/xml' } }),
      415,
      'unsupported_media_type',
      path,
    );
  }
  for (const body of ['{"a":1}{}', "{'a':1}", '{"a":NaN}', '{"a":1,}', 'undefined', '\u0000', '{"a":"\n"}', '']) {
    const answer = await service.api('POST', '/auth/login', new TextEncoder().encode(body), {
      headers: { 'content-type': 'application/json' },
    });
    assert.equal(answer.status, 400, JSON.stringify(body));
  }
  for (const [type, body] of [
    ['application/x-www-form-urlencoded', 'a=1'],
    ['text/plain', '{}'],
    ['application/jsonp', '{}'],
    ['multipart/form-data; boundary=x', '--x--'],
  ] as const) {
    problem(
      await service.api('POST', '/auth/login', body, { headers: { 'content-type': type } }),
      415,
      'unsupported_media_type',
      type,
    );
  }
  problem(
    await service.api('POST', '/auth/login', '{}', {
      headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
    }),
    415,
    'unsupported_media_type',
  );
});

test('a body that is no object is a violation at its root', async () => {
  for (const body of ['null', '7', '"x"', '[]', '[{"username":"a"}]', 'true']) {
    const answer = await service.api('POST', '/auth/login', body, { headers: { 'content-type': 'application/json' } });
    assert.deepEqual(problem(answer, 400, 'validation_failed', body), [' type']);
  }
});

test('undecodable bytes, NUL and lone surrogates are 400, wherever they stand', async () => {
  const bytes = (text: string) => Buffer.from(text, 'latin1');
  for (const body of [
    '{"username":"\xff\xfe","password":"x"}',
    '{"username":"\xc0\xaf","password":"x"}',
    '{"username":"\xed\xa0\x80","password":"x"}',
  ]) {
    problem(
      await service.api('POST', '/auth/login', bytes(body), {
        headers: { 'content-type': 'application/json; charset=utf-8' },
      }),
      400,
      'malformed_body',
      body,
    );
  }
  const rule = { name: 'x', eventType: 'EMAIL_OPENED', points: 1 };
  assert.deepEqual(
    problem(await service.api('POST', '/scoring/rules', { ...rule, name: 'a\u0000b' }), 400, 'validation_failed'),
    ['/name invalid_character'],
  );
  assert.deepEqual(
    problem(await service.api('POST', '/scoring/rules', { ...rule, category: '\ud800' }), 400, 'validation_failed'),
    ['/category invalid_character'],
  );
  const deep = { ...rule, conditions: [{ field: 'url', operator: 'eq', value: { a: ['\u0000'] } }] };
  assert.deepEqual(problem(await service.api('POST', '/scoring/rules', deep), 400, 'validation_failed'), [
    '/conditions/0/field unknown_field',
    '/conditions/0/value/a/0 invalid_character',
  ]);
  assert.deepEqual(problem(await service.api('GET', '/contacts/search?q=a%00b'), 400, 'validation_failed'), [
    '/q invalid_character',
  ]);
  assert.equal(
    (await service.api('POST', '/scoring/rules', { ...rule, category: '👩‍🚀 Ω \u2028 "quoted" \\ back' })).body.category,
    '👩‍🚀 Ω \u2028 "quoted" \\ back',
  );
});

test('names of the prototype are names like others, and pollute nothing', async () => {
  const polluted =
    '{"username":"a","password":"b","__proto__":{"isAdmin":true},"constructor":{"prototype":{"isAdmin":true}},"toString":1}';
  const violations = problem(
    await service.api('POST', '/auth/login', polluted, { headers: { 'content-type': 'application/json' } }),
    400,
    'validation_failed',
  );
  assert.deepEqual(violations, [
    '/__proto__ invalid_character',
    '/__proto__ unknown_field',
    '/constructor unknown_field',
    '/toString unknown_field',
  ]);
  const others = await service.api('POST', '/auth/login', {
    username: 'a',
    password: 'b',
    constructor: 1,
    toString: 1,
    hasOwnProperty: 1,
  });
  assert.deepEqual(problem(others, 400, 'validation_failed'), [
    '/constructor unknown_field',
    '/hasOwnProperty unknown_field',
    '/toString unknown_field',
  ]);
  assert.deepEqual(
    problem(await service.api('GET', '/scoring/rules?__proto__=1&constructor=2'), 400, 'validation_failed'),
    ['/__proto__ invalid_character', '/__proto__ unknown_field', '/constructor unknown_field'],
  );
  assert.equal(({} as { isAdmin?: boolean }).isAdmin, undefined);
  for (const name of ['constructor', 'toString', '__proto__', 'hasOwnProperty']) {
    const body = `{"firstName":"A","lastName":"B","email":"${name.toLowerCase().replaceAll('_', '')}@example.com","customFields":{"${name}":"x"}}`;
    const answer = await service.api('POST', '/contacts', body, { headers: { 'content-type': 'application/json' } });
    assert.equal(answer.status, 400, `${name} ${JSON.stringify(answer.body)}`);
  }
});

test('nesting without end is a violation, not a crash', async () => {
  const nested = (depth: number) => `{"filter":${'{"op":"and","conditions":['.repeat(depth)}${']}'.repeat(depth)}}`;
  for (const depth of [40, 1_000, 100_000]) {
    const answer = await service.api('POST', '/contacts/segments/preview', nested(depth), {
      headers: { 'content-type': 'application/json' },
    });
    assert.equal(answer.status, 400, `${depth} ${JSON.stringify(answer.body).slice(0, 200)}`);
  }
});

test('a JSON body over the limit is 413, with and without a declared length', async () => {
  const body = JSON.stringify({ username: 'x'.repeat(5 * 1024 * 1024), password: 'x' });
  problem(
    await service.api('POST', '/auth/login', body, { headers: { 'content-type': 'application/json' } }),
    413,
    'payload_too_large',
  );
  const stream = new Blob([body]).stream();
  const response = await fetch(`${service.url}/api/v1/auth/login`, {
    method: 'POST',
    body: stream,
    duplex: 'half',
    headers: { 'content-type': 'application/json' },
  });
  assert.equal(response.status, 413);
  assert.equal(((await response.json()) as { code: string }).code, 'payload_too_large');
  const small = await startVariant(service, { BODY_MAX_BYTES: 1024 });
  const answers = await Promise.all(
    [900, 1100].map((length) =>
      small.api('POST', '/auth/login', { username: 'u', password: 'x'.repeat(length) }, { token: null }),
    ),
  );
  await small.stop();
  assert.deepEqual(
    answers.map((answer) => answer.status),
    [401, 413],
  );
});

const NO_IDS = [
  '0',
  '-1',
  '1.5',
  '1e3',
  '9007199254740992',
  '9223372036854775808',
  '99999999999999999999',
  'abc',
  '0x1',
  '01',
  '+1',
  '%00',
  '1%20',
  'NaN',
  'null',
  '%ff',
  "1'--",
];

test("what is no id is 400 in every id's place", async () => {
  for (const { route } of routesWhere((r) => hasId(r) && !r.body)) {
    await Promise.all(
      NO_IDS.map(async (id) => {
        const path = pathOf(route, id)!;
        const answer = await service.api(route.method, path);
        assert.equal(answer.status, 400, `${route.method} ${path} ${JSON.stringify(answer.body)}`);
        assert.equal(answer.body.code, 'validation_failed');
      }),
    );
  }
});

test('an id that nobody has is 404, up to the largest', async () => {
  for (const { route } of routesWhere((r) => hasId(r) && !r.body)) {
    for (const id of [999_999, Number.MAX_SAFE_INTEGER]) {
      const path = pathOf(route, id)!;
      const answer = await service.api(route.method, path);
      problem(answer, 404, 'not_found', `${route.method} ${path}`);
    }
  }
});

const cursorOf = (...content: unknown[]): string => Buffer.from(JSON.stringify(content)).toString('base64url');

/** Lists of something, which must exist. */
async function listsOfThings(): Promise<Record<string, string>> {
  const make = async (path: string, body: object): Promise<number> => {
    const { status, body: made } = await service.api('POST', path, body);
    assert.ok(status === 201 || status === 202, `${path} ${JSON.stringify(made)}`);
    return made.id;
  };
  const contact = await make('/contacts', { firstName: 'A', lastName: 'B', email: 'cursors@example.com' });
  const company = await make('/contacts/companies', { name: 'Cursors' });
  const list = await make('/contacts/lists', { name: 'Cursors' });
  const fields = [{ name: 'email', label: 'Email', type: 'email' }];
  const form = await make('/forms', { name: 'Cursors', fields });
  const campaign = await make('/campaigns', { name: 'Cursors', steps: [{ type: 'EXIT', config: {} }] });
  const templateId = await make('/emails/templates', { name: 'Cursors', subject: 'a', content: 'b' });
  const mailing = await make('/emails/campaigns', { name: 'Cursors', templateId, listId: list });
  const report = await make('/analytics/reports', { name: 'Cursors', type: 'emails', format: 'csv' });
  const webhook = await make('/webhooks', { name: 'Cursors', url: 'https://example.com/', types: ['CONTACT_CREATED'] });
  const file = new FormData();
  file.append('file', new Blob(['email\ncursor@example.com\n'], { type: 'text/csv' }), 'a.csv');
  const imported = (await service.api('POST', '/contacts/import', file)).body.id as number;
  return {
    listContactActivities: `/contacts/${contact}/activities`,
    listContactSegments: `/contacts/${contact}/segments`,
    listCompanyContacts: `/contacts/companies/${company}/contacts`,
    listImportKept: `/contacts/imports/${imported}/kept`,
    listSegmentContacts: `/contacts/segments/${list}/contacts`,
    listListContacts: `/contacts/lists/${list}/contacts`,
    listSegmentOrListContacts: `/segments/${list}/contacts`,
    listEmailCampaignRecipients: `/emails/campaigns/${mailing}/recipients`,
    listCampaignVersions: `/campaigns/${campaign}/versions`,
    listCampaignExecutions: `/campaigns/${campaign}/executions`,
    listFormSubmissions: `/forms/${form}/submissions`,
    getContactScore: `/scoring/contacts/${contact}`,
    getContactScoreAlias: `/scoring/contacts/${contact}/score`,
    getCompanyScore: `/scoring/companies/${company}`,
    listReportRuns: `/analytics/reports/${report}/runs`,
    listWebhookDeliveries: `/webhooks/${webhook}/deliveries`,
    pullWebhookEvents: `/webhooks/${webhook}/events`,
  };
}

test('a cursor with an impossible value is 400 on every list, in every order', async () => {
  const ofThings = await listsOfThings();
  const lists = routesWhere((r) => r.method === 'GET' && Object.hasOwn(partsOf(r.query).properties ?? {}, 'cursor'));
  assert.deepEqual(
    lists.flatMap(({ route }) => (hasId(route) ? route.operationId : [])).sort(),
    Object.keys(ofThings).sort(),
  );
  const TEXTS = ['name', 'email', 'lastName', 'username'];
  for (const { route, path } of lists) {
    const sorts = (partsOf(route.query).properties!['sort'] as { enum?: string[] } | undefined)?.enum;
    // test/unit/common/paging.test.ts has what else a cursor can be.
    const bad = (sorts ?? ['-id', '-at']).flatMap((sort) => [
      ...(TEXTS.includes(sort.replace('-', ''))
        ? [[sort, cursorOf(sort, '\0', 1)]]
        : ['2026-02-31T00:00:00.000Z', '300000-01-01T00:00:00.000Z'].map((at) => [sort, cursorOf(sort, at, 1)])),
      [sort, cursorOf(sort, Number.NaN, 1)],
    ]);
    for (const [sort, cursor] of bad) {
      const query = new URLSearchParams({
        ...(sorts ? { sort: sort! } : {}),
        ...(route.operationId === 'searchContacts' ? { q: 'abc' } : {}),
        cursor: cursor!,
      });
      const answer = await service.api('GET', `${ofThings[route.operationId] ?? path}?${query.toString()}`);
      const what = `${path} ${Buffer.from(cursor!, 'base64url').toString()}`;
      assert.deepEqual(problem(answer, 400, 'validation_failed', what), ['/cursor invalid'], what);
    }
  }
});

/** What is the same for everyone, and may be cached. */
const CACHED = /^get\w*(Script|Worker|Asset)$|^getDocs\w+$|^getFavicon$/;

test('no answer may be stored by a cache, but scripts and the pages about the API', async () => {
  const cached = new Set<string>();
  for (const { route, path } of routesWhere(() => true)) {
    // Without a caller, nothing is changed.
    const options = route.method === 'GET' ? {} : { token: null };
    const answer = await service.api(route.method, path, undefined, options);
    const control = answer.headers.get('cache-control');
    assert.ok(control, path);
    if (!control.includes('no-store')) cached.add(route.operationId);
  }
  for (const operation of cached) assert.match(operation, CACHED);
  const { id } = (await service.api('POST', '/scoring/rules', { name: 'cached', eventType: 'EMAIL_OPENED', points: 1 }))
    .body;
  for (const path of [
    '/auth/profile',
    '/contacts',
    `/scoring/rules/${id}`,
    '/contacts/export',
    '/nothing',
    '/openapi.json',
  ]) {
    const answer = await service.api('GET', path);
    assert.match(answer.headers.get('cache-control')!, /no-store/, path);
    const etag = answer.headers.get('etag');
    if (!etag) continue;
    const fresh = await service.api('GET', path, undefined, { headers: { 'if-none-match': etag } });
    assert.deepEqual(
      [fresh.status, fresh.headers.get('cache-control')],
      [304, answer.headers.get('cache-control')],
      path,
    );
  }
});

test('the name of anything is one line without control characters', async () => {
  const named = routesWhere(
    (r) =>
      ['POST', 'PUT'].includes(r.method) &&
      (partsOf(r.body).properties?.['name'] as { pattern?: string })?.pattern === ONE_LINE,
  );
  const kinds = new Set<string>(named.flatMap(({ route }) => (route.method === 'POST' ? route.path : [])));
  for (const path of [
    '/forms',
    '/emails/templates',
    '/emails/campaigns',
    '/emails/topics',
    '/campaigns',
    '/contacts/segments',
    '/contacts/lists',
    '/scoring/rules',
    '/scoring/thresholds',
    '/channels/templates',
    '/channels/providers',
    '/channels/push/sites',
    '/webhooks',
    '/analytics/reports',
    '/auth/roles',
    '/auth/api-keys',
  ])
    // prettier-ignore
    assert.ok(kinds.has(path), path);
  for (const { route, path } of named.filter(({ route }) => route.method === 'POST'))
    for (const name of ['a\tb', 'a\n', 'a\r\nb', '\u0001', 'a\u007f', '\u0085b', 'a\u2028b']) {
      const answer = await service.api('POST', path, { name });
      assert.ok(
        problem(answer, 400, 'validation_failed', path).includes('/name invalid_character'),
        `${route.path} ${JSON.stringify(name)}`,
      );
    }
});

test('a stored name of an earlier release can be put back as it is, and not be made worse', async () => {
  const fields = [{ name: 'email', label: 'Email', type: 'email' }];
  for (const [table, path, body] of [
    ['forms', '/forms', { fields }],
    ['segments', '/contacts/lists', {}],
    ['email_topics', '/emails/topics', {}],
    ['campaigns', '/campaigns', { steps: [{ type: 'EXIT', config: {} }] }],
    ['roles', '/auth/roles', { permissions: [] }],
  ] as const) {
    const { id } = (await service.api('POST', path, { name: `Old ${table}`, ...body })).body;
    await engineEm(service.deps.orm).transactional((tx) =>
      rows(tx, sql`update ${sql.table(table)} set name = ${`Old\t${table}`} where id = ${id}`),
    );
    const shown = (await service.api('GET', `${path}/${id}`)).body;
    assert.equal(shown.name, `Old\t${table}`);
    const same = await service.api('PUT', `${path}/${id}`, shown);
    assert.deepEqual([same.status, same.body], [200, shown], path);
    const wrong = await service.api('PUT', `${path}/${id}`, { name: `Older\t${table}` });
    assert.deepEqual(problem(wrong, 400, 'validation_failed', path), ['/name invalid_character']);
    const more = await service.api('PUT', `${path}/${id}`, { name: `Older\t${table}`, version: 99, nothing: 1 });
    assert.deepEqual(problem(more, 400, 'validation_failed', path), [
      '/name invalid_character',
      '/nothing unknown_field',
      '/version read_only',
    ]);
    assert.equal((await service.api('PUT', `${path}/${id}`, { name: `New ${table}` })).body.name, `New ${table}`);
  }
});

test('a cursor that is none of ours is 400 on every list', async () => {
  const lists = routesWhere(
    (r) => r.method === 'GET' && Object.hasOwn(partsOf(r.query).properties ?? {}, 'cursor') && !hasId(r),
  );
  assert.ok(lists.length >= 8);
  for (const { path, route } of lists) {
    const query = route.operationId === 'searchContacts' ? 'q=abc&' : '';
    for (const cursor of [
      'x',
      'bnVsbA',
      Buffer.from('["-id",1]').toString('base64url'),
      Buffer.from('["-id",{"a":1},1]').toString('base64url'),
      Buffer.from('["-id","x",1]').toString('base64url'),
      Buffer.from('["-id",1.5,1]').toString('base64url'),
      Buffer.from('["-id",1e300,1]').toString('base64url'),
    ]) {
      const answer = await service.api('GET', `${path}?${query}cursor=${cursor}`);
      assert.deepEqual(
        [answer.status, answer.body.code],
        [400, 'validation_failed'],
        `${path} ${cursor} ${JSON.stringify(answer.body)}`,
      );
    }
  }
});
