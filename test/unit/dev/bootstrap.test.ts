import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from '@jest/globals';
import { processStart } from '../../../dev/process-start.mjs';
import { signal } from '../../../dev/process.ts';
import { until } from '../../support/until.ts';
import { tempDir, writeScript } from './temp-dir.ts';

const lock = (version: string) => ({
  packages: {
    '': {},
    'node_modules/a': { version },
    'node_modules/b': { version: '1.0.0', optional: true },
    'node_modules/tool': { version: '1.0.0', dev: true },
    'node_modules/a/node_modules/tool': { version: '2.0.0', dev: true },
  },
});

/** Installs as npm does: `ci` begins anew, `install` adds; the record comes last. */
const FAKE_NPM = `
const { mkdirSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
console.log('npm', process.argv.slice(2).join(' '));
if (process.argv[2] === 'ci') rmSync('node_modules', { recursive: true, force: true });
const { packages } = JSON.parse(readFileSync('package-lock.json'));
for (const [name, { dev, optional }] of Object.entries(packages)) {
  if (name === '' || optional || (dev && process.argv.includes('--omit=dev'))) delete packages[name];
  else mkdirSync(name, { recursive: true });
}
if (process.env.INTERRUPT) process.kill(process.pid, 'SIGKILL');
writeFileSync('node_modules/.package-lock.json', JSON.stringify({ packages }));`;

/** A repository of its own with a stand-in for npm. */
function repository(npm?: string) {
  const root = tempDir();
  for (const folder of ['dev', 'bin', 'node_modules']) mkdirSync(join(root, folder));
  for (const file of ['bootstrap.mjs', 'binaries.mjs', 'process-start.mjs'])
    copyFileSync(new URL(`../../../dev/${file}`, import.meta.url), join(root, 'dev', file));
  writeFileSync(join(root, 'package-lock.json'), JSON.stringify(lock('2.0.0')));
  writeFileSync(join(root, 'bin', 'npm.cjs'), FAKE_NPM);
  writeScript(join(root, 'bin', 'npm'), npm ?? `exec '${process.execPath}' '${root}/bin/npm.cjs' "$@"`);
  return root;
}

/** As npm leaves it, with the devDependencies or without. */
function installed(root: string, version: string, dev = true): void {
  const { packages } = lock(version);
  const present = Object.entries(packages).filter(
    ([name, it]) => name !== '' && !('optional' in it) && (dev || !('dev' in it)),
  );
  for (const [name] of present) mkdirSync(join(root, name), { recursive: true });
  writeFileSync(
    join(root, 'node_modules', '.package-lock.json'),
    JSON.stringify({ packages: Object.fromEntries(present) }),
  );
}

