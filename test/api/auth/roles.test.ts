import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { PERMISSIONS, USER_PERMISSIONS } from '../../../domain/auth/access/permissions.ts';
import { collide, memberWith, newRole, newTenant, outcome, problemsOf, TENANT_LOCK } from '../../support/accounts.ts';
import { startService, type Answer, type Service } from '../../support/service.ts';
import { newMember } from '../../support/users.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const create = (body: unknown, token?: string) => service.api('POST', '/auth/roles', body, token ? { token } : {});
const put = (id: number, body: unknown, options: { token?: string; headers?: Record<string, string> } = {}) =>
  service.api('PUT', `/auth/roles/${id}`, body, options);
const remove = (id: number, options = {}) => service.api('DELETE', `/auth/roles/${id}`, undefined, options);
const get = (id: number) => service.api('GET', `/auth/roles/${id}`);
const named = async (name: string): Promise<Answer['body']> =>
  (await service.api('GET', '/auth/roles?limit=200')).body.data.find((role: { name: string }) => role.name === name);
const rolesOf = async (id: number): Promise<string[]> => (await service.api('GET', `/auth/users/${id}`)).body.roles;

test('every permission is described, and the built-in roles have theirs', async () => {
  const { data, page } = (await service.api('GET', '/auth/permissions')).body;
  assert.deepEqual(page, { limit: data.length, nextCursor: null, hasMore: false });
  assert.deepEqual(
    data.map((one: { name: string }) => one.name),
    PERMISSIONS,
  );
  for (const { name, resource, action, description } of data) {
    assert.equal(name, `${resource}:${action}`);
    assert.ok(description.length > 5, name);
  }
  assert.equal(new Set(data.map((one: { id: number }) => one.id)).size, PERMISSIONS.length);
  assert.deepEqual([(await named('Admin')).builtIn, (await named('Admin')).permissions], [true, PERMISSIONS]);
  assert.deepEqual([(await named('User')).builtIn, (await named('User')).permissions], [true, USER_PERMISSIONS]);
});

test('a role is created, read, changed and deleted', async () => {
  const made = await create({
    name: ' Editor ',
    description: 'Writes mails',
    permissions: ['emails:write', 'emails:read', 'emails:write'],
  });
  assert.equal(made.status, 201);
  assert.equal(made.headers.get('location'), `/api/v1/auth/roles/${made.body.id}`);
  const { id, createdAt: _, updatedAt: __, ...rest } = made.body;
  assert.deepEqual(rest, {
    name: 'Editor',
    description: 'Writes mails',
    permissions: ['emails:read', 'emails:write'],
    builtIn: false,
    tenantId: 'default',
    version: 1,
  });
  const read = await get(id);
  assert.deepEqual([read.body, read.headers.get('etag')], [made.body, '"1"']);
  assert.deepEqual((await put(id, read.body)).body, made.body, 'what GET answers goes back');
  const changed = await put(id, { description: '', permissions: ['contacts:read'] });
  assert.deepEqual(
    [changed.body.description, changed.body.permissions, changed.body.version],
    [null, ['contacts:read'], 2],
  );
  assert.deepEqual(outcome(await put(id, { name: 'Late' }, { headers: { 'If-Match': '"1"' } })), [
    412,
    'precondition_failed',
  ]);
  assert.deepEqual(outcome(await remove(id, { headers: { 'If-Match': '"1"' } })), [412, 'precondition_failed']);
  assert.equal((await remove(id, { headers: { 'If-Match': '"2"' } })).status, 204);
  for (const answer of [await get(id), await put(id, {}), await remove(id)])
    assert.deepEqual(outcome(answer), [404, 'not_found']);
});

