import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { collide, memberWith, newRole, newTenant, outcome, problemsOf, TENANT_LOCK } from '../../support/accounts.ts';
import { nthMail, tokenOf } from '../../support/mail/account-mails.ts';
import { routesWhere } from '../../support/routes.ts';
import { ADMIN_PASSWORD, startService, type Answer, type Service } from '../../support/service.ts';
import { newMember, PASSWORD, registration, type Member } from '../../support/users.ts';
import { startVariant } from '../../support/variant.ts';

let service: Service;
let admin: Answer['body'];
beforeAll(async () => {
  service = await startService({ worker: ['senders'] });
  admin = (await service.api('GET', '/auth/profile')).body;
  await newRole(service, 'People', ['users:read', 'users:write', 'contacts:read']);
});
afterAll(() => service.stop());

const put = (id: number, body: unknown, token?: string, headers = {}) =>
  service.api('PUT', `/auth/users/${id}`, body, { headers, ...(token ? { token } : {}) });
const get = (id: number) => service.api('GET', `/auth/users/${id}`);
const list = async (query: string): Promise<string[]> =>
  (await service.api('GET', `/auth/users?${query}`)).body.data.map((user: { username: string }) => user.username);
const profile = (member: Member) => service.api('GET', '/auth/profile', undefined, { token: member.token });
const login = (username: string, password = PASSWORD) =>
  service.api('POST', '/auth/login', { username, password }, { token: null });

test('users are listed in pages, by filter and order, as they see themselves', async () => {
  const grace = await newMember(service.api, {
    username: 'grace.h',
    email: 'hopper@example.com',
    firstName: 'Grace',
    lastName: 'Hopper',
  });
  const disabled = await newMember(service.api, { username: 'gone', firstName: 'Grace', lastName: 'Gone' });
  await put(disabled.user.id, { active: false });
  assert.deepEqual(await list('q=GRACE&sort=username'), ['gone', 'grace.h']);
  assert.deepEqual(await list('q=hopper@'), ['grace.h']);
  assert.deepEqual(await list('q=%25'), []);
  assert.deepEqual(await list('q=grace&active=true'), ['grace.h']);
  assert.deepEqual(await list('active=false'), ['gone']);
  assert.deepEqual(await list('role=Admin'), ['admin']);
  assert.deepEqual(await list('role=Nobody'), []);
  const first = await service.api('GET', '/auth/users?limit=1&sort=email&includeTotal=true');
  assert.deepEqual([first.body.data[0].username, first.body.page.hasMore, first.body.page.total], ['admin', true, 3]);
  const second = await service.api('GET', `/auth/users?limit=1&sort=email&cursor=${first.body.page.nextCursor}`);
  assert.equal(second.body.data[0].username, 'grace.h');
  assert.deepEqual((await service.api('GET', '/auth/users?q=grace.h')).body.data, [grace.user]);
  assert.deepEqual((await get(grace.user.id)).body, grace.user);
  assert.equal((await service.api('GET', '/auth/users?password=x')).status, 400);
});

test('only roles and whether a user is active can be changed', async () => {
  const { user } = await newMember(service.api);
  const same = await put(user.id, user);
  assert.deepEqual([same.status, same.body], [200, user], 'what GET answers goes back');
  const refused = await put(user.id, {
    id: 1,
    username: 'root',
    email: 'a@example.com',
    firstName: 'X',
    tenantId: 'other',
    emailVerified: true,
    version: 9,
  });
  assert.deepEqual(
    problemsOf(refused),
    ['email', 'emailVerified', 'firstName', 'id', 'tenantId', 'username', 'version'].map(
      (name) => `/${name} read_only`,
    ),
  );
  assert.deepEqual(problemsOf(await put(user.id, { password: 'x', passwordHash: 'x', active: null, roles: [] })), [
    '/active type',
    '/password unknown_field',
    '/passwordHash unknown_field',
    '/roles too_few',
  ]);
  const unknown = await put(user.id, { roles: ['User', 'Ghost', 'admin'] });
  assert.deepEqual(
    [outcome(unknown), problemsOf(unknown)],
    [
      [400, 'validation_failed'],
      ['/roles/1 not_found', '/roles/2 not_found'],
    ],
  );
  assert.match(JSON.stringify(unknown.body.errors), /there is no role Ghost/);
  const changed = await put(user.id, { roles: ['User', 'People', 'User'] });
  assert.deepEqual([changed.body.roles, changed.body.version], [['User', 'People'], user.version + 1]);
  assert.equal(changed.headers.get('etag'), `"${changed.body.version}"`);
});

