import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { test } from '@jest/globals';
import fc from 'fast-check';
import jwt from 'jsonwebtoken';
import { signAccessToken, verifyAccessToken } from '../../../domain/auth/access/access-token.ts';
import { AppError } from '../../../lib/checks/errors.ts';
import { onTestFinished } from '../../support/on-test-finished.ts';

const secrets = {
  JWT_SECRET: 'a-secret-of-more-than-32-characters',
  JWT_SECRET_PREVIOUS: '',
  JWT_EXPIRATION_MS: 60_000,
};
const claims = { userId: 7, tenantId: 'default', sessionId: '0190d2a4-7b1c-4c5e-9f3a-2b6d8e4f1a90' };

test('what was signed is what is read', () => {
  const { token, expiresIn } = signAccessToken(secrets, claims);
  assert.equal(expiresIn, 60);
  assert.deepEqual(verifyAccessToken(secrets, token), claims);
  const two = [token, signAccessToken(secrets, claims).token].map((one) => (jwt.decode(one) as jwt.JwtPayload).jti);
  assert.notEqual(two[0], two[1], 'every token has its own jti');
});

test('a token that was right before is refused once it has expired, and by another secret', () => {
  mock.timers.enable({ apis: ['Date'], now: Date.now() });
  onTestFinished(() => mock.timers.reset());
  const { token, expiresIn } = signAccessToken(secrets, claims);
  const refused = (code: string, by = secrets) =>
    assert.throws(
      () => verifyAccessToken(by, token),
      (error) => error instanceof AppError && error.code === code,
    );
  assert.deepEqual(verifyAccessToken(secrets, token), claims);
  refused('unauthorized', { ...secrets, JWT_SECRET: 'another-secret-of-more-than-32-characters' });
  mock.timers.tick((expiresIn - 1) * 1000);
  assert.deepEqual(verifyAccessToken(secrets, token), claims);
  mock.timers.tick(1000);
  refused('token_expired');
});

test('the key is the UTF-8 bytes of the secret', () => {
  const umlauts = { ...secrets, JWT_SECRET: 'ä'.repeat(32) };
  const { token } = signAccessToken(umlauts, claims);
  assert.ok(jwt.verify(token, Buffer.from('ä'.repeat(32), 'utf8'), { algorithms: ['HS256'] }));
});

test('the kid tells keys apart without telling the secret', () => {
  const kid = (secret: string) =>
    jwt.decode(signAccessToken({ ...secrets, JWT_SECRET: secret }, claims).token, { complete: true })!.header.kid!;
  assert.notEqual(kid('a'.repeat(32)), kid('b'.repeat(32)));
  assert.equal(kid('a'.repeat(32)), kid('a'.repeat(32)));
  assert.ok(kid('a'.repeat(32)).length <= 8);
});

test('text that is no token of ours is a 401 and nothing worse', () => {
  const { token } = signAccessToken(secrets, claims);
  const refused = (text: string) =>
    assert.throws(
      () => verifyAccessToken(secrets, text),
      (error) => error instanceof AppError && error.status === 401,
    );
  fc.assert(fc.property(fc.string({ unit: 'binary' }), refused));
  fc.assert(
    fc.property(fc.json(), fc.json(), (head, payload) =>
      refused([head, payload, 'x'].map((part) => Buffer.from(part).toString('base64url')).join('.')),
    ),
  );
  // Any other character in any place, but for bits of the last one that base64url does not use.
  fc.assert(
    fc.property(fc.nat(token.length - 2), fc.constantFrom(...'AQgw09_-.=%'), (at, char) => {
      fc.pre(token[at] !== char);
      refused(token.slice(0, at) + char + token.slice(at + 1));
    }),
  );
});