test('what is wrong with a role is answered at once', async () => {
  assert.deepEqual(problemsOf(await create({ name: ' ', permissions: [] })), ['/name required']);
  assert.deepEqual(
    problemsOf(await create({ name: 'x'.repeat(51), permissions: 'all', tenantId: 'other', admin: true })),
    ['/admin unknown_field', '/name too_long', '/permissions type', '/tenantId read_only'],
  );
  const unknown = await create({ name: 'Odd', permissions: ['contacts:read', 'contacts:own', '*'] });
  assert.deepEqual(
    [unknown.status, problemsOf(unknown)],
    [400, ['/permissions/1 not_found', '/permissions/2 not_found']],
  );
  assert.match(JSON.stringify(unknown.body.errors), /there is no permission contacts:own/);
  const { id } = await newRole(service, 'Still', []);
  assert.deepEqual(
    problemsOf(await put(id, { id: 1, builtIn: true, tenantId: 'other', version: 5 })),
    ['/builtIn', '/id', '/tenantId', '/version'].map((path) => `${path} read_only`),
  );
  assert.deepEqual(problemsOf(await put(id, { name: null, permissions: null })), ['/name type', '/permissions type']);
});

test('names are unique in a tenant, ignoring case', async () => {
  const { id } = await newRole(service, 'Seller', []);
  for (const name of ['Seller', 'seLLer', 'admin', 'USER'])
    assert.deepEqual([outcome(await create({ name, permissions: [] })), name], [[409, 'name_taken'], name]);
  const other = await newRole(service, 'Buyer', []);
  const taken = await put(other.id, { name: 'SELLER' });
  assert.deepEqual([outcome(taken), problemsOf(taken)], [[409, 'name_taken'], ['/name name_taken']]);
  assert.equal((await put(id, { name: 'SELLER' })).body.name, 'SELLER', 'its own, written otherwise, is free');
  const twins = await Promise.all(
    Array.from({ length: 6 }, (_, n) => create({ name: n % 2 ? 'Twin' : 'TWIN', permissions: [] })),
  );
  assert.deepEqual(twins.map((answer) => answer.status).sort(), [201, 409, 409, 409, 409, 409]);
});

test('Admin and User can be neither changed nor deleted', async () => {
  for (const name of ['Admin', 'User']) {
    const role = await named(name);
    assert.deepEqual(
      await put(role.id, role).then((answer) => [answer.status, answer.body]),
      [200, role],
      'unchanged, it goes back',
    );
    for (const change of [{ name: 'Boss' }, { description: 'x' }, { permissions: ['contacts:read'] }]) {
      const answer = await put(role.id, change);
      assert.deepEqual(outcome(answer), [409, 'conflict']);
      assert.match(answer.body.detail, new RegExp(`${name} is built in`));
    }
    assert.deepEqual(outcome(await remove(role.id)), [409, 'conflict']);
    assert.deepEqual(await named(name), role);
  }
});

test('a role gives its permissions at once, and takes them at once', async () => {
  const role = await newRole(service, 'Clerk', ['contacts:read']);
  const { token } = await memberWith(service, 'Clerk');
  const can = async (path: string) => (await service.api('GET', path, undefined, { token })).status;
  assert.deepEqual([await can('/contacts'), await can('/forms')], [200, 403]);
  await put(role.id, { permissions: ['forms:read'] });
  assert.deepEqual([await can('/contacts'), await can('/forms')], [403, 200]);
});

test('nobody makes a role that may more than they do', async () => {
  await newRole(service, 'Staff', ['roles:read', 'roles:write', 'contacts:read']);
  const strong = await newRole(service, 'Strong', ['contacts:read', 'erasure:write']);
  const { token } = await memberWith(service, 'Staff');
  const beyond = await create(
    { name: 'Sneaky', permissions: ['contacts:read', 'contacts:write', 'users:write'] },
    token,
  );
  assert.deepEqual(outcome(beyond), [403, 'forbidden']);
  assert.match(beyond.body.detail, /contacts:write, users:write$/);
  const own = await named('Staff');
  assert.deepEqual(outcome(await put(own.id, { permissions: [...own.permissions, 'users:write'] }, { token })), [
    403,
    'forbidden',
  ]);
  assert.deepEqual(
    outcome(await put(strong.id, { permissions: ['contacts:read'] }, { token })),
    [403, 'forbidden'],
    'nor takes what they have not',
  );
  assert.deepEqual(outcome(await remove(strong.id, { token })), [403, 'forbidden']);
  const within = await create({ name: 'Reader', permissions: ['contacts:read'] }, token);
  assert.equal(within.status, 201);
  assert.equal((await put(within.body.id, { permissions: ['roles:read'] }, { token })).status, 200);
});

