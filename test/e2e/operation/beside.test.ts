/** `npm run worker` and `npm run api` beside a running `npm start`. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, test } from '@jest/globals';
import { claimDataDir, type RunFile } from '../../../dev/run-file.ts';
import { onTestFinished } from '../../support/on-test-finished.ts';
import { processEnv } from '../../support/process-env.ts';
import { claimSlot, type Slot } from '../../support/slot.ts';
import { until } from '../../support/until.ts';

let slot: Slot;
let checkout: string;
let run: RunFile;
/** Something that listens where the API and the worker of `npm start` would. */
const taken = createServer();
let port: number;

beforeAll(async () => {
  slot = await claimSlot();
  checkout = await mkdtemp(join(tmpdir(), 'perennial-beside-'));
  // Its own dev/, so that it has a data folder of its own; what is in the other folders is the same.
  for (const name of await readdir('.'))
    if (!name.startsWith('.') && name !== 'dev') await symlink(resolve(name), join(checkout, name));
  await cp('dev', join(checkout, 'dev'), { recursive: true });
  taken.listen(0, '127.0.0.1');
  await once(taken, 'listening');
  port = (taken.address() as AddressInfo).port;
  run = await claimDataDir(join(checkout, '.data'), () => {});
  run.share({ ...slot.env, SMTP_URL: 'smtp://127.0.0.1:1', PORT: String(port), WORKER_HEALTH_PORT: String(port) });
});
afterAll(async () => {
  run.remove();
  taken.close();
  await rm(checkout, { recursive: true });
  await slot.release();
});

function start(script: string, args: string[] = [], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [join(checkout, 'dev', 'beside.ts'), script, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...processEnv, ...env },
  });
  const ended = once(child, 'close').then(([code]) => code as number | null);
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const said: string[] = [];
  createInterface(child.stderr).on('line', (line) => said.push(line));
  const ports: Record<string, number> = {};
  const told: string[] = [];
  createInterface(child.stdout).on('line', (line) => {
    const { msg, port: its } = JSON.parse(line) as { msg: string; port?: number };
    told.push(msg);
    if (its) ports[msg] = its;
  });
  return { said, told, ports, ended };
}

test('two workers and an API find the settings by themselves, say so, and take ports that are free', async () => {
  const workers = [start('worker/main.ts', ['--only', 'relay']), start('worker/main.ts', ['--only', 'relay'])];
  const api = start('api/server.ts');
  for (const worker of workers) await until('a worker works', () => worker.told.includes('working'));
  const at = await until('the API listens', () => api.ports['listening']);
  const all = [...workers, api];
  for (const { said } of all) {
    assert.equal(said.length, 1, said.join('\n'));
    assert.match(said[0]!, new RegExp(`^Using \\d+ settings of the \`npm start\` .*\\(process ${process.pid}\\)`));
  }
  const metrics = workers.map(({ ports }) => ports['serving metrics']!);
  const ports = [port, ...metrics, at];
  assert.equal(new Set(ports).size, 4, ports.join());
  for (const one of [...metrics, at]) assert.ok((await fetch(`http://127.0.0.1:${one}/metrics`)).ok);
});

test('a port that is set for a process is not replaced, and other settings of it are heeded', async () => {
  const api = start('api/server.ts', [], { PORT: String(port) });
  assert.equal(await api.ended, 2);
  assert.match(api.said.at(-1)!, /^PORT must be changed: port \d+ is in use$/);
  const worker = start('worker/main.ts', [], { LINK_SECRET: 'too short' });
  assert.equal(await worker.ended, 2);
  assert.match(worker.said.at(-1)!, /^LINK_SECRET must have 32 characters/);
  assert.equal(await start('worker/main.ts', ['--only', 'nothing']).ended, 2);
});

test('.env is heeded, and a port in it is that of `npm start`', async () => {
  const file = join(checkout, '.env');
  await writeFile(file, `PORT=${port}\nMAIL_FROM=nobody\n`);
  onTestFinished(() => rm(file, { force: true }));
  const refused = start('api/server.ts');
  assert.equal(await refused.ended, 2);
  assert.match(refused.said.at(-1)!, /^MAIL_FROM must be one address/);
  await writeFile(file, `PORT=${port}\n`);
  const api = start('api/server.ts');
  assert.ok((await until('the API listens', () => api.ports['listening'])) > port);
});
