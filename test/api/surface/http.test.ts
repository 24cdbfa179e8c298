import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { routes } from '../../../api/routes.ts';
import { startService, type Service } from '../../support/service.ts';
import { pathOf, routesWhere } from '../../support/routes.ts';
import { startVariant, type Variant } from '../../support/variant.ts';

let service: Service;
let shared: Variant;
beforeAll(async () => {
  service = await startService();
  shared = await startVariant(service, { CORS_ALLOWED_ORIGINS: 'https://app.example.com, https://admin.example.com' });
});
afterAll(async () => {
  await shared.stop();
  await service.stop();
});

const rule = (name: string) => ({ name, eventType: 'EMAIL_OPENED', points: 1 });
const methods = (header: string | null) => new Set((header ?? '').split(/, */));

test('what needs a token answers 401 with a challenge, before anything else is looked at', async () => {
  for (const { route, path } of routesWhere((r) => r.access !== 'public')) {
    const answer = await service.api(route.method, `${path}?surprise=1`, route.body ? '{' : undefined, { token: null });
    assert.deepEqual([answer.status, answer.body.code], [401, 'unauthorized'], `${route.method} ${path}`);
    assert.match(answer.headers.get('www-authenticate') ?? '', /^Bearer realm="perennial"$/);
  }
});

test('an unknown path is 404, whatever the method and without a token', async () => {
  for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'PROPFIND']) {
    for (const path of ['/nothing', '/scoring/rules/1/nothing', '/../secret', '/%2e%2e/x']) {
      const answer = await service.api(method, path, undefined, { token: null });
      assert.deepEqual([answer.status, answer.body.code], [404, 'not_found'], `${method} ${path}`);
    }
  }
  const outside = await fetch(`${service.url}/nothing`);
  assert.deepEqual([outside.status, ((await outside.json()) as { code: string }).code], [404, 'not_found']);
});

test('another method is 405 and names those that there are', async () => {
  for (const path of new Set(routes.flatMap((route) => pathOf(route) ?? []))) {
    for (const method of ['PATCH', 'PROPFIND']) {
      const answer = await service.api(method, path);
      assert.deepEqual([answer.status, answer.body.code], [405, 'method_not_allowed'], `${method} ${path}`);
      assert.ok(methods(answer.headers.get('allow')).has('OPTIONS'));
    }
  }
  const allow = async (method: string, path: string) => methods((await service.api(method, path)).headers.get('allow'));
  assert.deepEqual(await allow('DELETE', '/scoring/rules'), new Set(['HEAD', 'GET', 'POST', 'OPTIONS']));
  assert.deepEqual(await allow('POST', '/scoring/rules/1'), new Set(['HEAD', 'GET', 'PUT', 'DELETE', 'OPTIONS']));
});

test('a fixed path is no id, whatever the method', async () => {
  const allowed: [string, string, string[]][] = [
    ['GET', '/contacts/import', ['POST']],
    ['DELETE', '/contacts/search', ['HEAD', 'GET']],
    ['PUT', '/contacts/companies', ['HEAD', 'GET', 'POST']],
    ['GET', '/contacts/segments/preview', ['POST']],
    ['GET', '/emails/send', ['POST']],
  ];
  for (const [method, path, others] of allowed) {
    const answer = await service.api(method, path);
    assert.deepEqual(
      [answer.status, answer.body.code, methods(answer.headers.get('allow'))],
      [405, 'method_not_allowed', new Set([...others, 'OPTIONS'])],
      `${method} ${path}`,
    );
  }
});

test('OPTIONS names the methods of a path', async () => {
  const answer = await service.api('OPTIONS', '/scoring/rules/1', undefined, { token: null });
  assert.deepEqual(
    [answer.status, answer.body, methods(answer.headers.get('allow'))],
    [204, '', new Set(['HEAD', 'GET', 'PUT', 'DELETE', 'OPTIONS'])],
  );
});

