import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, test } from '@jest/globals';
import { createDeps } from '../../../runtime/deps.ts';
import { engineEm, rows, sql } from '../../../db/orm.ts';
import { startService, type Answer, type Service } from '../../support/service.ts';
import { logIn, newMember, PASSWORD } from '../../support/users.ts';
import { startVariant } from '../../support/variant.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const login = (username: string, password: string) =>
  service.api('POST', '/auth/login', { username, password }, { token: null });
const refresh = (refreshToken: string) => service.api('POST', '/auth/refresh', { refreshToken }, { token: null });
const profile = (token: string) => service.api('GET', '/auth/profile', undefined, { token });
const engine = (query: ReturnType<typeof sql>) => engineEm(service.deps.orm).transactional((tx) => rows(tx, query));
const median = (values: number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;

test('a login answers tokens and the user, and is not cached', async () => {
  const { user, username } = await newMember(service.api);
  const answer = await login(username, PASSWORD);
  assert.equal(answer.status, 200);
  assert.deepEqual(Object.keys(answer.body).sort(), ['accessToken', 'expiresIn', 'refreshToken', 'tokenType', 'user']);
  assert.deepEqual([answer.body.tokenType, answer.body.expiresIn, answer.body.user], ['Bearer', 86_400, user]);
  assert.equal(answer.headers.get('cache-control'), 'no-store');
  const claims = JSON.parse(Buffer.from(answer.body.accessToken.split('.')[1], 'base64url').toString());
  assert.equal(claims.exp - claims.iat, 86_400);
  for (const name of ['iss', 'aud', 'jti', 'sub']) assert.equal(typeof claims[name], 'string', name);
  const header = JSON.parse(Buffer.from(answer.body.accessToken.split('.')[0], 'base64url').toString());
  assert.deepEqual([header.alg, typeof header.kid], ['HS256', 'string']);
});

test('the username may be the email, and case does not count', async () => {
  const { user, username } = await newMember(service.api);
  for (const name of [username.toUpperCase(), user.email, user.email.toUpperCase(), ` ${username} `])
    assert.equal((await login(name, PASSWORD)).status, 200, name);
});

test('an address that looks like another is another', async () => {
  const [one, other] = [
    await newMember(service.api, { email: 'grace@example.com' }),
    await newMember(service.api, { email: 'ｇrace@example.com' }),
  ];
  assert.equal((await login('grace@example.com', PASSWORD)).body.user.id, one.user.id);
  assert.equal((await login('ｇrace@example.com', PASSWORD)).body.user.id, other.user.id);
});

test('a wrong password and an unknown name are answered alike, and cost alike', async () => {
  const costs: Record<'known' | 'unknown', number[]> = { known: [], unknown: [] };
  const answers = [];
  const { username } = await newMember(service.api);
  for (let n = 0; n < 9; n += 1) {
    for (const [kind, name] of [
      ['known', username],
      ['unknown', `nobody${n}`],
    ] as const) {
      // CPU time of the process, in which the API runs: how long it takes depends on what else the machine does.
      const before = process.cpuUsage();
      const { status, body, headers } = await login(name, 'Wrong-Password-1');
      const { user, system } = process.cpuUsage(before);
      costs[kind].push(user + system);
      const { requestId: _, ...problem } = body;
      answers.push(JSON.stringify([status, problem, headers.get('www-authenticate')]));
    }
  }
  assert.equal(new Set(answers).size, 1);
  assert.match(answers[0]!, /^\[401,.*"code":"invalid_credentials".*Bearer realm/);
  const ratio = median(costs.unknown) / median(costs.known);
  assert.ok(ratio > 0.5 && ratio < 2, `an unknown name costs ${ratio.toFixed(2)} of what a known one does`);
});

test('a refresh token counts once and gives the next', async () => {
  const first = await newMember(service.api);
  const second = await refresh(first.refreshToken);
  assert.equal(second.status, 200);
  assert.deepEqual(Object.keys(second.body).sort(), ['accessToken', 'expiresIn', 'refreshToken', 'tokenType', 'user']);
  assert.notEqual(second.body.refreshToken, first.refreshToken);
  assert.equal((await profile(second.body.accessToken)).status, 200);
  assert.equal((await refresh(second.body.refreshToken)).status, 200);
});

test('a spent refresh token ends its session, and no other', async () => {
  const member = await newMember(service.api);
  const other = await logIn(service.api, member.username);
  const next = (await refresh(member.refreshToken)).body;
  const reuse = await refresh(member.refreshToken);
  assert.deepEqual([reuse.status, reuse.body.code], [401, 'unauthorized']);
  assert.match(reuse.headers.get('www-authenticate') ?? '', /^Bearer/);
  assert.equal((await refresh(next.refreshToken)).status, 401);
  const { body: log } = await service.api(
    'GET',
    `/auth/audit-log?action=user.token_reused&resourceId=${member.user.id}`,
  );
  assert.deepEqual(
    log.data.map(({ actorType, address }: Answer['body']) => [actorType, address]),
    [['anonymous', '127.0.0.1']],
    'told once',
  );
  for (const token of [member.token, next.accessToken]) assert.equal((await profile(token)).body.code, 'token_revoked');
  assert.equal((await profile(other.token)).status, 200);
  assert.equal((await refresh(other.refreshToken)).status, 200);
});

test('of ten refreshes with one token at once, one succeeds', async () => {
  const { refreshToken } = await newMember(service.api);
  const answers = await Promise.all(Array.from({ length: 10 }, () => refresh(refreshToken)));
  assert.deepEqual(answers.map((answer) => answer.status).sort(), [200, ...Array<number>(9).fill(401)]);
});

test('refresh tokens that are none are 401, whatever they look like', async () => {
  const { token } = await newMember(service.api);
  for (const given of [
    'x',
    'a'.repeat(64),
    randomBytes(48).toString('base64url'),
    token.slice(0, 200),
    "' or 1=1 --",
    '\u00e9'.repeat(64),
  ]) {
    assert.equal((await refresh(given)).status, 401, given);
  }
  for (const given of ['', 7, null, ['a'], 'a'.repeat(201)]) {
    assert.equal(
      (await service.api('POST', '/auth/refresh', { refreshToken: given }, { token: null })).status,
      400,
      JSON.stringify(given),
    );
  }
});

test('refresh tokens are stored hashed, and expire', async () => {
  const { user, refreshToken, token } = await newMember(service.api);
  const [stored] = (await engine(sql`select to_jsonb(s)::text as row from sessions s where user_id = ${user.id}`)) as {
    row: string;
  }[];
  assert.ok(!stored!.row.includes(refreshToken));
  await engine(sql`update sessions set expires_at = now() where user_id = ${user.id}`);
  assert.equal((await refresh(refreshToken)).status, 401);
  assert.equal((await profile(token)).status, 200, 'its access token lives on');
});

test('a login drops sessions that no token is valid for any more', async () => {
  const { user, username } = await newMember(service.api);
  await logIn(service.api, username);
  await engine(sql`update sessions set expires_at = now() - interval '25 hours' where user_id = ${user.id}`);
  await logIn(service.api, username);
  assert.equal((await engine(sql`select 1 from sessions where user_id = ${user.id}`)).length, 1);
});

test('a logout ends the session at once, on every process', async () => {
  const member = await newMember(service.api);
  const kept = await logIn(service.api, member.username);
  const next = (await refresh(member.refreshToken)).body;
  const deps = await createDeps(service.deps.env, 'second');
  const second = await startVariant({ ...service, deps });
  try {
    assert.equal((await second.api('GET', '/auth/profile', undefined, { token: member.token })).status, 200);
    const logout = await service.api('POST', '/auth/logout', undefined, { token: next.accessToken });
    assert.deepEqual([logout.status, logout.body], [204, '']);
    for (const token of [member.token, next.accessToken]) {
      const dead = await second.api('GET', '/auth/profile', undefined, { token });
      assert.deepEqual([dead.status, dead.body.code], [401, 'token_revoked']);
      assert.match(dead.headers.get('www-authenticate') ?? '', /error="invalid_token"/);
    }
    assert.equal((await refresh(next.refreshToken)).status, 401);
    assert.equal((await second.api('GET', '/auth/profile', undefined, { token: kept.token })).status, 200);
  } finally {
    await second.stop();
    await deps.close();
  }
});

test('a user who is disabled can do nothing any more', async () => {
  const { user, username, token, refreshToken } = await newMember(service.api);
  await engine(sql`update users set active = false where id = ${user.id}`);
  assert.deepEqual([(await profile(token)).status, (await profile(token)).body.code], [401, 'unauthorized']);
  assert.equal((await refresh(refreshToken)).status, 401);
  assert.equal((await login(username, PASSWORD)).body.code, 'invalid_credentials');
});

test('a role counts at once', async () => {
  const { token } = await newMember(service.api);
  const rules = () => service.api('GET', '/scoring/rules', undefined, { token });
  assert.equal((await rules()).status, 200);
  await engine(
    sql`update roles set permissions = array_remove(permissions, 'scoring:read') where tenant_id = 'default' and name = 'User'`,
  );
  const answer = await rules();
  assert.deepEqual(
    [answer.status, answer.body.code, answer.body.detail],
    [403, 'forbidden', 'This operation requires the permission scoring:read'],
  );
  assert.equal((await service.api('GET', '/scoring/rules')).status, 200, 'the Admin still may');
});
