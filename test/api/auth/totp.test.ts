import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { mock } from 'node:test';
import { sql } from '../../../db/orm.ts';
import { hotp, stepOf } from '../../../domain/auth/credentials/totp.ts';
import { engine } from '../../support/mail/account-mails.ts';
import { startService, type Service } from '../../support/service.ts';
import { logIn, newMember, PASSWORD, type Member } from '../../support/users.ts';
import { startVariant } from '../../support/variant.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const as =
  ({ token }: { token: string }) =>
  (method: string, path: string, body?: unknown) =>
    service.api(method, `/auth/${path}`, body, { token });
const login = (username: string, totp?: string, password = PASSWORD, api = service.api) =>
  api('POST', '/auth/login', { username, password, ...(totp === undefined ? {} : { totp }) }, { token: null });
const told = (answer: { status: number; body: { code?: string; errors?: { path: string; code: string }[] } }) => [
  answer.status,
  answer.body.code,
  ...(answer.body.errors ?? []).map((e) => `${e.path} ${e.code}`),
];

/** What an authenticator app does with a secret. */
function unbase32(text: string): Buffer {
  const bits = [...text]
    .map((char) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(char).toString(2).padStart(5, '0'))
    .join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}

/** Codes of now and later; each counts once, so a test takes them in their order, up to three. */
const codesOf = (secret: string): string[] =>
  [-1, 0, 1].map((shift) => hotp(unbase32(secret), stepOf(Date.now()) + shift));
const wrongOf = (secret: string): string => String((Number(codesOf(secret)[1]) + 1) % 1_000_000).padStart(6, '0');

/** The clock stands still in the middle of a time step while `work` runs; only whole steps pass, by `tick`. */
async function atStandstill(work: (tick: (steps: number) => void) => Promise<void>): Promise<void> {
  let now = stepOf(Date.now()) * 30_000 + 15_000;
  const clock = mock.method(Date, 'now', () => now);
  try {
    await work((steps) => {
      now += steps * 30_000;
    });
  } finally {
    clock.mock.restore();
  }
}

async function start(member: Member): Promise<{ secret: string; otpauthUrl: string }> {
  const answer = await as(member)('POST', 'totp', { currentPassword: PASSWORD });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  assert.equal(answer.headers.get('cache-control'), 'no-store');
  return answer.body;
}

/** A user with TOTP on; the first code is spent. */
async function guarded(): Promise<Member & { secret: string }> {
  const member = await newMember(service.api);
  const { secret } = await start(member);
  assert.equal((await as(member)('POST', 'totp/confirm', { totp: codesOf(secret)[0] })).status, 204);
  return { ...member, secret };
}

test('a secret needs the password, and counts once it is confirmed', () =>
  atStandstill(async () => {
    const member = await newMember(service.api);
    assert.deepEqual(told(await as(member)('POST', 'totp', { currentPassword: 'Wrong-1-wrong' })), [
      400,
      'validation_failed',
      '/currentPassword invalid_credentials',
    ]);
    assert.deepEqual(told(await as(member)('POST', 'totp', {})), [
      400,
      'validation_failed',
      '/currentPassword required',
    ]);
    assert.equal((await as(member)('POST', 'totp/confirm', { totp: '123456' })).status, 409);
    const first = await start(member);
    const { secret, otpauthUrl } = await start(member);
    assert.notEqual(first.secret, secret);
    assert.match(secret, /^[A-Z2-7]{32}$/);
    assert.equal(new URL(otpauthUrl).searchParams.get('secret'), secret);
    assert.equal((await login(member.username)).status, 200, 'not yet');
    assert.deepEqual(told(await as(member)('POST', 'totp/confirm', { totp: codesOf(first.secret)[1] })), [
      400,
      'validation_failed',
      '/totp invalid',
    ]);
    assert.equal((await as(member)('POST', 'totp/confirm', { totp: codesOf(secret)[1] })).status, 204);
    assert.equal((await as(member)('POST', 'totp/confirm', { totp: codesOf(secret)[2] })).status, 409);
    assert.equal((await as(member)('POST', 'totp', { currentPassword: PASSWORD })).status, 409);
    assert.equal((await login(member.username)).status, 401);
  }));

