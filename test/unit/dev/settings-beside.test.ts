import assert from 'node:assert/strict';
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from '@jest/globals';
import { readEnv } from '../../../config/env.ts';
import { createPerennial } from '../../../dev/perennial.ts';
import { claimDataDir } from '../../../dev/run-file.ts';
import { settingsBeside } from '../../../dev/settings-beside.ts';
import { readStartSettings } from '../../../dev/settings.ts';
import { onTestFinished } from '../../support/on-test-finished.ts';
import { tempDir } from './temp-dir.ts';

const silent = () => {};
const ALL = {
  ...{ DATABASE_URL: 'postgres://a@db/p', NATS_URL: 'nats://127.0.0.1', TEMPORAL_ADDRESS: 't:7233' },
  ...{ SMTP_URL: 'smtp://m', JWT_SECRET: 'j'.repeat(32), LINK_SECRET: 'l'.repeat(32) },
};

async function runIn(dataDir: string) {
  const run = await claimDataDir(dataDir, silent);
  onTestFinished(() => run.remove());
  return run;
}

test('a process beside `npm start` gets what it lacks; what it has been given is stronger', async () => {
  const dataDir = tempDir();
  (await runIn(dataDir)).share({ ...ALL, PUBLIC_URL: 'https://mail.example.com' });
  const secret = join(dataDir, 'link-secret');
  writeFileSync(secret, `${'f'.repeat(32)}\n`);
  const given = { TEMPORAL_ADDRESS: 'temporal.example:7233', PUBLIC_URL: '', LINK_SECRET_FILE: secret };
  const found = await settingsBeside(dataDir, given);
  assert.equal(found?.pid, process.pid);
  const env = readEnv({ ...given, ...found?.settings });
  assert.equal(env.TEMPORAL_ADDRESS, 'temporal.example:7233');
  assert.equal(env.LINK_SECRET, 'f'.repeat(32));
  assert.deepEqual(
    [env.DATABASE_URL, env.NATS_URL, env.JWT_SECRET, env.PUBLIC_URL],
    [ALL.DATABASE_URL, ALL.NATS_URL, ALL.JWT_SECRET, 'https://mail.example.com'],
  );
});

test('a process that has all settings gets none, nor does one where nothing runs', async () => {
  const dataDir = tempDir();
  assert.equal(await settingsBeside(dataDir, {}), null);
  const run = await runIn(dataDir);
  run.share(ALL);
  assert.equal(await settingsBeside(dataDir, ALL), null);
  run.remove();
  assert.equal(await settingsBeside(dataDir, {}), null);
});

test('the entry of a run that has died is not used', async () => {
  const dataDir = tempDir();
  const owner = { pid: process.pid, start: 'of a process that had this pid before' };
  writeFileSync(join(dataDir, 'run.json'), JSON.stringify({ owner, stopping: false, settings: ALL, services: [] }));
  assert.equal(await settingsBeside(dataDir, {}), null);
});

test('a run that is just starting or stopping is told from one that works', async () => {
  const dataDir = tempDir();
  const run = await runIn(dataDir);
  await assert.rejects(settingsBeside(dataDir, {}), /^EnvError: The `npm start` here .* is still starting/);
  run.share(ALL);
  assert.ok(await settingsBeside(dataDir, {}));
  run.stopping();
  await assert.rejects(settingsBeside(dataDir, {}), /is stopping: try again/);
});

test('the settings are for their owner alone, as long as the run lasts', async () => {
  const dataDir = tempDir();
  const run = await runIn(dataDir);
  run.share(ALL);
  assert.equal(statSync(join(dataDir, 'run.json')).mode & 0o777, 0o600);
  run.remove();
  assert.equal(statSync(join(dataDir, 'run.json'), { throwIfNoEntry: false }), undefined);
});

test('`npm start` shares its ports and no password of an Admin', () => {
  const settings = readStartSettings({ PORT: '9000', ADMIN_PASSWORD: 'Correct-Horse-7', PATH: '/bin' });
  const perennial = createPerennial({
    ...{ root: '.', dataDir: tempDir(), settings, log: silent, spawned: silent, refused: silent },
  });
  assert.deepEqual(perennial.shared(), { PORT: '9000', WORKER_HEALTH_PORT: '9464' });
});