test('a stale If-Match is refused', async () => {
  const { user } = await newMember(service.api);
  assert.equal((await put(user.id, { active: false }, undefined, { 'If-Match': `"${user.version}"` })).status, 200);
  assert.deepEqual(outcome(await put(user.id, { active: true }, undefined, { 'If-Match': `"${user.version}"` })), [
    412,
    'precondition_failed',
  ]);
});

test('a disabled user is out at once, on every way in', async () => {
  const member = await newMember(service.api);
  const other = await login(member.username);
  assert.equal((await put(member.user.id, { active: false })).body.active, false);
  assert.deepEqual(outcome(await profile(member)), [401, 'unauthorized']);
  assert.equal(
    (await service.api('POST', '/auth/refresh', { refreshToken: other.body.refreshToken }, { token: null })).status,
    401,
  );
  assert.deepEqual(outcome(await login(member.username)), [401, 'invalid_credentials']);
  await put(member.user.id, { active: true });
  assert.deepEqual(outcome(await profile(member)), [401, 'token_revoked'], 'the sessions stay ended');
  assert.equal((await login(member.username)).status, 200);
});

test('no link of a mail brings a disabled user back', async () => {
  const strict = await startVariant(service, { ENABLE_EMAIL_VERIFICATION: true });
  try {
    const input = registration();
    const { body: user } = await strict.api('POST', '/auth/register', input, { token: null });
    const token = tokenOf(await nthMail(service, input.email));
    await put(user.id, { active: true });
    await put(user.id, { active: false });
    assert.deepEqual(outcome(await strict.api('POST', '/auth/verify-email', { token }, { token: null })), [
      400,
      'token_invalid',
    ]);
    assert.equal((await get(user.id)).body.active, false);
  } finally {
    await strict.stop();
  }
});

test('roles count at once, in both directions', async () => {
  const member = await memberWith(service, 'User');
  const users = () => service.api('GET', '/auth/users', undefined, { token: member.token });
  assert.equal((await users()).status, 403);
  await put(member.user.id, { roles: ['Admin'] });
  assert.equal((await users()).status, 200);
  await put(member.user.id, { roles: ['User'] });
  assert.equal((await users()).status, 403);
});

test('nobody disables or demotes themselves, and an Admin stays', async () => {
  assert.deepEqual(outcome(await put(admin.id, { active: false })), [409, 'last_admin']);
  assert.deepEqual(outcome(await put(admin.id, { roles: ['User'] })), [409, 'last_admin']);
  assert.equal((await put(admin.id, { roles: ['Admin', 'User'] })).status, 200, 'more roles are no demotion');
  const second = await memberWith(service, 'Admin');
  assert.deepEqual(outcome(await put(second.user.id, { active: false }, second.token)), [409, 'last_admin']);
  assert.deepEqual(outcome(await put(second.user.id, { roles: ['User'] }, second.token)), [409, 'last_admin']);
  const people = await memberWith(service, 'People');
  assert.deepEqual(outcome(await put(people.user.id, { active: false }, people.token)), [409, 'last_admin']);
  assert.equal((await put(second.user.id, { roles: ['User'] })).status, 200);
});

test('of two Admins who demote or disable each other at the same moment one stays', async () => {
  for (const change of [{ roles: ['User'] }, { active: false }]) {
    const second = await memberWith(service, 'Admin');
    const answers = await collide(service, TENANT_LOCK, [
      () => put(second.user.id, change),
      () => put(admin.id, change, second.token),
    ]);
    assert.deepEqual(
      answers.map((answer) => answer.status).sort(),
      [200, 409],
      JSON.stringify(answers.map((answer) => answer.body)),
    );
    assert.equal(answers.find((answer) => answer.status === 409)!.body.code, 'last_admin');
    assert.deepEqual(
      (
        await service.api('GET', '/auth/users?role=Admin&active=true', undefined, {
          token: answers[0]!.status === 200 ? service.admin.token : second.token,
        })
      ).body.data.length,
      1,
    );
    if (answers[1]!.status === 200) {
      await put(admin.id, { active: true, roles: ['Admin'] }, second.token);
      service.admin.token = (await login('admin', ADMIN_PASSWORD)).body.accessToken;
    }
    await put(second.user.id, { active: true, roles: ['User'] });
  }
});

