import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { afterAll, beforeAll, test } from '@jest/globals';
import { engineEm, connect, rows, sql, type Orm } from '../../../db/orm.ts';
import { adminProblems, ensureAdmin } from '../../../domain/accounts/ensure-admin.ts';
import { registerUser } from '../../../domain/accounts/register-user.ts';
import { createLinkSigner } from '../../../domain/addresses/tokens.ts';
import { claimSlot, type Slot } from '../../support/slot.ts';
import { registration } from '../../support/users.ts';
import { processEnv } from '../../support/process-env.ts';

let slot: Slot;
let orms: Orm[];
beforeAll(async () => {
  slot = await claimSlot();
  // Two, as two API processes have.
  orms = [
    await connect(slot.env['DATABASE_URL']!, { poolMax: 6 }),
    await connect(slot.env['DATABASE_URL']!, { poolMax: 6 }),
  ];
});
afterAll(async () => {
  await Promise.all(orms.map((orm) => orm.close()));
  await slot.release();
});

const links = createLinkSigner({ secret: 'l'.repeat(32) });
const env = { ENABLE_REGISTRATION: true, ENABLE_EMAIL_VERIFICATION: false, ENABLE_MULTI_TENANT: false };
const visitor = { requestId: 'r', address: '192.0.2.1' };
const noAdmin = { ADMIN_USERNAME: 'admin', ADMIN_EMAIL: '', ADMIN_PASSWORD: '' };
const start = (orm: Orm, admin = noAdmin) => ensureAdmin({ orm, env: admin, log: { info() {} } });
const register = (orm: Orm) => registerUser({ orm, links, env }, registration(), visitor);
const clear = () => engineEm(orms[0]!).transactional((tx) => rows(tx, sql`delete from users`));
const admins = (users: { roles: string[] }[]) => users.filter(({ roles }) => roles.includes('Admin')).length;

test('who registers first in the tenant becomes its Admin, the others users, however many come at once', async () => {
  await start(orms[0]!);
  for (let round = 0; round < 3; round += 1) {
    await clear();
    const users = await Promise.all(Array.from({ length: 10 }, (_, n) => register(orms[n % 2]!)));
    assert.equal(admins(users), 1);
    assert.ok(users.every(({ roles }) => roles.length === 1));
    assert.deepEqual((await register(orms[0]!)).roles, ['User']);
  }
});

test('of a start that makes the Admin and a first registration at once, one makes the Admin', async () => {
  for (let round = 0; round < 5; round += 1) {
    await clear();
    await Promise.all([start(orms[0]!, { ...noAdmin, ADMIN_PASSWORD: 'Correct-Horse-7' }), register(orms[1]!)]);
    const users = await engineEm(orms[0]!).transactional((tx) =>
      rows<{ roles: string[] }>(tx, sql`select roles from users`),
    );
    assert.equal(admins(users), 1, JSON.stringify(users));
  }
});

test('settings of the Admin that do not do are told, one line each', async () => {
  assert.deepEqual(adminProblems(noAdmin), []);
  assert.deepEqual(
    adminProblems({ ADMIN_USERNAME: 'Ada', ADMIN_EMAIL: 'Ada@Example.com', ADMIN_PASSWORD: 'Correct-Horse-7' }),
    [],
  );
  assert.deepEqual(
    adminProblems({ ADMIN_USERNAME: 'a@example.com', ADMIN_EMAIL: 'A@example.com', ADMIN_PASSWORD: 'Correct-Horse-7' }),
    [],
  );
  assert.deepEqual(adminProblems({ ADMIN_USERNAME: 'no spaces', ADMIN_EMAIL: 'nobody', ADMIN_PASSWORD: 'abc' }), [
    'ADMIN_PASSWORD must have at least 8 characters',
    'ADMIN_PASSWORD must have an upper-case letter',
    'ADMIN_PASSWORD must have a digit',
    'ADMIN_PASSWORD must have a special character',
    'ADMIN_EMAIL must be an email address',
    'ADMIN_USERNAME must contain only letters, digits and . _ - +',
  ]);
  await assert.rejects(start(orms[0]!, { ...noAdmin, ADMIN_PASSWORD: 'abc' }), /at least 8 characters/);
});

test('the API does not start with them', async () => {
  const settings = { ...slot.env, SMTP_URL: 'smtp://127.0.0.1:1', ADMIN_PASSWORD: 'abcdefgh', ADMIN_USERNAME: 'x y' };
  const { code, stderr } = await new Promise<{ code: unknown; stderr: string }>((done) => {
    execFile(
      process.execPath,
      [resolve('api/server.ts')],
      { env: { ...processEnv, ...settings } },
      (error, _stdout, printed) => done({ code: error?.code, stderr: printed }),
    );
  });
  assert.equal(code, 2);
  assert.deepEqual(stderr.trim().split('\n'), [
    'ADMIN_PASSWORD must have an upper-case letter',
    'ADMIN_PASSWORD must have a digit',
    'ADMIN_PASSWORD must have a special character',
    'ADMIN_USERNAME must contain only letters, digits and . _ - +',
  ]);
});