/** Starts `node dev/bootstrap.mjs script.mjs one two` in a process group of its own, as a terminal would. */
function bootstrap(root: string, script: string, env: NodeJS.ProcessEnv = {}, options: string[] = []) {
  writeFileSync(join(root, 'script.mjs'), script);
  const { npm_execpath: _, npm_lifecycle_event: __, ...rest } = process.env;
  const child = spawn(process.execPath, ['dev/bootstrap.mjs', ...options, 'script.mjs', 'one', 'two'], {
    cwd: root,
    env: { ...rest, PATH: `${join(root, 'bin')}:/usr/bin:/bin`, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  return { pid: child.pid as number, ended: once(child, 'close'), output: () => output };
}

async function outputOf(it: ReturnType<typeof bootstrap>): Promise<string> {
  assert.deepEqual(await it.ended, [0, null]);
  return it.output();
}

const PRINT = "console.log('args', process.argv.slice(2).join(' '));";

test('with everything installed it only runs the script, with its arguments and exit code', async () => {
  const root = repository();
  installed(root, '2.0.0');
  const it = bootstrap(root, `${PRINT} process.exit(5);`);
  assert.deepEqual(await it.ended, [5, null]);
  assert.equal(it.output(), 'args one two\n');
});

test('of two that start together one installs, and a dead one holds nobody up', async () => {
  const own = repository();
  mkdirSync(join(own, '.data'));
  const dead = spawn('true');
  await once(dead, 'exit');
  writeFileSync(join(own, '.data', 'installing.pid'), String(dead.pid));
  const both = [bootstrap(own, PRINT), bootstrap(own, PRINT)];
  for (const it of both) assert.deepEqual(await it.ended, [0, null]);
  const outputs = both.map((it) => it.output());
  assert.equal(outputs.filter((output) => output.includes('npm ci')).length, 1, outputs.join('---'));
  for (const output of outputs) assert.match(output, /args one two\n$/);
  assert.ok(!existsSync(join(own, '.data', 'installing.pid')));
});

test('it installs when nothing is installed, and when another version is', async () => {
  for (const version of [undefined, '1.0.0']) {
    const root = repository();
    if (version) installed(root, version);
    const it = bootstrap(root, PRINT);
    assert.deepEqual(await it.ended, [0, null]);
    assert.match(it.output(), /^Installing the dependencies.*\nnpm ci .*\nargs one two\n$/);
    const again = bootstrap(root, PRINT);
    await again.ended;
    assert.equal(again.output(), 'args one two\n');
  }
});

const OMIT = ['--omit=dev'];
const has = (root: string, name: string) => existsSync(join(root, 'node_modules', name));

test('what needs no devDependencies installs none, and what needs them adds them to what is there', async () => {
  const root = repository();
  const start = bootstrap(root, PRINT, {}, OMIT);
  assert.deepEqual(await start.ended, [0, null]);
  assert.match(start.output(), /\nnpm ci --omit=dev .*\nargs one two\n$/);
  assert.deepEqual([has(root, 'a'), has(root, 'tool')], [true, false]);
  const { ino } = statSync(join(root, 'node_modules', 'a'));
  const tests = bootstrap(root, PRINT);
  assert.deepEqual(await tests.ended, [0, null]);
  assert.match(tests.output(), /\nnpm install --no-save --include=dev .*\nargs one two\n$/);
  assert.deepEqual([has(root, 'tool'), statSync(join(root, 'node_modules', 'a')).ino], [true, ino]);
  for (const options of [OMIT, []]) {
    const again = bootstrap(root, PRINT, {}, options);
    await again.ended;
    assert.equal(again.output(), 'args one two\n');
  }
});

test('both together, on nothing: each gets what it needs, whoever is first', async () => {
  const root = repository();
  const both = [bootstrap(root, PRINT, {}, OMIT), bootstrap(root, PRINT)];
  for (const it of both) assert.deepEqual(await it.ended, [0, null]);
  assert.ok(has(root, 'a') && has(root, 'tool'));
  assert.equal(both.filter((it) => it.output().includes('npm ci')).length, 1);
});

test('a newer lock does not uninstall the devDependencies where they were installed', async () => {
  for (const dev of [true, false]) {
    const root = repository();
    installed(root, '1.0.0', dev);
    const it = bootstrap(root, PRINT, {}, OMIT);
    assert.deepEqual(await it.ended, [0, null]);
    assert.match(it.output(), dev ? /\nnpm ci --include=dev / : /\nnpm ci --omit=dev /);
    assert.equal(has(root, 'tool'), dev);
  }
});

test('under a service that runs nothing is installed anew, but devDependencies are added', async () => {
  const root = repository();
  installed(root, '1.0.0', false);
  mkdirSync(join(root, '.data'));
  const run = (start: string | null) =>
    writeFileSync(join(root, '.data', 'run.json'), JSON.stringify({ owner: { pid: process.pid, start } }));
  run(processStart(process.pid));
  const refused = bootstrap(root, PRINT);
  assert.deepEqual(await refused.ended, [1, null]);
  assert.equal(
    refused.output(),
    `Perennial runs (process ${process.pid}) on dependencies that are to be installed anew: stop it first (Ctrl-C, or kill ${process.pid}).\n`,
  );
  installed(root, '2.0.0', false);
  assert.match(await outputOf(bootstrap(root, PRINT)), /\nnpm install .*\nargs one two\n$/);
  // It has died since, and its pid is another's.
  installed(root, '1.0.0');
  run('once');
  assert.match(await outputOf(bootstrap(root, PRINT)), /\nnpm ci .*\nargs one two\n$/);
});

test('what an interrupted addition has left is removed and comes anew; what a service runs on stays', async () => {
  const root = repository();
  installed(root, '2.0.0', false);
  writeFileSync(join(root, 'node_modules', 'a', 'in-use'), '');
  const broken = bootstrap(root, PRINT, { INTERRUPT: '1' });
  assert.deepEqual(await broken.ended, [null, 'SIGKILL']);
  for (const folder of ['tool', 'a/node_modules/tool']) writeFileSync(join(root, 'node_modules', folder, 'half'), '');
  const start = bootstrap(root, PRINT, {}, OMIT);
  await start.ended;
  assert.equal(start.output(), 'args one two\n');
  const tests = bootstrap(root, PRINT);
  assert.deepEqual(await tests.ended, [0, null]);
  assert.match(tests.output(), /\nnpm install /);
  assert.deepEqual(
    [has(root, 'tool'), has(root, 'tool/half'), has(root, 'a/node_modules/tool/half'), has(root, 'a/in-use')],
    [true, false, false, true],
  );
});

test("Temporal's libraries of other systems are removed after the installation, and only where ours is there", async () => {
  const names = [
    'aarch64-apple-darwin',
    'aarch64-unknown-linux-gnu',
    'x86_64-apple-darwin',
    'x86_64-pc-windows-msvc',
    'x86_64-unknown-linux-gnu',
  ];
  const ours = names.filter((name) => name.includes(process.platform));
  for (const [there, kept] of [
    [names, ours],
    [['x86_64-pc-windows-msvc'], ['x86_64-pc-windows-msvc']],
  ] as const) {
    const root = repository();
    installed(root, '2.0.0', false);
    const releases = join(root, 'node_modules', '@temporalio', 'core-bridge', 'releases');
    for (const name of there) mkdirSync(join(releases, name), { recursive: true });
    const it = bootstrap(root, PRINT);
    assert.deepEqual(await it.ended, [0, null]);
    assert.deepEqual(readdirSync(releases), kept);
  }
});

test('an old Node runs the script with one that is new enough', async () => {
  const root = repository();
  const bin = join(root, 'cache', 'perennial', 'node-24.19.0', 'bin');
  mkdirSync(bin, { recursive: true });
  writeScript(join(bin, 'node'), `echo "the other Node"; exec '${process.execPath}' "$@"`);
  writeFileSync(join(root, 'old.mjs'), "Object.defineProperty(process, 'version', { value: 'v20.20.2' });");
  const env = {
    NODE_OPTIONS: `--import=${join(root, 'old.mjs')}`,
    XDG_CACHE_HOME: join(root, 'cache'),
    PATH: join(root, 'bin'),
  };
  installed(root, '2.0.0');
  const it = bootstrap(root, PRINT, env);
  assert.deepEqual(await it.ended, [0, null]);
  assert.equal(it.output(), 'the other Node\nargs one two\n');
});

test('an installation that fails or is missing is one clear line', async () => {
  const failing = bootstrap(repository('echo "no network"; exit 7'), PRINT);
  assert.deepEqual(await failing.ended, [1, null]);
  assert.match(failing.output(), /no network\nnpm ci --include=dev failed \(exit code 7\); its reason is above\.\n$/);
  const root = repository();
  const missing = bootstrap(root, PRINT, { PATH: join(root, 'nothing') });
  assert.deepEqual(await missing.ended, [1, null]);
  assert.match(missing.output(), /\nnpm is missing: [^\n]*\n$/);
});

const WAIT = `
  process.on('SIGTERM', () => { console.log('TERM'); setTimeout(() => process.exit(4), 100); });
  setInterval(() => {}, 1000);
  console.log('up', process.pid);`;

test('kill of the parent alone stops the script, which is waited for', async () => {
  const root = repository();
  installed(root, '2.0.0');
  const it = bootstrap(root, WAIT);
  await until('it is up', () => it.output().includes('up'));
  signal(it.pid, 'SIGTERM');
  assert.deepEqual(await it.ended, [4, null]);
  assert.equal(it.output().match(/TERM/g)?.length, 1);
});

test('Ctrl-C, which reaches parent and script, ends both by that signal', async () => {
  const root = repository();
  installed(root, '2.0.0');
  const it = bootstrap(root, WAIT);
  await until('it is up', () => it.output().includes('up'));
  const script = Number(/up (\d+)/.exec(it.output())?.[1]);
  process.kill(-it.pid, 'SIGINT');
  assert.deepEqual(await it.ended, [null, 'SIGINT']);
  assert.equal(processStart(script), null);
});

test('Ctrl-C while it installs ends it and leaves no npm', async () => {
  const root = repository('echo $$ > "$0.pid"; exec sleep 60');
  const it = bootstrap(root, PRINT);
  const pidFile = join(root, 'bin', 'npm.pid');
  await until('npm runs', () => existsSync(pidFile) && readFileSync(pidFile, 'utf8').trim());
  process.kill(-it.pid, 'SIGINT');
  assert.deepEqual(await it.ended, [null, 'SIGINT']);
  assert.equal(processStart(Number(readFileSync(pidFile, 'utf8'))), null);
});
