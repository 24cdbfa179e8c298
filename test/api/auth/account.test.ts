import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { engineEm, rows, sql } from '../../../db/orm.ts';
import { startService, type Service } from '../../support/service.ts';
import { logIn, newMember, PASSWORD, type Member } from '../../support/users.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const put = (member: { token: string }, path: string, body: unknown, headers = {}) =>
  service.api('PUT', path, body, { token: member.token, headers });
const profile = async (member: Member) =>
  (await service.api('GET', '/auth/profile', undefined, { token: member.token })).body;
const problemsOf = (answer: { body: { errors?: { path: string; code: string }[] } }) =>
  (answer.body.errors ?? []).map((e) => `${e.path} ${e.code}`).sort();
const login = (username: string, password = PASSWORD) =>
  service.api('POST', '/auth/login', { username, password }, { token: null });

test('the profile is the user, and goes back as it came', async () => {
  const member = await newMember(service.api);
  assert.deepEqual(await profile(member), member.user);
  const answer = await put(member, '/auth/profile', await profile(member));
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get('etag'), `"${answer.body.version}"`);
});

test('given fields change, absent ones stay', async () => {
  const member = await newMember(service.api);
  const answer = await put(member, '/auth/profile', { firstName: ' Augusta ' });
  assert.deepEqual([answer.status, answer.body.firstName, answer.body.lastName], [200, 'Augusta', 'Byron']);
  assert.equal(answer.body.version, 2);
  assert.ok(answer.body.updatedAt > member.user.updatedAt);
  assert.deepEqual(await profile(member), answer.body);
});

test("what is not the user's to change is refused", async () => {
  const member = await newMember(service.api);
  const answer = await put(member, '/auth/profile', {
    roles: ['Admin'],
    tenantId: 'other',
    active: false,
    id: 1,
    username: 'root',
    emailVerified: true,
  });
  assert.equal(answer.status, 400);
  assert.deepEqual(
    problemsOf(answer),
    ['active', 'emailVerified', 'id', 'roles', 'tenantId', 'username'].map((name) => `/${name} read_only`),
  );
  assert.deepEqual(
    problemsOf(await put(member, '/auth/profile', { passwordHash: 'x', firstName: null, lastName: '' })),
    ['/firstName type', '/lastName too_short', '/passwordHash unknown_field'],
  );
  assert.deepEqual(await profile(member), member.user);
});

test('a new email needs the password', async () => {
  const member = await newMember(service.api);
  const email = 'moved@example.com';
  assert.deepEqual(problemsOf(await put(member, '/auth/profile', { email })), ['/currentPassword required']);
  const wrong = await put(member, '/auth/profile', { email, currentPassword: 'Wrong-1-wrong' });
  assert.deepEqual([wrong.status, problemsOf(wrong)], [400, ['/currentPassword invalid_credentials']]);
  assert.equal((await profile(member)).email, member.user.email);
  const answer = await put(member, '/auth/profile', { email, currentPassword: PASSWORD });
  assert.deepEqual([answer.status, answer.body.email, answer.body.username], [200, email, member.username]);
  assert.equal((await login(email)).status, 200);
  assert.equal((await login(member.user.email)).status, 401);
  assert.equal(
    (await put(member, '/auth/profile', { email, firstName: 'Same' })).status,
    200,
    'the same email needs none',
  );
});

test('a new email must be free and valid', async () => {
  const [one, two] = [await newMember(service.api), await newMember(service.api)];
  const taken = await put(one, '/auth/profile', { email: two.user.email.toUpperCase(), currentPassword: PASSWORD });
  assert.deepEqual([taken.status, taken.body.code], [409, 'email_taken']);
  assert.deepEqual(problemsOf(await put(one, '/auth/profile', { email: 'nobody', currentPassword: PASSWORD })), [
    '/email invalid_email',
  ]);
});

