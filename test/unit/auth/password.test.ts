import assert from 'node:assert/strict';
import { test } from '@jest/globals';
import { parseOptions } from '@node-rs/argon2';
import { AppError } from '../../../lib/checks/errors.ts';
import {
  HASH_OPTIONS,
  hashPassword,
  withHashingSlot,
  verifyPassword,
} from '../../../domain/auth/credentials/password.ts';
import { checkPassword } from '../../../domain/auth/credentials/password-policy.ts';

test('a hash is argon2id by our parameters, salted, and fits its password only', async () => {
  const [one, two] = [await hashPassword('Correct-Horse-7'), await hashPassword('Correct-Horse-7')];
  assert.notEqual(one, two);
  const { memoryCost, timeCost, parallelism, algorithm } = parseOptions(one);
  assert.deepEqual({ memoryCost, timeCost, parallelism }, HASH_OPTIONS);
  assert.equal(algorithm, 2);
  assert.equal(await verifyPassword(one, 'Correct-Horse-7'), true);
  assert.equal(await verifyPassword(one, 'correct-Horse-7'), false);
});

test("nobody's hash matches nothing and costs the same", async () => {
  assert.equal(await verifyPassword(null, ''), false);
  const source = await import('node:fs/promises').then((fs) =>
    fs.readFile(new URL('../../../domain/auth/credentials/password.ts', import.meta.url), 'utf8'),
  );
  const { memoryCost, timeCost, parallelism } = parseOptions(/'(\$argon2id\$[^']+)'/.exec(source)![1]!);
  assert.deepEqual({ memoryCost, timeCost, parallelism }, HASH_OPTIONS);
});

test('a refusal when it is its turn leaves the queue working', async () => {
  const refuse = async () => {
    throw new AppError('too_many_requests');
  };
  const results = await Promise.allSettled(
    Array.from({ length: 20 }, (_, n) => withHashingSlot(n % 2 === 0 ? refuse : async () => false)),
  );
  assert.deepEqual(
    results.map((result) => result.status),
    Array.from({ length: 20 }, (_, n) => (n % 2 === 0 ? 'rejected' : 'fulfilled')),
  );
});

test('few run at once, some wait, and the rest are turned away at once', async () => {
  let running = 0;
  let most = 0;
  let release = (): void => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  const work = async () => {
    running += 1;
    most = Math.max(most, running);
    await gate;
    running -= 1;
    throw new Error('enough');
  };
  const calls = Array.from({ length: 300 }, () => withHashingSlot(work));
  const turnedAway = await Promise.allSettled(calls.slice(202));
  for (const result of turnedAway) {
    assert.ok(
      result.status === 'rejected' && result.reason instanceof AppError && result.reason.code === 'unavailable',
    );
    assert.equal(result.reason.headers?.['Retry-After'], '2');
  }
  release();
  const served = await Promise.allSettled(calls.slice(0, 202));
  assert.ok(served.every((result) => result.status === 'rejected' && (result.reason as Error).message === 'enough'));
  assert.equal(most, 2);
  assert.equal(await withHashingSlot(async () => 'done'), 'done', 'and the queue is free again');
});

test('the policy names every rule that is not met, at the given place', () => {
  assert.deepEqual(
    checkPassword('', '/newPassword').map((violation) => `${violation.path} ${violation.code}`),
    [
      '/newPassword too_short',
      '/newPassword no_upper_case',
      '/newPassword no_lower_case',
      '/newPassword no_digit',
      '/newPassword no_special_character',
    ],
  );
  assert.deepEqual(checkPassword('Ab1-wxyz'), []);
  assert.deepEqual(
    checkPassword('😀😀😀😀Ab1').map((violation) => violation.code),
    ['too_short'],
    'characters count, not UTF-16 units',
  );
});
