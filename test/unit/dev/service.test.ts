import assert from 'node:assert/strict';
import { appendFileSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from '@jest/globals';
import { logTail, rotateLogs, startService, untilReady } from '../../../dev/service.ts';
import { until } from '../../support/until.ts';
import { tempDir } from './temp-dir.ts';

const node = (dir: string, script: string, graceMs = 5_000) =>
  startService({
    name: 'It',
    command: process.execPath,
    args: ['-e', script],
    logFile: join(dir, 'logs', 'it.log'),
    graceMs,
  });
const never = () => Promise.reject(new Error('closed'));

test('a command that does not exist is an error with the service name', async () => {
  const options = { name: 'It', command: '/does/not/exist', args: [], logFile: join(tempDir(), 'it.log') };
  await assert.rejects(startService(options), /^Error: It could not be started: .*ENOENT/);
});

test('untilReady tells how the service ended and what it logged in this run', async () => {
  const dir = tempDir();
  const first = await node(dir, "console.log('of an earlier run')");
  await first.ended;
  appendFileSync(join(dir, 'logs', 'it.log'), 'older\n');
  const service = await node(dir, "console.error('no such setting'); process.exit(3)");
  await assert.rejects(untilReady(service, never), { message: 'It ended (exit code 3).\nno such setting' });
});

test('untilReady does not take the answer of another program for that of a service that has ended', async () => {
  const service = await node(tempDir(), 'process.exit(1)');
  await service.ended;
  await assert.rejects(
    untilReady(service, () => Promise.resolve('an answer')),
    /It ended \(exit code 1\)/,
  );
});

test('untilReady gives up with the last reason', async () => {
  const service = await node(tempDir(), 'setInterval(() => {}, 1000)');
  await assert.rejects(untilReady(service, never, 50), /It is not ready after 0.05 s: closed/);
  await service.stop();
});

test('stop waits for an orderly end, and kills what does not come to one', async () => {
  const dir = tempDir();
  const marker = "console.log('up'); setInterval(() => {}, 1000)";
  const upIn = (service: Awaited<ReturnType<typeof node>>) =>
    untilReady(service, async () => assert.match(readLog(dir, service.logStart), /up/));
  const orderly = await node(dir, `process.on('SIGTERM', () => setTimeout(() => process.exit(0), 50)); ${marker}`);
  await upIn(orderly);
  await orderly.stop();
  assert.equal(await orderly.ended, 'exit code 0');
  await orderly.stop();
  const deaf = await node(dir, `process.on('SIGTERM', () => {}); ${marker}`, 100);
  await upIn(deaf);
  await deaf.stop();
  assert.equal(await deaf.ended, 'signal SIGKILL');
});

function readLog(dir: string, from: number): string {
  return readFileSync(join(dir, 'logs', 'it.log'))
    .subarray(from)
    .toString();
}

test('a log that has grown too large is moved aside while its process goes on writing', async () => {
  const dir = tempDir();
  const file = join(dir, 'logs', 'it.log');
  const script =
    "process.on('SIGUSR2', () => console.log('after')); console.log('x'.repeat(2000)); setInterval(() => {}, 1000)";
  const service = await node(dir, script);
  await until('it has written', () => statSync(file).size > 2000);
  rotateLogs(join(dir, 'logs'), 5000);
  assert.ok(statSync(file).size > 2000);
  rotateLogs(join(dir, 'logs'), 1000);
  assert.equal(readFileSync(`${file}.old`, 'utf8'), `${'x'.repeat(2000)}\n`);
  assert.equal(statSync(`${file}.old`).mode & 0o777, 0o600);
  process.kill(service.pid, 'SIGUSR2');
  await until('it goes on', () => statSync(file).size > 0);
  assert.equal(readFileSync(file, 'utf8'), 'after\n');
  assert.equal(logTail({ ...service, logStart: 1000 }), 'after');
  await service.stop();
});
