import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { engineEm, rows, sql } from '../../../db/orm.ts';
import { startService, type Service } from '../../support/service.ts';
import { newMember, PASSWORD } from '../../support/users.ts';
import { startVariant, type Variant } from '../../support/variant.ts';

let service: Service;
let proxied: Variant;
beforeAll(async () => {
  service = await startService();
  proxied = await startVariant(service, { TRUST_PROXY: 1 });
});
afterAll(async () => {
  await proxied.stop();
  await service.stop();
});

const attempt = (username: string, password: string, address = '192.0.2.1') =>
  proxied.api('POST', '/auth/login', { username, password }, { token: null, headers: { 'x-forwarded-for': address } });
const engine = (query: ReturnType<typeof sql>) => engineEm(service.deps.orm).transactional((tx) => rows(tx, query));

async function fail(username: string, times: number, address?: string): Promise<void> {
  for (let n = 0; n < times; n += 1) assert.equal((await attempt(username, `Wrong-Guess-${n}`, address)).status, 401);
}

test('ten failures lock a name for their address, against the right password too', async () => {
  const [one, two] = [await newMember(service.api), await newMember(service.api)];
  await fail(one.username, 10);
  for (const name of [one.username, one.user.email, one.username.toUpperCase()]) {
    const locked = await attempt(name, PASSWORD);
    assert.deepEqual([locked.status, locked.body.code], [429, 'too_many_requests'], name);
    const wait = Number(locked.headers.get('retry-after'));
    assert.ok(wait > 14 * 60 && wait <= 15 * 60, `waits ${wait} s`);
  }
  assert.equal((await attempt(two.username, PASSWORD)).status, 200, 'another name is free');
  assert.equal((await attempt(one.username, PASSWORD, '192.0.2.2')).status, 200, 'another address is free');
});

test('the addresses of an IPv6 client are one: those of its /64', async () => {
  const { username } = await newMember(service.api);
  for (let n = 0; n < 10; n += 1) await fail(username, 1, `2001:db8:7:7::${n}`);
  assert.equal((await attempt(username, PASSWORD, '2001:db8:7:7:ffff::1')).status, 429);
  assert.equal((await attempt(username, PASSWORD, '2001:db8:7:8::1')).status, 200, 'another network is free');
});

test('the lock ends when the failures are fifteen minutes old', async () => {
  const { username } = await newMember(service.api);
  await fail(username, 10);
  assert.equal((await attempt(username, PASSWORD)).status, 429);
  await engine(sql`update login_failures set at = at - interval '14 minutes'`);
  const locked = await attempt(username, PASSWORD);
  assert.equal(locked.status, 429);
  assert.ok(Number(locked.headers.get('retry-after')) <= 60);
  await engine(sql`update login_failures set at = at - interval '1 minute'`);
  assert.equal((await attempt(username, PASSWORD)).status, 200);
});

test('a success forgets the failures of its address', async () => {
  const { username } = await newMember(service.api);
  await fail(username, 9);
  assert.equal((await attempt(username, PASSWORD)).status, 200);
  await fail(username, 9);
  assert.equal((await attempt(username, PASSWORD)).status, 200);
});

test('unknown names lock alike', async () => {
  await fail('nobody-at-all', 10);
  assert.equal((await attempt('NOBODY-at-all', 'Wrong-Guess-11')).status, 429);
});

test('a hundred failures over all addresses lock a name everywhere', async () => {
  const { username } = await newMember(service.api);
  await engine(sql`delete from login_failures`);
  await fail(username, 1);
  await engine(
    sql`insert into login_failures (tenant_id, name_hash, address) select tenant_id, name_hash, 'elsewhere ' || n from login_failures, generate_series(1, 98) n`,
  );
  assert.equal((await attempt(username, 'Wrong-Guess-100', '198.51.100.99')).status, 401);
  assert.equal((await attempt(username, PASSWORD, '203.0.113.9')).status, 429);
});

test('guesses that come at once, at two processes, do not slip past the lock', async () => {
  const { username } = await newMember(service.api);
  const direct = (password: string) => service.api('POST', '/auth/login', { username, password }, { token: null });
  const guesses = Array.from({ length: 40 }, (_, n) =>
    n % 2 === 0 ? direct(`Wrong-Guess-${n}`) : attempt(username, `Wrong-Guess-${n}`, '127.0.0.1'),
  );
  const statuses = (await Promise.all(guesses)).map((answer) => answer.status);
  assert.deepEqual(
    [401, 429].map((status) => statuses.filter((one) => one === status).length),
    [10, 30],
  );
});

test('right logins that come at once are no failures', async () => {
  const { username } = await newMember(service.api);
  await fail(username, 6);
  const statuses = (await Promise.all(Array.from({ length: 30 }, () => attempt(username, PASSWORD)))).map(
    (answer) => answer.status,
  );
  assert.deepEqual(
    statuses,
    Array.from({ length: 30 }, () => 200),
  );
  assert.equal(
    (
      await engine(
        sql`select 1 from audit_log where action = 'user.login_failed' and resource_id = (select id::text from users where username = ${username})`,
      )
    ).length,
    6,
  );
});

test('what a proxy writes beside the address makes no other address, and junk none', async () => {
  const { username } = await newMember(service.api);
  for (let n = 0; n < 10; n += 1)
    assert.equal((await attempt(username, `Wrong-Guess-${n}`, `192.0.2.9:${50_000 + n}`)).status, 401);
  assert.equal((await attempt(username, PASSWORD, '192.0.2.9:60000')).status, 429);
  assert.equal((await attempt(username, PASSWORD, 'x'.repeat(5000))).status, 200);
});

test('the present password is guarded by the same lock', async () => {
  const { token, username } = await newMember(service.api);
  const change = (currentPassword: string) =>
    service.api('PUT', '/auth/password', { currentPassword, newPassword: 'Next-Staple-11' }, { token });
  for (let n = 0; n < 10; n += 1) assert.equal((await change(`Wrong-Guess-${n}`)).status, 400);
  assert.equal((await change(PASSWORD)).status, 429);
  assert.equal(
    (await service.api('POST', '/auth/login', { username, password: PASSWORD }, { token: null })).status,
    429,
  );
});

test('neither the name that was tried nor old failures stay', async () => {
  await fail('typed-My-Password-1', 1);
  assert.deepEqual(await engine(sql`select 1 from login_failures f where to_jsonb(f)::text ilike '%typed%'`), []);
  await engine(sql`update login_failures set at = at - interval '1 hour'`);
  const [{ n: before } = { n: 0 }] = (await engine(sql`select count(*)::int as n from login_failures`)) as {
    n: number;
  }[];
  await fail('somebody-else', 1);
  const [{ n: left } = { n: 0 }] = (await engine(sql`select count(*)::int as n from login_failures`)) as {
    n: number;
  }[];
  assert.equal(left, Math.max(0, before - 20) + 1);
});
