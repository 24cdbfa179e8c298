import assert from 'node:assert/strict';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from '@jest/globals';
import { readEnv } from '../../../config/env.ts';
import { settingsBeside } from '../../../dev/settings-beside.ts';
import { loadSecrets } from '../../../dev/stack/secrets.ts';

const folder = () => mkdtemp(join(tmpdir(), 'perennial-beside-'));

test('a process beside `npm start` finds its addresses and secrets, also where settings change them', async () => {
  const dataDir = await folder();
  const secrets = await loadSecrets(dataDir);
  const given = { NATS_PORT: '4999', TEMPORAL_ADDRESS: 'temporal.example:7233', LINK_SECRET: 'x'.repeat(32) };
  const found = await settingsBeside(dataDir, given);
  const env = readEnv({ ...found, ...given });
  assert.equal(env.NATS_URL, `nats://perennial:${secrets.NATS_PASSWORD}@127.0.0.1:4999`);
  assert.equal(env.TEMPORAL_ADDRESS, 'temporal.example:7233');
  assert.equal(env.LINK_SECRET, given.LINK_SECRET);
  assert.equal(env.JWT_SECRET, secrets.JWT_SECRET);
  assert.match(env.DATABASE_URL, /127\.0\.0\.1:55432/);
  assert.equal(found['LINK_SECRET'], undefined);
});

test('a process that has all settings gets none, nor does one where nothing was started', async () => {
  assert.deepEqual(await settingsBeside(await folder(), {}), {});
  const dataDir = await folder();
  await loadSecrets(dataDir);
  const own = {
    ...{ DATABASE_URL: 'postgres://a@db/p', NATS_URL: 'nats://n', TEMPORAL_ADDRESS: 't:7233' },
    ...{ SMTP_URL: 'smtp://m', JWT_SECRET: 'x'.repeat(32), LINK_SECRET: 'x'.repeat(32) },
  };
  assert.deepEqual(await settingsBeside(dataDir, own), {});
});