test('a new name is that of the role in users and invitations too', async () => {
  const role = await newRole(service, 'Temp', ['contacts:read']);
  const member = await memberWith(service, 'Temp', 'User');
  const { body: invitation } = await service.api('POST', '/auth/invitations', {
    email: 'temp@example.com',
    roles: ['Temp'],
  });
  assert.equal((await put(role.id, { name: 'Permanent' })).status, 200);
  assert.deepEqual(await rolesOf(member.user.id), ['Permanent', 'User']);
  const renamed = (await service.api('GET', `/auth/invitations/${invitation.id}`)).body;
  assert.deepEqual([renamed.roles, renamed.version], [['Permanent'], invitation.version + 1]);
  assert.deepEqual(problemsOf(await service.api('PUT', `/auth/users/${member.user.id}`, { roles: ['Temp'] })), [
    '/roles/0 not_found',
  ]);
  assert.equal((await service.api('GET', '/contacts', undefined, { token: member.token })).status, 200);
});

test('a role in use can not be deleted, and says who uses it', async () => {
  const role = await newRole(service, 'Busy', []);
  const member = await memberWith(service, 'Busy');
  const { body: invitation } = await service.api('POST', '/auth/invitations', {
    email: 'busy@example.com',
    roles: ['Busy'],
  });
  const answer = await remove(role.id);
  assert.deepEqual(outcome(answer), [409, 'in_use']);
  assert.deepEqual(
    answer.body.errors.map((error: { message: string }) => error.message),
    [`user ${member.user.id}: ${member.username}`, `invitation ${invitation.id}: busy@example.com`],
  );
  await service.api('PUT', `/auth/users/${member.user.id}`, { roles: ['User'] });
  assert.deepEqual(outcome(await remove(role.id)), [409, 'in_use']);
  await service.api('DELETE', `/auth/invitations/${invitation.id}`);
  assert.equal((await remove(role.id)).status, 204);
});

test('a role that goes while it is given is given to nobody', async () => {
  for (let round = 0; round < 3; round += 1) {
    const role = await newRole(service, `Fleeting ${round}`, []);
    const { user } = await newMember(service.api);
    const requests = [
      () => remove(role.id),
      () => service.api('PUT', `/auth/users/${user.id}`, { roles: [role.name] }),
    ];
    const answers = await collide(service, TENANT_LOCK, round % 2 ? requests.reverse() : requests);
    const [removed, given] = round % 2 ? answers.reverse() : answers;
    assert.deepEqual(
      removed!.status === 204 ? problemsOf(given!) : [removed!.body.code, given!.status],
      removed!.status === 204 ? ['/roles/0 not_found'] : ['in_use', 200],
    );
    assert.deepEqual(await rolesOf(user.id), removed!.status === 204 ? ['User'] : [role.name]);
  }
});

test("another tenant's roles are not there", async () => {
  const foreign = await newTenant(service);
  const role = await newRole(service, 'Ours', ['contacts:read']);
  for (const [method, body] of [
    ['GET', undefined],
    ['PUT', { name: 'Theirs' }],
    ['DELETE', undefined],
  ] as const) {
    assert.deepEqual(outcome(await service.api(method, `/auth/roles/${role.id}`, body, { token: foreign.token })), [
      404,
      'not_found',
    ]);
  }
  assert.equal(
    (await create({ name: 'Ours', permissions: [] }, foreign.token)).status,
    201,
    'a name is free in another tenant',
  );
  assert.deepEqual(
    problemsOf(
      await service.api(
        'PUT',
        `/auth/users/${foreign.user.id}`,
        { roles: ['Admin', 'Busybody'] },
        { token: foreign.token },
      ),
    ),
    ['/roles/1 not_found'],
  );
  assert.deepEqual(
    (await service.api('GET', '/auth/roles?sort=id', undefined, { token: foreign.token })).body.data.map(
      (one: { name: string }) => one.name,
    ),
    ['Admin', 'User', 'Ours'],
  );
});
