import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, test } from '@jest/globals';
import { sql } from '../../../db/orm.ts';
import { createDeps } from '../../../runtime/deps.ts';
import { PERMISSIONS } from '../../../domain/auth/access/permissions.ts';
import { engine } from '../../support/mail/account-mails.ts';
import { holding, memberWith, newRole, newTenant, outcome, problemsOf } from '../../support/accounts.ts';
import { routesWhere } from '../../support/routes.ts';
import { startService, type Answer, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { startVariant } from '../../support/variant.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

let number = 0;
const create = (body: Record<string, unknown>, token?: string) => {
  number += 1;
  return service.api(
    'POST',
    '/auth/api-keys',
    { name: `key ${number}`, permissions: ['contacts:read'], ...body },
    token ? { token } : {},
  );
};
const newKey = async (permissions: string[], token?: string): Promise<Answer['body']> =>
  (await create({ permissions }, token)).body;
const call = (key: string, path = '/contacts', method = 'GET', body?: unknown) =>
  service.api(method, path, body, { token: key });
const remove = (id: number, options = {}) => service.api('DELETE', `/auth/api-keys/${id}`, undefined, options);
const inMs = (ms: number): string => new Date(Date.now() + ms).toISOString();

test('a key is shown once and kept as a hash', async () => {
  const made = await create({
    name: ' Website ',
    permissions: ['forms:read', 'contacts:read', 'contacts:read'],
    expiresAt: null,
  });
  assert.equal(made.status, 201);
  assert.equal(made.headers.get('cache-control'), 'no-store');
  assert.equal(made.headers.get('location'), `/api/v1/auth/api-keys/${made.body.id}`);
  const { key, ...shown } = made.body;
  assert.match(key, /^pk_[\w-]{43}$/);
  const { id, createdAt: _, updatedAt: __, ...rest } = shown;
  assert.deepEqual(rest, {
    name: 'Website',
    permissions: ['contacts:read', 'forms:read'],
    createdBy: 1,
    expiresAt: null,
    lastUsedAt: null,
    tenantId: 'default',
    version: 1,
  });
  const [stored] = await engine<Record<string, unknown>>(service, sql`select * from api_keys where id = ${id}`);
  assert.equal(stored!['key_hash'], createHash('sha256').update(key).digest('base64url'));
  assert.ok(!JSON.stringify(stored).includes(key.slice(3)));
  for (const path of [`/auth/api-keys/${id}`, '/auth/api-keys', '/auth/audit-log']) {
    assert.ok(!JSON.stringify((await service.api('GET', path)).body).match(/pk_|key_?hash/i), path);
  }
  assert.deepEqual((await service.api('GET', `/auth/api-keys/${id}`)).body, shown);
  assert.deepEqual((await service.api('GET', '/auth/api-keys?limit=1')).body.data, [shown]);
});

test('what is wrong with a new key is answered', async () => {
  assert.deepEqual(problemsOf(await create({ name: ' ', expiresAt: inMs(-1000) })), [
    '/expiresAt out_of_range',
    '/name required',
  ]);
  assert.deepEqual(
    problemsOf(
      await create({
        name: 'x'.repeat(101),
        permissions: [],
        expiresAt: 'tomorrow',
        key: 'pk_mine',
        createdBy: 2,
        tenantId: 'other',
      }),
    ),
    [
      '/createdBy unknown_field',
      '/expiresAt format',
      '/key unknown_field',
      '/name too_long',
      '/permissions too_few',
      '/tenantId unknown_field',
    ],
  );
  assert.deepEqual(problemsOf(await create({ permissions: ['contacts:read', 'root'] })), ['/permissions/1 not_found']);
  await create({ name: 'Taken' });
  const taken = await create({ name: 'Taken' });
  assert.deepEqual([outcome(taken), problemsOf(taken)], [[409, 'name_taken'], ['/name name_taken']]);
});

test('a key may what it was given, and nothing that is for people', async () => {
  const { key } = await newKey(['contacts:read']);
  assert.equal((await call(key)).status, 200);
  for (const [path, method] of [
    ['/contacts', 'POST'],
    ['/forms', 'GET'],
    ['/auth/users', 'GET'],
    ['/auth/api-keys', 'GET'],
  ] as const) {
    assert.deepEqual(outcome(await call(key, path, method)), [403, 'forbidden'], `${method} ${path}`);
  }
  const { key: mighty } = await newKey([...PERMISSIONS]);
  const personal = routesWhere((route) => route.access === 'user');
  assert.ok(personal.length >= 4);
  for (const { route, path } of personal)
    assert.deepEqual(outcome(await call(mighty, path, route.method)), [403, 'forbidden'], path);
  assert.equal((await call(mighty, '/auth/users')).status, 200);
});

test('a key makes no keys, whatever it may', async () => {
  const { key } = await newKey([...PERMISSIONS]);
  assert.deepEqual(
    outcome(await call(key, '/auth/api-keys', 'POST', { name: 'child', permissions: ['contacts:read'] })),
    [403, 'forbidden'],
  );
});

test('a key works in its tenant, as itself', async () => {
  const foreign = await newTenant(service);
  const { key } = await newKey(['contacts:read', 'contacts:write'], foreign.token);
  const made = await call(key, '/contacts', 'POST', { firstName: 'Ada', lastName: 'Byron', email: 'ada@example.com' });
  assert.deepEqual([made.status, made.body.tenantId], [201, foreign.user.tenantId]);
  assert.equal((await service.api('GET', `/contacts/${made.body.id}`)).status, 404);
});

test('nobody makes a key that may more than they do', async () => {
  await newRole(service, 'Robotics', ['api-keys:read', 'api-keys:write', 'contacts:read']);
  const { token } = await memberWith(service, 'Robotics');
  const answer = await create({ permissions: ['contacts:read', 'contacts:write', 'audit-log:read'] }, token);
  assert.deepEqual(outcome(answer), [403, 'forbidden']);
  assert.match(answer.body.detail, /contacts:write, audit-log:read$/);
  assert.equal((await create({}, token)).status, 201);
});

test('a key may no more than its creator may now', async () => {
  const role = await newRole(service, 'Fading', ['api-keys:write', 'contacts:read', 'forms:read']);
  const creator = await memberWith(service, 'Fading');
  const { key } = await newKey(['contacts:read', 'forms:read'], creator.token);
  assert.deepEqual([(await call(key)).status, (await call(key, '/forms')).status], [200, 200]);
  await service.api('PUT', `/auth/roles/${role.id}`, { permissions: ['forms:read', 'emails:read'] });
  assert.deepEqual(
    [(await call(key)).status, (await call(key, '/forms')).status, (await call(key, '/emails/templates')).status],
    [403, 200, 403],
  );
  await service.api('PUT', `/auth/users/${creator.user.id}`, { active: false });
  assert.deepEqual(outcome(await call(key, '/forms')), [401, 'unauthorized']);
  await service.api('PUT', `/auth/users/${creator.user.id}`, { active: true });
  assert.equal((await call(key, '/forms')).status, 200);
});

test('nobody deletes a key of somebody who may more, but everybody an own one', async () => {
  await newRole(service, 'Locksmith', ['api-keys:write', 'contacts:read']);
  const [one, other] = [await memberWith(service, 'Locksmith'), await memberWith(service, 'Locksmith')];
  // What the key itself may does not matter: it is an Admin's.
  const ofAdmin = await newKey(['contacts:read']);
  const refused = await remove(ofAdmin.id, { token: one.token });
  assert.deepEqual(outcome(refused), [403, 'forbidden']);
  assert.match(refused.body.detail, /audit-log:read/);
  assert.equal((await call(ofAdmin.key)).status, 200);
  const ofOther = await newKey(['contacts:read'], other.token);
  assert.equal((await remove(ofOther.id, { token: one.token })).status, 204);

  // An own key, though it may more than its creator now.
  await newRole(service, 'Former', ['api-keys:write', 'forms:read']);
  const own = await newKey(['contacts:read'], one.token);
  await service.api('PUT', `/auth/users/${one.user.id}`, { roles: ['Former'] });
  assert.equal((await remove(own.id, { token: one.token })).status, 204);

  // A key deletes itself, and of its creator's keys those that may no more than it may.
  const [weak, strong] = [await newKey(['api-keys:write']), await newKey(['api-keys:write', 'contacts:read'])];
  assert.deepEqual(outcome(await remove(strong.id, { token: weak.key })), [403, 'forbidden']);
  const foreign = await newKey(['contacts:read'], other.token);
  assert.equal((await remove(foreign.id, { token: strong.key })).status, 204);
  assert.equal((await remove(weak.id, { token: strong.key })).status, 204);
  assert.equal((await remove(strong.id, { token: strong.key })).status, 204);
  assert.equal((await remove(ofAdmin.id)).status, 204);
});

test('a deleted key is dead at once, on every process', async () => {
  const other = await createDeps(service.deps.env, 'other');
  const twin = await startVariant({ ...service, deps: other });
  try {
    const { id, key } = await newKey(['contacts:read']);
    const both = async () => [
      (await call(key)).status,
      (await twin.api('GET', '/contacts', undefined, { token: key })).status,
    ];
    assert.deepEqual(await both(), [200, 200]);
    assert.equal((await remove(id, { headers: { 'If-Match': '"99"' } })).status, 412);
    assert.equal((await remove(id)).status, 204);
    assert.deepEqual(await both(), [401, 401]);
    for (const answer of [await remove(id), await service.api('GET', `/auth/api-keys/${id}`)])
      assert.deepEqual(outcome(answer), [404, 'not_found']);
  } finally {
    await twin.stop();
    await other.close();
  }
});

test('an expired key says so', async () => {
  const { id, key } = (await create({ expiresAt: inMs(3_600_000) })).body;
  assert.equal((await call(key)).status, 200);
  await engine(service, sql`update api_keys set expires_at = now() where id = ${id}`);
  const answer = await call(key);
  assert.deepEqual(outcome(answer), [401, 'token_expired']);
  assert.match(answer.headers.get('www-authenticate') ?? '', /^Bearer .*error="invalid_token"/);
});

test('what only looks like a key is refused', async () => {
  const { key } = await newKey(['contacts:read']);
  for (const wrong of [
    'pk_',
    `pk_${'A'.repeat(43)}`,
    key.slice(0, -1),
    `${key}A`,
    key.toUpperCase(),
    key.replace('pk_', 'sk_'),
    key.slice(3),
    `pk_${"'".repeat(43)}`,
  ]) {
    const answer = await call(wrong);
    assert.deepEqual(outcome(answer), [401, 'unauthorized'], wrong);
    assert.match(answer.headers.get('www-authenticate') ?? '', /^Bearer/);
  }
  assert.equal((await service.api('GET', `/contacts?api_key=${key}`, undefined, { token: null })).status, 401);
});

test('the last use is noted once a minute, and no request waits for that', async () => {
  const { id, key } = await newKey(['contacts:read']);
  const lastUsed = async (): Promise<string | null> =>
    (await service.api('GET', `/auth/api-keys/${id}`)).body.lastUsedAt;
  await call(key);
  const first = await until('the use is noted', lastUsed);
  await Promise.all(Array.from({ length: 5 }, () => call(key)));
  assert.equal(await lastUsed(), first);
  await engine(service, sql`update api_keys set last_used_at = last_used_at - interval '61 seconds' where id = ${id}`);
  const before = (await service.api('GET', `/auth/api-keys/${id}`)).headers.get('etag');
  await call(key);
  await until('the later use is noted', async () => (await lastUsed())! >= first);
  assert.notEqual((await service.api('GET', `/auth/api-keys/${id}`)).headers.get('etag'), before);
  await engine(service, sql`update api_keys set last_used_at = null where id = ${id}`);
  await holding(service, `select 1 from api_keys where id = ${id} for update`, async () => {
    for (let n = 0; n < 3; n += 1) assert.equal((await call(key)).status, 200);
    assert.equal(await lastUsed(), null);
  });
  await until('a use after that is noted', async () => (await call(key)).status === 200 && lastUsed());
});

test("another tenant's keys are not there", async () => {
  const foreign = await newTenant(service);
  const { id } = await newKey(['contacts:read']);
  for (const method of ['GET', 'DELETE'])
    assert.deepEqual(outcome(await service.api(method, `/auth/api-keys/${id}`, undefined, { token: foreign.token })), [
      404,
      'not_found',
    ]);
  assert.deepEqual((await service.api('GET', '/auth/api-keys', undefined, { token: foreign.token })).body.data, []);
});