test('a new email is not verified any more, another spelling of the same is', async () => {
  const member = await newMember(service.api);
  await engineEm(service.deps.orm).transactional((tx) =>
    rows(tx, sql`update users set email_verified = true where id = ${member.user.id}`),
  );
  const same = await put(member, '/auth/profile', {
    email: member.user.email.toUpperCase(),
    currentPassword: PASSWORD,
  });
  assert.deepEqual([same.body.emailVerified, same.body.email], [true, member.user.email.toUpperCase()]);
  assert.equal(
    (await put(member, '/auth/profile', { email: 'elsewhere@example.com', currentPassword: PASSWORD })).body
      .emailVerified,
    false,
  );
});

test('a username that is the email changes with it', async () => {
  const member = await newMember(service.api, { username: 'me@example.com', email: 'me@example.com' });
  const long = await put(member, '/auth/profile', {
    email: `${'m'.repeat(40)}@example.com`,
    currentPassword: PASSWORD,
  });
  assert.deepEqual(problemsOf(long), ['/email too_long']);
  const answer = await put(member, '/auth/profile', { email: 'new@example.com', currentPassword: PASSWORD });
  assert.equal(answer.body.username, 'new@example.com');
  assert.equal((await login('me@example.com')).status, 401);
});

test('If-Match holds, and the ETag serves If-None-Match', async () => {
  const member = await newMember(service.api);
  const stale = await put(member, '/auth/profile', { firstName: 'A' }, { 'if-match': '"7"' });
  assert.deepEqual([stale.status, stale.body.code], [412, 'precondition_failed']);
  assert.equal((await put(member, '/auth/profile', { firstName: 'A' }, { 'if-match': '"1"' })).status, 200);
  const fresh = await service.api('GET', '/auth/profile', undefined, {
    token: member.token,
    headers: { 'if-none-match': '"2"' },
  });
  assert.deepEqual([fresh.status, fresh.body], [304, '']);
});

test('a new password ends the other sessions and keeps this one', async () => {
  const member = await newMember(service.api);
  const other = await logIn(service.api, member.username);
  const next = 'Another-Staple-10';
  assert.deepEqual(
    problemsOf(await put(member, '/auth/password', { currentPassword: PASSWORD, newPassword: 'short' })).length,
    4,
  );
  const wrong = await put(member, '/auth/password', { currentPassword: 'Wrong-1-wrong', newPassword: next });
  assert.deepEqual([wrong.status, problemsOf(wrong)], [400, ['/currentPassword invalid_credentials']]);
  assert.equal((await login(member.username)).status, 200);
  const answer = await put(member, '/auth/password', { currentPassword: PASSWORD, newPassword: next });
  assert.deepEqual([answer.status, answer.body], [204, '']);
  assert.deepEqual(await profile(member), { ...member.user, version: 2, updatedAt: (await profile(member)).updatedAt });
  assert.equal(
    (await service.api('GET', '/auth/profile', undefined, { token: other.token })).body.code,
    'token_revoked',
  );
  assert.equal(
    (await service.api('POST', '/auth/refresh', { refreshToken: other.refreshToken }, { token: null })).status,
    401,
  );
  assert.equal(
    (await service.api('POST', '/auth/refresh', { refreshToken: member.refreshToken }, { token: null })).status,
    200,
  );
  assert.equal((await login(member.username)).status, 401);
  assert.equal((await login(member.username, next)).status, 200);
});

test('of two changes of the password at once, one wins', async () => {
  const member = await newMember(service.api);
  const answers = await Promise.all(
    ['First-Choice-1', 'Second-Choice-2'].map((newPassword) =>
      put(member, '/auth/password', { currentPassword: PASSWORD, newPassword }),
    ),
  );
  const statuses = answers.map((answer) => answer.status);
  assert.equal(statuses.filter((status) => status === 204).length, 1, String(statuses));
  const { responses } = (await service.api('GET', '/openapi.json')).body.paths['/api/v1/auth/password'].put;
  for (const status of statuses) assert.ok(responses[status], `${status} is described`);
  const winner = ['First-Choice-1', 'Second-Choice-2'][statuses.indexOf(204)]!;
  assert.equal((await login(member.username, winner)).status, 200);
});