test('the last Admin can not be disabled by somebody else either', async () => {
  const { body: key } = await service.api('POST', '/auth/api-keys', { name: 'people', permissions: ['users:write'] });
  const everything = (await service.api('GET', '/auth/roles?sort=id')).body.data[0].permissions;
  await newRole(service, 'Deputy', everything);
  const deputy = await memberWith(service, 'Deputy');
  assert.deepEqual(outcome(await put(admin.id, { active: false }, deputy.token)), [409, 'last_admin']);
  assert.deepEqual(outcome(await put(admin.id, { roles: ['User'] }, deputy.token)), [409, 'last_admin']);
  assert.deepEqual(
    outcome(await put(admin.id, { active: false }, key.key)),
    [403, 'forbidden'],
    'and no key that may less',
  );
});

test('nobody gives or takes what they do not have', async () => {
  const people = await memberWith(service, 'People');
  const { user } = await newMember(service.api);
  for (const id of [user.id, people.user.id]) {
    const answer = await put(id, { roles: ['Admin'] }, people.token);
    assert.deepEqual(outcome(answer), [403, 'forbidden']);
  }
  assert.match((await put(people.user.id, { roles: ['People', 'User'] }, people.token)).body.detail, /contacts:write/);
  assert.deepEqual(outcome(await put(admin.id, { active: false }, people.token)), [403, 'forbidden']);
  assert.deepEqual(
    outcome(await put(user.id, { active: false }, people.token)),
    [403, 'forbidden'],
    'a User may more than it',
  );
  const peer = await memberWith(service, 'People');
  assert.equal((await put(peer.user.id, { active: false }, people.token)).status, 200);
  assert.deepEqual((await get(people.user.id)).body.roles, ['People']);
});

test('a User is let into no route of an Admin, and nobody without a token', async () => {
  const { token } = await memberWith(service, 'User');
  const guarded = routesWhere((route) => /^(users|roles|api-keys|settings|audit-log|erasure):/.test(route.access));
  assert.ok(guarded.length >= 25, `${guarded.length} routes`);
  for (const { route, path } of guarded) {
    assert.deepEqual(
      outcome(await service.api(route.method, path, undefined, { token })),
      [403, 'forbidden'],
      `${route.method} ${path}`,
    );
    assert.deepEqual(
      outcome(await service.api(route.method, path, undefined, { token: null })),
      [401, 'unauthorized'],
      `${route.method} ${path}`,
    );
  }
});

test('nobody registers or edits themselves into more', async () => {
  for (const extra of [
    { tenantId: 'other' },
    { roles: ['Admin'] },
    { id: 1 },
    { active: true },
    { emailVerified: true },
    { version: 7 },
  ]) {
    const [name] = Object.keys(extra);
    assert.deepEqual(problemsOf(await service.api('POST', '/auth/register', registration(extra), { token: null })), [
      `/${name} unknown_field`,
    ]);
    const member = await newMember(service.api);
    const other = name === 'active' ? { active: false } : extra;
    assert.deepEqual(problemsOf(await service.api('PUT', '/auth/profile', other, { token: member.token })), [
      `/${name} read_only`,
    ]);
  }
});

test("another tenant's users are not there", async () => {
  const foreign = await newTenant(service);
  const { user } = await newMember(service.api);
  for (const [method, body] of [
    ['GET', undefined],
    ['PUT', { active: false }],
  ] as const) {
    assert.deepEqual(outcome(await service.api(method, `/auth/users/${user.id}`, body, { token: foreign.token })), [
      404,
      'not_found',
    ]);
    assert.deepEqual(outcome(await service.api(method, `/auth/users/${foreign.user.id}`, body)), [404, 'not_found']);
  }
  const seen = (await service.api('GET', '/auth/users', undefined, { token: foreign.token })).body.data;
  assert.deepEqual(seen, [foreign.user]);
  assert.deepEqual(outcome(await put(foreign.user.id, { active: false }, foreign.token)), [409, 'last_admin']);
});
