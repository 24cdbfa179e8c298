import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from '@jest/globals';
import { processStart } from '../../../dev/process-start.mjs';
import { signal } from '../../../dev/process.ts';
import { claimDataDir, isOrphaned } from '../../../dev/run-file.ts';
import { startService } from '../../../dev/service.ts';
import { until } from '../../support/until.ts';
import { tempDir } from './temp-dir.ts';
import { onTestFinished } from '../../support/on-test-finished.ts';

const silent = () => {};
const runFile = new URL('../../../dev/run-file.ts', import.meta.url).href;

/** Another process that claims the folder, with services of its own, and lives until it is killed. */
async function otherRun(dir: string, names: string[], stopping = false) {
  const script = `
    import { claimDataDir } from ${JSON.stringify(runFile)};
    import { startService } from ${JSON.stringify(runFile.replace('run-file', 'service'))};
    const run = await claimDataDir(${JSON.stringify(dir)}, () => {});
    for (const name of ${JSON.stringify(names)}) {
      const args = ['-e', 'setInterval(() => {}, 1000)'];
      await startService({ name, command: process.execPath, args, logFile: ${JSON.stringify(join(dir, 'it.log'))}, spawned: (s) => run.add(s) });
    }
    if (${stopping}) run.stopping();
    console.log('ready');
    process.on('SIGTERM', () => { run.remove(); process.exit(0); });
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  const { services } = JSON.parse(readFileSync(join(dir, 'run.json'), 'utf8')) as {
    services: { name: string; pid: number }[];
  };
  return { pid: child.pid as number, ended: once(child, 'exit'), services };
}

test('a folder that another process uses is refused with its pid, and left as it is', async () => {
  const dir = tempDir();
  const other = await otherRun(dir, []);
  const mode = () => statSync(dir).mode & 0o777;
  const closed = process.getuid?.() === 0 ? 0o711 : 0o700;
  assert.equal(mode(), closed);
  // As nobody leaves it, to see that it is not touched.
  chmodSync(dir, 0o755);
  assert.equal(await isOrphaned(dir), false);
  await assert.rejects(claimDataDir(dir, silent), (error: Error) => error.message.includes(`kill ${other.pid}`));
  assert.ok(existsSync(join(dir, 'run.json')));
  assert.equal(mode(), 0o755);
  signal(other.pid, 'SIGTERM');
  await other.ended;
  (await claimDataDir(dir, silent)).remove();
  assert.equal(mode(), closed);
});

test('what a killed run left behind is stopped, Postgres last, and said', async () => {
  const dir = tempDir();
  const other = await otherRun(dir, ['Postgres', 'api', 'NATS']);
  signal(other.pid, 'SIGKILL');
  await other.ended;
  assert.equal(await isOrphaned(dir), true);
  const lines: string[] = [];
  const run = await claimDataDir(dir, (line) => lines.push(line));
  assert.deepEqual(
    lines.map((line) => /^Stopping (\w+)/.exec(line)?.[1]),
    ['api', 'NATS', 'Postgres'],
  );
  for (const { pid } of other.services) assert.equal(processStart(pid), null);
  run.remove();
  assert.equal(existsSync(join(dir, 'run.json')), false);
});

test('a run that is stopping is waited for', async () => {
  const dir = tempDir();
  const other = await otherRun(dir, [], true);
  const lines: string[] = [];
  const claim = claimDataDir(dir, (line) => lines.push(line));
  await until('it says that it waits', () => lines.length === 1);
  signal(other.pid, 'SIGTERM');
  (await claim).remove();
  assert.match(lines[0] as string, /^Waiting for the previous run/);
});

test('a damaged file is taken over', async () => {
  const dir = tempDir();
  writeFileSync(join(dir, 'run.json'), '{"owner"');
  (await claimDataDir(dir, silent)).remove();
});

test('only services that still run are kept in the file', async () => {
  const dir = tempDir();
  const run = await claimDataDir(dir, silent);
  const start = () => {
    const options = {
      command: process.execPath,
      args: ['-e', 'setInterval(() => {}, 1000)'],
      logFile: join(dir, 'it.log'),
    };
    return startService({ name: 'it', ...options, spawned: (service) => run.add(service) });
  };
  const first = await start();
  await first.stop();
  const second = await start();
  const { services } = JSON.parse(readFileSync(join(dir, 'run.json'), 'utf8')) as { services: { pid: number }[] };
  assert.deepEqual(
    services.map(({ pid }) => pid),
    [second.pid],
  );
  await second.stop();
  run.remove();
});
