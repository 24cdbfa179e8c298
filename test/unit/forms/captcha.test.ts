import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mock } from 'node:test';
import { beforeEach, test } from '@jest/globals';
import type { Env } from '../../../config/env-schema.ts';
import { createLinkSigner } from '../../../domain/addresses/tokens.ts';
import { createCaptcha, type Challenge } from '../../../domain/forms/captcha.ts';

const FORM = 12;
const links = createLinkSigner({ secret: 'l'.repeat(32) });
const captcha = createCaptcha({ CAPTCHA_PROVIDER: 'altcha', CAPTCHA_DIFFICULTY: 500 } as Env, links);

let given: Challenge;
let number: number;
beforeEach(async () => {
  given = (await captcha.challenge(FORM))!;
  number = Array.from({ length: given.maxnumber + 1 }, (_, n) => n).find(
    (n) => createHash('sha256').update(`${given.salt}${n}`).digest('hex') === given.challenge,
  )!;
});

const checked = async (formId: number, solution: unknown): Promise<string> => {
  const altcha = Buffer.from(JSON.stringify(solution)).toString('base64');
  const found = await captcha.check(formId, { altcha }, null);
  return 'code' in found ? found.code : 'solved';
};

test('a solution is right for its form, until it expires', async () => {
  const solution = { ...given, number };
  assert.equal(await checked(FORM, solution), 'solved');
  assert.equal(await checked(FORM + 1, solution), 'captcha_invalid');
  const later = Date.now() + 21 * 60_000;
  mock.timers.enable({ apis: ['Date'], now: later });
  try {
    assert.equal(await checked(FORM, solution), 'captcha_invalid');
  } finally {
    mock.timers.reset();
  }
});

test('what is in the salt cannot be moved to the number, by which a solution would never expire', async () => {
  const text = `${given.salt}${number}`;
  assert.match(text, /^[0-9a-f]+\?form=12&expires=\d+&\d+$/);
  // The same text, so the same hash and signature, divided elsewhere.
  for (let at = 0; at <= text.length; at += 1) {
    const [salt, rest] = [text.slice(0, at), text.slice(at)];
    // The library adds what separates them if it is not there.
    for (const start of new Set([salt, salt.replace(/&$/, '')])) {
      const isSame = start.replace(/&$/, '') === given.salt.replace(/&$/, '') && /^\d+$/.test(rest);
      assert.equal(await checked(FORM, { ...given, salt: start, number: rest }), 'captcha_invalid', start);
      const asNumber = { ...given, salt: start, number: Number(rest) };
      assert.equal(await checked(FORM, asNumber), isSame ? 'solved' : 'captcha_invalid', start);
    }
  }
});

test('what is no solution is none', async () => {
  const solution = { ...given, number };
  const salt = given.salt.replace(/&expires=\d+/, '');
  for (const wrong of [
    null,
    1,
    [],
    {},
    { ...solution, number: undefined },
    { ...solution, number: `${number}` },
    { ...solution, number: [number] },
    { ...solution, number: 2 ** 60 },
    { ...solution, salt: [given.salt] },
    { ...solution, salt },
    { ...solution, algorithm: 'nonsense' },
  ])
    assert.equal(await checked(FORM, wrong), 'captcha_invalid', JSON.stringify(wrong));
});
