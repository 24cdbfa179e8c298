import assert from 'node:assert/strict';
import { test } from '@jest/globals';
import { openSecret, sealSecret } from '../../../lib/text/secret-box.ts';
import { hotp, matchCode, otpauthUrl, stepOf } from '../../../domain/auth/credentials/totp.ts';
import { base32, fromBase32 } from '../../../lib/text/base32.ts';

const SECRET = Buffer.from('12345678901234567890');

test('the vectors of RFC 4226, appendix D', () => {
  const codes = ['755224', '287082', '359152', '969429', '338314', '254676', '287922', '162583', '399871', '520489'];
  assert.deepEqual(
    codes.map((_, counter) => hotp(SECRET, counter)),
    codes,
  );
});

test('the vectors of RFC 6238, appendix B, for SHA-1', () => {
  for (const [seconds, code] of [
    [59, '94287082'],
    [1_111_111_109, '07081804'],
    [1_111_111_111, '14050471'],
    [1_234_567_890, '89005924'],
    [2_000_000_000, '69279037'],
    [20_000_000_000, '65353130'],
  ] as const)
    assert.equal(hotp(SECRET, stepOf(seconds * 1000), 8), code);
});

test('the vectors of RFC 4648 for base32, without padding', () => {
  const vectors = {
    '': '',
    f: 'MY',
    fo: 'MZXQ',
    foo: 'MZXW6',
    foob: 'MZXW6YQ',
    fooba: 'MZXW6YTB',
    foobar: 'MZXW6YTBOI',
  };
  for (const [text, encoded] of Object.entries(vectors)) {
    assert.equal(base32(Buffer.from(text)), encoded);
    assert.equal(fromBase32(encoded.toLowerCase())?.toString(), text);
  }
  for (const other of ['MY=', 'M1', 'MZ', 'A']) assert.equal(fromBase32(other), null, other);
});

test('a code is taken one step early and one late, and no further', () => {
  const now = 1_800_000_015_000;
  const step = stepOf(now);
  for (const shift of [-1, 0, 1]) assert.equal(matchCode(SECRET, hotp(SECRET, step + shift), null, now), step + shift);
  for (const shift of [-3, -2, 2, 3]) assert.equal(matchCode(SECRET, hotp(SECRET, step + shift), null, now), null);
  // The edges of a step, to the millisecond.
  assert.equal(matchCode(SECRET, hotp(SECRET, step), null, (step + 2) * 30_000 - 1), step);
  assert.equal(matchCode(SECRET, hotp(SECRET, step), null, (step + 2) * 30_000), null);
  assert.equal(matchCode(SECRET, hotp(SECRET, step), null, (step - 1) * 30_000), step);
  assert.equal(matchCode(SECRET, hotp(SECRET, step), null, (step - 1) * 30_000 - 1), null);
});

test('no code counts that is not after the last one', () => {
  const now = 1_800_000_015_000;
  const step = stepOf(now);
  const match = (shift: number, last: number) => matchCode(SECRET, hotp(SECRET, step + shift), step + last, now);
  assert.equal(match(0, 0), null);
  assert.equal(match(-1, 0), null);
  assert.equal(match(1, 0), step + 1);
  assert.equal(match(1, 1), null);
  assert.equal(match(0, -1), step);
});

test('what is no code is none, and blanks in one do not count', () => {
  const now = 1_800_000_015_000;
  const code = hotp(SECRET, stepOf(now));
  assert.equal(matchCode(SECRET, ` ${code.slice(0, 3)} ${code.slice(3)} `, null, now), stepOf(now));
  for (const wrong of [
    '',
    '12345',
    `${code}0`,
    `0${code}`,
    code.slice(1),
    'abcdef',
    '\u0661\u0662\u0663\u0664\u0665\u0666',
    '-12345',
    '1e5',
  ]) {
    assert.equal(matchCode(SECRET, wrong, null, now), null, wrong);
  }
});

test('an authenticator app gets the address escaped', () => {
  const url = new URL(otpauthUrl(SECRET, 'a+b&issuer=x@example.com'));
  assert.equal(url.protocol, 'otpauth:');
  assert.equal(decodeURIComponent(url.pathname), '/Perennial:a+b&issuer=x@example.com');
  assert.deepEqual(Object.fromEntries(url.searchParams), {
    secret: base32(SECRET),
    issuer: 'Perennial',
    algorithm: 'SHA1',
    digits: '6',
    period: '30',
  });
});

const [ONE, TWO] = ['x'.repeat(32), 'y'.repeat(32)];

test('a sealed secret opens by its secret and by the one before, for its owner alone', () => {
  const sealed = sealSecret({ LINK_SECRET: ONE, LINK_SECRET_PREVIOUS: '' }, 'totp/default/1', SECRET);
  assert.deepEqual(openSecret({ LINK_SECRET: ONE, LINK_SECRET_PREVIOUS: '' }, 'totp/default/1', sealed), {
    secret: SECRET,
    isCurrent: true,
  });
  assert.deepEqual(openSecret({ LINK_SECRET: TWO, LINK_SECRET_PREVIOUS: ONE }, 'totp/default/1', sealed), {
    secret: SECRET,
    isCurrent: false,
  });
  assert.throws(() => openSecret({ LINK_SECRET: TWO, LINK_SECRET_PREVIOUS: '' }, 'totp/default/1', sealed), /neither/);
  assert.throws(() => openSecret({ LINK_SECRET: ONE, LINK_SECRET_PREVIOUS: '' }, 'totp/default/2', sealed), /neither/);
  assert.notEqual(
    sealSecret({ LINK_SECRET: ONE, LINK_SECRET_PREVIOUS: '' }, 'totp/default/1', SECRET),
    sealed,
    'no two look alike',
  );
});

test('one changed bit of a sealed secret is noticed', () => {
  const secrets = { LINK_SECRET: ONE, LINK_SECRET_PREVIOUS: TWO };
  const bytes = Buffer.from(sealSecret(secrets, 'o', SECRET), 'base64url');
  for (let at = 0; at < bytes.length; at += 1) {
    const altered = Buffer.from(bytes);
    altered[at]! ^= 1;
    assert.throws(() => openSecret(secrets, 'o', altered.toString('base64url')), /neither/);
  }
});