test('HEAD answers as GET does, without the body', async () => {
  const { id } = (await service.api('POST', '/scoring/rules', rule('head'))).body;
  for (const path of [
    '/scoring/rules',
    `/scoring/rules/${id}`,
    '/emails/tracking/open/x',
    '/openapi.json',
    '/scoring/rules/999999',
    '/scoring/rules/x',
  ]) {
    const [get, head] = [await service.api('GET', path), await service.api('HEAD', path)];
    assert.equal(head.status, get.status, path);
    assert.equal(head.body, '');
    for (const name of ['content-type', 'etag', 'content-length'])
      assert.equal(head.headers.get(name), get.headers.get(name), `${path} ${name}`);
  }
});

test('the ETag of a resource is its version, and serves If-None-Match and If-Match', async () => {
  const created = await service.api('POST', '/scoring/rules', rule('etag'));
  const path = `/scoring/rules/${created.body.id}`;
  const get = (header: string) => service.api('GET', path, undefined, { headers: { 'if-none-match': header } });
  const read = await service.api('GET', path);
  assert.deepEqual([read.headers.get('etag'), read.headers.get('cache-control')], ['"1"', 'no-store']);
  for (const header of ['"1"', 'W/"1"', '"7", "1"', '*']) {
    const fresh = await get(header);
    assert.deepEqual(
      [fresh.status, fresh.body, fresh.headers.get('etag'), fresh.headers.get('content-type')],
      [304, '', '"1"', null],
      header,
    );
  }
  for (const header of ['"2"', 'nonsense', '""']) assert.equal((await get(header)).status, 200, header);

  const put = (header: string) =>
    service.api('PUT', path, { name: `renamed for ${header}` }, { headers: { 'if-match': header } });
  for (const header of ['"2"', 'nonsense', '"01"', '"1x"']) {
    const stale = await put(header);
    assert.deepEqual([stale.status, stale.body.code], [412, 'precondition_failed'], header);
  }
  assert.equal((await put('"3", "4"')).status, 412);
  assert.deepEqual(
    [
      (await put('"7", "1"')).headers.get('etag'),
      (await put('W/"2"')).headers.get('etag'),
      (await put('*')).headers.get('etag'),
    ],
    ['"2"', '"3"', '"4"'],
  );
  assert.equal((await service.api('DELETE', path, undefined, { headers: { 'if-match': '"1"' } })).status, 412);
  assert.equal((await service.api('DELETE', path, undefined, { headers: { 'if-match': '"4"' } })).status, 204);
});

test('what shows the news of others is never called unchanged', async () => {
  const company = (await service.api('POST', '/contacts/companies', { name: 'Before' })).body;
  const contact = (
    await service.api('POST', '/contacts', {
      firstName: 'Ada',
      lastName: 'Byron',
      email: 'etag@example.com',
      companyId: company.id,
    })
  ).body;
  const list = (await service.api('POST', '/contacts/lists', { name: 'Etag' })).body;
  const again = (path: string, version: number) =>
    service.api('GET', path, undefined, { headers: { 'if-none-match': `"${version}"` } });
  assert.equal(
    (await again(`/contacts/${contact.id}`, contact.version)).status,
    304,
    'there is no news of the company yet',
  );
  await service.api('PUT', `/contacts/companies/${company.id}`, { name: 'After' });
  await service.api('POST', `/contacts/lists/${list.id}/contacts`, { contactIds: [contact.id] });
  assert.equal((await again(`/contacts/${contact.id}`, contact.version)).body.company.name, 'After');
  assert.equal((await again(`/contacts/lists/${list.id}`, list.version)).body.count, 1);
});

test('of two changes that began from one version, one is 412', async () => {
  const { id } = (await service.api('POST', '/scoring/rules', rule('race'))).body;
  const change = (name: string) =>
    service.api('PUT', `/scoring/rules/${id}`, { name }, { headers: { 'if-match': '"1"' } });
  const statuses = (await Promise.all(['a', 'b', 'c', 'd'].map(change))).map((answer) => answer.status);
  assert.deepEqual(statuses.sort(), [200, 412, 412, 412]);
});

