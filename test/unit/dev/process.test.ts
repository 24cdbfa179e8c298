import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from '@jest/globals';
import { processStart } from '../../../dev/process-start.mjs';
import { signal, stopForeign } from '../../../dev/process.ts';

async function child(script: string) {
  const started = spawn(process.execPath, ['-e', `${script}; console.log('ready'); setInterval(() => {}, 1000)`]);
  await once(started.stdout, 'data');
  return { pid: started.pid as number, ended: once(started, 'exit') };
}

test('a process is told by its pid and start, and is gone once it has ended', async () => {
  const { pid, ended } = await child('');
  const start = processStart(pid);
  assert.ok(start);
  assert.equal(processStart(pid), start);
  signal(pid, 'SIGKILL');
  await ended;
  assert.equal(processStart(pid), null);
  signal(pid, 'SIGTERM');
});

test('stopForeign leaves a process alone whose start is another', async () => {
  const { pid, ended } = await child('');
  await stopForeign(pid, 'another start', 'SIGKILL', 0);
  assert.ok(processStart(pid));
  signal(pid, 'SIGKILL');
  await ended;
});

test('stopForeign asks first, and kills what does not stop in time', async () => {
  const obedient = await child("process.on('SIGTERM', () => process.exit(5))");
  await stopForeign(obedient.pid, processStart(obedient.pid) as string, 'SIGTERM', 30_000);
  assert.deepEqual(await obedient.ended, [5, null]);
  const deaf = await child("process.on('SIGTERM', () => {})");
  await stopForeign(deaf.pid, processStart(deaf.pid) as string, 'SIGTERM', 100);
  assert.deepEqual(await deaf.ended, [null, 'SIGKILL']);
});