test('a login needs the code, and only who knows the password is told so', () =>
  atStandstill(async () => {
    const { username, secret, refreshToken } = await guarded();
    assert.deepEqual(told(await login(username)), [401, 'invalid_credentials', '/totp required']);
    assert.deepEqual(told(await login(username, '')), [401, 'invalid_credentials', '/totp required']);
    assert.deepEqual(told(await login(username, wrongOf(secret))), [401, 'invalid_credentials', '/totp invalid']);
    for (const totp of [undefined, wrongOf(secret), codesOf(secret)[1]]) {
      assert.deepEqual(told(await login(username, totp, 'Wrong-1-wrong')), [401, 'invalid_credentials']);
      assert.deepEqual(told(await login('nobody-at-all', totp)), [401, 'invalid_credentials']);
    }
    assert.equal((await login(username, codesOf(secret)[1])).status, 200);
    assert.equal(
      (await service.api('POST', '/auth/refresh', { refreshToken }, { token: null })).status,
      200,
      'a refresh needs none',
    );
  }));

test('a code counts once, and so does every one before it', () =>
  atStandstill(async (tick) => {
    const { username, secret } = await guarded();
    const [spent, now, next] = codesOf(secret) as [string, string, string];
    assert.deepEqual(told(await login(username, spent)), [401, 'invalid_credentials', '/totp invalid']);
    assert.equal((await login(username, next)).status, 200);
    for (const code of [now, next])
      assert.deepEqual(told(await login(username, code)), [401, 'invalid_credentials', '/totp invalid']);
    tick(2);
    const statuses = (await Promise.all(Array.from({ length: 8 }, () => login(username, codesOf(secret)[1])))).map(
      (answer) => answer.status,
    );
    assert.equal(statuses.filter((status) => status === 200).length, 1, String(statuses));
    tick(3);
    assert.deepEqual(told(await login(username, hotp(unbase32(secret), stepOf(Date.now()) - 2))), [
      401,
      'invalid_credentials',
      '/totp invalid',
    ]);
  }));

test('wrong codes are failed logins, and the password alone forgets none', () =>
  atStandstill(async () => {
    const { username, secret } = await guarded();
    for (let n = 0; n < 9; n += 1) {
      assert.deepEqual(told(await login(username, wrongOf(secret))), [401, 'invalid_credentials', '/totp invalid']);
      assert.deepEqual(told(await login(username)), [401, 'invalid_credentials', '/totp required']);
    }
    assert.equal((await login(username, wrongOf(secret))).status, 401);
    assert.deepEqual(told(await login(username, codesOf(secret)[1])), [429, 'too_many_requests']);
  }));

test('it is removed by a code or by the password', () =>
  atStandstill(async () => {
    const [one, two] = [await guarded(), await guarded()];
    assert.deepEqual(told(await as(one)('DELETE', 'totp', {})), [400, 'validation_failed', '/totp required']);
    assert.deepEqual(told(await as(one)('DELETE', 'totp', { totp: '1', currentPassword: 'x' })), [
      400,
      'validation_failed',
      '/totp required',
    ]);
    assert.deepEqual(told(await as(one)('DELETE', 'totp', { totp: wrongOf(one.secret) })), [
      400,
      'validation_failed',
      '/totp invalid',
    ]);
    assert.deepEqual(told(await as(one)('DELETE', 'totp', { currentPassword: 'Wrong-1-wrong' })), [
      400,
      'validation_failed',
      '/currentPassword invalid_credentials',
    ]);
    assert.equal((await login(one.username)).status, 401);
    assert.equal((await as(one)('DELETE', 'totp', { totp: codesOf(one.secret)[1] })).status, 204);
    assert.equal((await as(two)('DELETE', 'totp', { currentPassword: PASSWORD })).status, 204);
    for (const member of [one, two]) {
      assert.equal((await login(member.username)).status, 200);
      assert.equal((await as(member)('DELETE', 'totp', { currentPassword: PASSWORD })).status, 409);
    }
  }));

test('a stolen session can not guess its way out of TOTP', () =>
  atStandstill(async () => {
    const member = await guarded();
    for (let n = 0; n < 10; n += 1)
      assert.equal((await as(member)('DELETE', 'totp', { totp: wrongOf(member.secret) })).status, 400);
    assert.deepEqual(told(await as(member)('DELETE', 'totp', { totp: codesOf(member.secret)[1] })), [
      429,
      'too_many_requests',
    ]);
  }));