test('a list has an ETag for If-None-Match', async () => {
  const list = () => service.api('GET', '/scoring/rules');
  const etag = (await list()).headers.get('etag')!;
  assert.match(etag, /^W\/"/);
  assert.equal(
    (await service.api('GET', '/scoring/rules', undefined, { headers: { 'if-none-match': etag } })).status,
    304,
  );
  await service.api('POST', '/scoring/rules', rule('another'));
  assert.notEqual((await list()).headers.get('etag'), etag);
});

test('a sane request id is kept, another one is made', async () => {
  const idOf = async (given?: string) =>
    (
      await service.api('GET', '/scoring/rules', undefined, given ? { headers: { 'x-request-id': given } } : {})
    ).headers.get('x-request-id');
  for (const given of ['abc-123', 'Root=1-67891233-abcdef', 'a'.repeat(128)]) assert.equal(await idOf(given), given);
  for (const given of ['a'.repeat(129), 'a b', '<script>', '"', 'a,b'])
    assert.match((await idOf(given))!, /^[0-9a-f-]{36}$/, given);
  assert.notEqual(await idOf(), await idOf());
});

test('every answer carries the security headers', async () => {
  for (const path of ['/api/v1/health', '/api/v1/scoring/rules', '/api/v1/nothing', '/docs']) {
    const { headers } = await fetch(service.url + path);
    assert.equal(headers.get('x-content-type-options'), 'nosniff', path);
    assert.equal(headers.get('x-powered-by'), null);
    assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'.*frame-ancestors 'none'/);
    assert.match(headers.get('strict-transport-security') ?? '', /max-age=\d+/);
    assert.equal(headers.get('referrer-policy'), 'no-referrer');
    assert.equal(headers.get('x-frame-options'), 'SAMEORIGIN');
  }
});

const preflight = (url: string, origin: string, path = '/scoring/rules') =>
  fetch(`${url}/api/v1${path}`, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type',
    },
  });

test('browsers may call from the origins that are set, and from no other', async () => {
  for (const origin of ['https://app.example.com', 'https://admin.example.com']) {
    const { status, headers } = await preflight(shared.url, origin);
    assert.deepEqual(
      [status, headers.get('access-control-allow-origin'), headers.get('access-control-allow-headers')],
      [204, origin, 'authorization,content-type'],
    );
    assert.ok(methods(headers.get('access-control-allow-methods')?.replaceAll(',', ', ') ?? null).has('PUT'));
    assert.equal(headers.get('access-control-max-age'), '600');
    for (const path of ['/scoring/rules', '/nothing', '/scoring/rules?limit=0']) {
      const answer = await shared.api('GET', path, undefined, { headers: { origin } });
      assert.equal(answer.headers.get('access-control-allow-origin'), origin, path);
      assert.match(answer.headers.get('access-control-expose-headers') ?? '', /ETag.*Content-Disposition/);
      assert.match(answer.headers.get('vary') ?? '', /Origin/i);
    }
  }
  for (const origin of [
    'https://evil.example.org',
    'http://app.example.com',
    'https://app.example.com.evil.example.org',
    'null',
    '*',
  ]) {
    assert.equal((await preflight(shared.url, origin)).headers.get('access-control-allow-origin'), null, origin);
    assert.equal(
      (await shared.api('GET', '/scoring/rules', undefined, { headers: { origin } })).headers.get(
        'access-control-allow-origin',
      ),
      null,
      origin,
    );
  }
  assert.equal(
    (await preflight(service.url, 'https://app.example.com')).headers.get('access-control-allow-origin'),
    null,
    'none is set',
  );
});

test('pages of any site may submit forms, without credentials', async () => {
  for (const url of [service.url, shared.url]) {
    for (const origin of ['https://anywhere.example.org', 'https://app.example.com', 'null']) {
      const { status, headers } = await preflight(url, origin, '/forms/1/submit');
      assert.deepEqual(
        [status, headers.get('access-control-allow-origin'), headers.get('access-control-allow-credentials')],
        [204, '*', null],
      );
      assert.match(headers.get('access-control-allow-headers') ?? '', /content-type/i);
    }
  }
});
