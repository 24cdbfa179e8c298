import assert from 'node:assert/strict';
import { createHmac, generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, test } from '@jest/globals';
import jwt from 'jsonwebtoken';
import { startService, type Service } from '../../support/service.ts';
import { newMember, type Member } from '../../support/users.ts';
import { startVariant } from '../../support/variant.ts';

let service: Service;
let member: Member;
beforeAll(async () => {
  service = await startService();
  member = await newMember(service.api);
});
afterAll(() => service.stop());

type Claims = Record<string, unknown>;
const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const read = (token: string, index: 0 | 1): Claims =>
  JSON.parse(Buffer.from(token.split('.')[index]!, 'base64url').toString());
const header = () => read(member.token, 0);
const claims = () => read(member.token, 1);

/** Signed with the service's own secret: only what is in it can be wrong. */
function sign(payload: Claims = claims(), head: Claims = header(), secret = service.deps.env.JWT_SECRET): string {
  const content = `${part(head)}.${part(payload)}`;
  return `${content}.${createHmac('sha256', secret).update(content).digest('base64url')}`;
}
const without = (from: Claims, name: string): Claims =>
  Object.fromEntries(Object.entries(from).filter(([key]) => key !== name));
const call = (token: string) => service.api('GET', '/auth/profile', undefined, { token });

test('a token signed by us is taken, however often', async () => {
  for (const token of [member.token, sign(), sign({ ...claims(), extra: 1 })])
    assert.equal((await call(token)).status, 200);
});