test('the secret is stored encrypted, shown once, and survives a rotation of LINK_SECRET', () =>
  atStandstill(async () => {
    const { user, username, secret, token } = await guarded();
    const stored = async () =>
      (await engine<{ totp_secret: string }>(service, sql`select totp_secret from users where id = ${user.id}`))[0]!
        .totp_secret;
    const before = await stored();
    const raw = unbase32(secret);
    for (const shown of [before, Buffer.from(before, 'base64url').toString('latin1')]) {
      for (const form of [secret, raw.toString('latin1'), raw.toString('hex'), raw.toString('base64url')])
        assert.ok(!shown.includes(form));
    }
    assert.ok(!JSON.stringify((await service.api('GET', '/auth/profile', undefined, { token })).body).includes(secret));
    const rotated = await startVariant(service, {
      LINK_SECRET: 'r'.repeat(32),
      LINK_SECRET_PREVIOUS: service.deps.env.LINK_SECRET,
    });
    const only = await startVariant(service, { LINK_SECRET: 'r'.repeat(32), LINK_SECRET_PREVIOUS: '' });
    assert.equal((await login(username, codesOf(secret)[1], PASSWORD, rotated.api)).status, 200);
    assert.notEqual(await stored(), before, 'a login seals it anew, so that the former secret can go');
    assert.equal((await login(username, codesOf(secret)[2], PASSWORD, only.api)).status, 200);
    await Promise.all([rotated.stop(), only.stop()]);
  }));

test('API keys and people without a token have no TOTP', async () => {
  const { body } = await service.api('POST', '/auth/api-keys', { name: 'Robot', permissions: ['contacts:read'] });
  for (const [method, path, given] of [
    ['POST', '/auth/totp', { currentPassword: PASSWORD }],
    ['POST', '/auth/totp/confirm', { totp: '1' }],
    ['DELETE', '/auth/totp', { totp: '1' }],
  ] as const) {
    assert.equal((await service.api(method, path, given, { token: null })).status, 401);
    assert.equal((await service.api(method, path, given, { token: body.key })).status, 403);
  }
});

test('the audit log tells when it is turned on and off, and no secret', () =>
  atStandstill(async () => {
    const member = await guarded();
    await as(member)('DELETE', 'totp', { totp: codesOf(member.secret)[1] });
    const entries = await engine<{ action: string }>(
      service,
      sql`
    select action, before, after from audit_log where resource_type = 'user' and resource_id = ${String(member.user.id)} and action like 'user.totp%' order by id`,
    );
    assert.deepEqual(
      entries,
      ['user.totp_enabled', 'user.totp_disabled'].map((action) => ({ action, before: null, after: null })),
    );
    await logIn(service.api, member.username);
  }));

test('codes guessed at once to turn TOTP off do not slip past the lock', () =>
  atStandstill(async () => {
    const member = await guarded();
    const wrong = wrongOf(member.secret);
    const statuses = (
      await Promise.all(Array.from({ length: 40 }, () => as(member)('DELETE', 'totp', { totp: wrong })))
    ).map((answer) => answer.status);
    assert.deepEqual(
      [400, 429].map((status) => statuses.filter((one) => one === status).length),
      [10, 30],
    );
  }));

test('an Admin turns off the TOTP of a user whose authenticator is lost', () =>
  atStandstill(async () => {
    const [lost, other] = [await guarded(), await newMember(service.api)];
    assert.equal((await as(other)('DELETE', `users/${lost.user.id}/totp`)).status, 403);
    assert.equal((await service.api('DELETE', '/auth/users/999999999/totp')).status, 404);
    assert.equal((await service.api('DELETE', `/auth/users/${other.user.id}/totp`)).status, 409);
    assert.equal((await service.api('DELETE', `/auth/users/${lost.user.id}/totp`)).status, 204);
    assert.equal((await as(lost)('GET', 'profile')).body.code, 'token_revoked');
    assert.equal((await login(lost.user.username)).status, 200);
    const { body } = await service.api('GET', `/auth/audit-log?action=user.totp_disabled&resourceId=${lost.user.id}`);
    assert.deepEqual(
      body.data.map((entry: { actorName: string }) => entry.actorName),
      ['admin'],
    );
  }));
