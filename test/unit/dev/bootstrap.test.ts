import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { processStart, signal } from '../../../dev/process.ts';
import { until } from '../../support/until.ts';
import { tempDir, writeScript } from './temp-dir.ts';

const lock = (version: string) => ({ packages: { '': {}, 'node_modules/a': { version }, 'node_modules/b': { version: '1.0.0', optional: true } } });

/** A repository of its own with a stand-in for npm that installs what package-lock.json asks for. */
function repository(npm?: string) {
  const root = tempDir();
  for (const folder of ['dev', 'bin', 'node_modules']) mkdirSync(join(root, folder));
  copyFileSync(new URL('../../../dev/bootstrap.mjs', import.meta.url), join(root, 'dev', 'bootstrap.mjs'));
  writeFileSync(join(root, 'package-lock.json'), JSON.stringify(lock('2.0.0')));
  const binary = join(root, 'node_modules', 'node', 'bin');
  const install = `mkdir -p ${binary} && ln -sf ${process.execPath} ${binary}/node && cp ${root}/package-lock.json ${root}/node_modules/.package-lock.json`;
  writeScript(join(root, 'bin', 'npm'), npm ?? `echo "npm $@"; ${install}`);
  return root;
}

function installed(root: string, version: string): void {
  const { packages } = lock(version);
  writeFileSync(join(root, 'node_modules', '.package-lock.json'), JSON.stringify({ packages: { 'node_modules/a': packages['node_modules/a'] } }));
  mkdirSync(join(root, 'node_modules', 'node', 'bin'), { recursive: true });
  symlinkSync(process.execPath, join(root, 'node_modules', 'node', 'bin', 'node'));
}

/** Starts `node dev/bootstrap.mjs script.mjs one two` in a process group of its own, as a terminal would. */
function bootstrap(root: string, script: string, env: NodeJS.ProcessEnv = {}) {
  writeFileSync(join(root, 'script.mjs'), script);
  const { npm_execpath: _, npm_lifecycle_event: __, ...rest } = process.env;
  const child = spawn(process.execPath, ['dev/bootstrap.mjs', 'script.mjs', 'one', 'two'], {
    cwd: root,
    env: { ...rest, PATH: `${join(root, 'bin')}:/usr/bin:/bin`, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  return { pid: child.pid as number, ended: once(child, 'close'), output: () => output };
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

test('an installation that fails or is missing is one clear line', async () => {
  const failing = bootstrap(repository('echo "no network"; exit 7'), PRINT);
  assert.deepEqual(await failing.ended, [1, null]);
  assert.match(failing.output(), /no network\nnpm ci failed \(exit code 7\); its reason is above\.\n$/);
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