test('no other token is taken', async () => {
  const [h, p, s] = member.token.split('.') as [string, string, string];
  const { privateKey, publicKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const { kid } = header() as { kid: string };
  const now = Math.floor(Date.now() / 1000);
  const attacks: Record<string, string> = {
    'alg none': `${part({ alg: 'none', typ: 'JWT', kid })}.${p}.`,
    'alg None with the signature': `${part({ alg: 'None', typ: 'JWT', kid })}.${p}.${s}`,
    'no signature': `${h}.${p}.`,
    'two parts': `${h}.${p}`,
    'another key': sign(claims(), header(), 'another-secret-that-is-long-enough-to-be-one'),
    'an empty key': sign(claims(), header(), ''),
    RS256: jwt.sign(claims(), privateKey, { algorithm: 'RS256', keyid: kid }),
    'RS256 header over our HMAC': sign(claims(), { ...header(), alg: 'RS256' }),
    'a public key as the secret': sign(claims(), header(), publicKey),
    'HS512 by our secret': jwt.sign(claims(), service.deps.env.JWT_SECRET, { algorithm: 'HS512', keyid: kid }),
    'HS384 header': sign(claims(), { ...header(), alg: 'HS384' }),
    'no kid': sign(claims(), without(header(), 'kid')),
    'an unknown kid': sign(claims(), { ...header(), kid: 'other' }),
    'a path as the kid': sign(claims(), { ...header(), kid: '../../dev/null' }),
    'tampered tenant': `${h}.${part({ ...claims(), tid: 'other' })}.${s}`,
    'tampered user': `${h}.${part({ ...claims(), sub: '1' })}.${s}`,
    'a flipped bit': `${h}.${p}.${s.startsWith('A') ? 'B' : 'A'}${s.slice(1)}`,
    'another audience': sign({ ...claims(), aud: 'other-api' }),
    'another issuer': sign({ ...claims(), iss: 'other' }),
    'not yet valid': sign({ ...claims(), nbf: now + 3600 }),
    'exp as text': sign({ ...claims(), exp: 'never' }),
    'a tenant of another user': sign({ ...claims(), tid: 'acme' }),
    'no user': sign({ ...claims(), sub: '999999' }),
    "another user's session": sign({ ...claims(), sub: '1' }),
    'an array': `${h}.${part([])}.${s}`,
    'no JSON': `${h}.${Buffer.from('{').toString('base64url')}.${s}`,
    'a header that is no JSON': `${Buffer.from('{"alg":"HS256"').toString('base64url')}.${p}.${s}`,
    'empty parts': '..',
    text: 'token',
    'a long token': `${h}.${'A'.repeat(10_000)}.${s}`,
    ...Object.fromEntries(
      ['iss', 'aud', 'jti', 'exp', 'sub', 'tid', 'sid'].map((name) => [`no ${name}`, sign(without(claims(), name))]),
    ),
    ...Object.fromEntries(
      [0, '', '-1', '1.5', '1e3', 'abc', '0', '99999999999999999999', null, [1]].map((sub) => [
        `sub ${JSON.stringify(sub)}`,
        sign({ ...claims(), sub }),
      ]),
    ),
    ...Object.fromEntries(
      ['', 'x', 5, null, `${'a'.repeat(36)}`].map((sid) => [`sid ${JSON.stringify(sid)}`, sign({ ...claims(), sid })]),
    ),
    ...Object.fromEntries(
      ['', '../x', 'DEFAULT', "x'; drop table users", 'a'.repeat(51), 7].map((tid) => [
        `tid ${JSON.stringify(tid)}`,
        sign({ ...claims(), tid }),
      ]),
    ),
  };
  for (const [what, token] of Object.entries(attacks)) {
    const answer = await call(token);
    assert.equal(answer.status, 401, `${what}: ${JSON.stringify(answer.body)}`);
    assert.match(answer.headers.get('www-authenticate') ?? '', /^Bearer/, what);
    assert.ok(['unauthorized', 'token_revoked'].includes(answer.body.code), `${what}: ${answer.body.code}`);
  }
});

test('an expired token says so', async () => {
  const now = Math.floor(Date.now() / 1000);
  const answer = await call(sign({ ...claims(), iat: now - 7200, exp: now - 1 }));
  assert.deepEqual([answer.status, answer.body.code], [401, 'token_expired']);
  assert.match(answer.headers.get('www-authenticate') ?? '', /error="invalid_token"/);
});

test('only the Bearer scheme of the header counts', async () => {
  const { token } = member;
  const send = (authorization: string) =>
    service.api('GET', '/auth/profile', undefined, { token: null, headers: { authorization } });
  for (const authorization of [`Bearer ${token}`, `bearer ${token}`, `Bearer   ${token}`])
    assert.equal((await send(authorization)).status, 200, authorization.slice(0, 10));
  for (const authorization of [
    token,
    `Basic ${token}`,
    `Bearer`,
    `Bearer `,
    `Bearer ${token} x`,
    `Bearer ${token}, Bearer ${token}`,
    `Token ${token}`,
  ]) {
    assert.equal((await send(authorization)).status, 401, authorization.slice(0, 10));
  }
  assert.equal(
    (await service.api('GET', `/auth/profile?access_token=${token}`, undefined, { token: null })).status,
    401,
  );
  assert.equal(
    (await service.api('GET', '/auth/profile', undefined, { token: null, headers: { cookie: `token=${token}` } }))
      .status,
    401,
  );
});

test('the previous secret verifies while it is rotated, and signs nothing', async () => {
  const secrets = {
    JWT_SECRET: 'a-new-secret-that-is-long-enough-to-be-one',
    JWT_SECRET_PREVIOUS: service.deps.env.JWT_SECRET,
  };
  const rotating = await startVariant(service, secrets);
  const rotated = await startVariant(service, { ...secrets, JWT_SECRET_PREVIOUS: '' });
  try {
    assert.equal((await rotating.api('GET', '/auth/profile', undefined, { token: member.token })).status, 200);
    assert.equal((await rotated.api('GET', '/auth/profile', undefined, { token: member.token })).status, 401);
    const fresh = await newMember(rotating.api);
    assert.equal((await rotated.api('GET', '/auth/profile', undefined, { token: fresh.token })).status, 200);
    assert.equal((await call(fresh.token)).status, 401);
  } finally {
    await rotating.stop();
    await rotated.stop();
  }
});

test("the lifetime is the setting's", async () => {
  const short = await startVariant(service, { JWT_EXPIRATION_MS: 90_500 });
  const { token } = await newMember(short.api);
  await short.stop();
  const { iat, exp } = read(token, 1) as { iat: number; exp: number };
  assert.equal(exp - iat, 90);
});
