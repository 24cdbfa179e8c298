import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from '@jest/globals';
import { signal } from '../../../dev/process.ts';
import { until } from '../../support/until.ts';

const module = new URL('../../../config/stop-signal.ts', import.meta.url).href;

/** A process that prints what it is asked, runs `onStop` then, and ends when it is to kill. */
async function listener(env: NodeJS.ProcessEnv = {}, onStop = '') {
  const script = `
    import { onStopRequest } from ${JSON.stringify(module)};
    onStopRequest(
      (reason) => { console.log('stop', reason); ${onStop} },
      () => { console.log('kill'); process.exit(7); },
    );
    console.log('ready', process.env.PERENNIAL_PARENT_PID ?? '');
    setInterval(() => {}, 1000);`;
  const args = ['--input-type=module', '-e', script];
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const says = (text: string) => until(`it says ${text}`, () => output.includes(text));
  await says('ready');
  const pid = child.pid as number;
  return { pid, ended, says, output: () => output };
}

type Listener = Awaited<ReturnType<typeof listener>>;

/** Signals go on until one kills. */
async function killedByALaterSignal({ pid, ended, output }: Listener): Promise<void> {
  await until('a later signal kills', () => {
    signal(pid, 'SIGINT');
    return output().includes('kill');
  });
  assert.deepEqual(await ended, [7, null]);
  assert.equal(output().match(/stop/g)?.length, 1);
}

test('signals that come together are one request, a later one kills', async () => {
  const it = await listener();
  for (const name of ['SIGINT', 'SIGINT', 'SIGTERM'] as const) signal(it.pid, name);
  await it.says('stop SIG');
  signal(it.pid, 'SIGTERM');
  await killedByALaterSignal(it);
});

test('signals that came together are one request, however long the event loop was busy meanwhile', async () => {
  const busy = `
    const end = Date.now() + 2_500;
    while (Date.now() < end);
    setTimeout(() => console.log('free'), 50);`;
  const it = await listener({}, busy);
  signal(it.pid, 'SIGTERM');
  await it.says('stop SIGTERM');
  for (const name of ['SIGTERM', 'SIGINT'] as const) signal(it.pid, name);
  await it.says('free');
  assert.ok(!it.output().includes('kill'));
  await killedByALaterSignal(it);
});

test('it stops when the process that started it is another than it was told', async () => {
  const it = await listener({ PERENNIAL_PARENT_PID: '1' });
  await it.says('stop the terminal is gone');
  signal(it.pid, 'SIGKILL');
  await it.ended;
});

test('it lives on with its parent, and does not hand the parent on', async () => {
  const it = await listener({ PERENNIAL_PARENT_PID: String(process.pid) });
  const begin = Date.now();
  await until('it has looked for its parent', () => Date.now() - begin > 1_500);
  assert.equal(it.output(), 'ready \n');
  signal(it.pid, 'SIGKILL');
  await it.ended;
});
