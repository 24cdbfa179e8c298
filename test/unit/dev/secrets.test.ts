import assert from 'node:assert/strict';
import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from '@jest/globals';
import { loadSecrets } from '../../../dev/stack/secrets.ts';
import { tempDir } from './temp-dir.ts';

test('secrets are made once, long enough to sign with, and for the owner alone', async () => {
  const dir = tempDir();
  const secrets = await loadSecrets(dir);
  for (const secret of Object.values(secrets)) assert.ok(secret.length >= 32);
  assert.equal(new Set(Object.values(secrets)).size, 4);
  const file = join(dir, 'secrets.json');
  assert.equal(statSync(file).mode & 0o777, 0o600);
  chmodSync(file, 0o644);
  assert.deepEqual(await loadSecrets(dir), secrets);
  assert.equal(statSync(file).mode & 0o777, 0o600);
});

test('a secret that the file lacks is added, the others stay', async () => {
  const dir = tempDir();
  writeFileSync(join(dir, 'secrets.json'), '{"JWT_SECRET":"kept"}');
  const secrets = await loadSecrets(dir);
  assert.equal(secrets.JWT_SECRET, 'kept');
  assert.deepEqual(JSON.parse(readFileSync(join(dir, 'secrets.json'), 'utf8')), secrets);
});

test('a damaged file is an error, and is not written over', async () => {
  const file = join(tempDir(), 'secrets.json');
  writeFileSync(file, '{"JWT_SE');
  await assert.rejects(loadSecrets(join(file, '..')), /is damaged/);
  assert.equal(readFileSync(file, 'utf8'), '{"JWT_SE');
});
