import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { until } from '../../support/until.ts';

/** Runs `script`, which has a logger `log`, until it ends; `lines` are what it has written so far. */
function run(script: string) {
  const source = `import { createLogger } from ${JSON.stringify(resolve('config/logger.ts'))};\nconst log = createLogger('info', 'test');\n${script}`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', source], { stdio: ['pipe', 'pipe', 'ignore'] });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => { text += part; });
  const messages = (): string[] => text.split('\n').filter((line) => line !== '').map((line) => (JSON.parse(line) as { msg: string }).msg);
  return { child, messages, closed: once(child, 'close') as Promise<[number | null]> };
}

test('a line is there while the process goes on', async (t) => {
  const { child, messages } = run(`log.info('alive'); process.stdin.resume();`);
  t.after(() => child.kill('SIGKILL'));
  await until('the line is there', () => messages().length === 1);
  assert.deepEqual([messages(), child.exitCode], [['alive'], null]);
});

test('the last lines of a process that exits or crashes are there, many or few', async () => {
  for (const [last, code] of [['process.exit(3)', 3], [`throw new Error('crash')`, 1], ['', 0]] as const) {
    for (const count of [1, 1_000]) {
      const { messages, closed } = run(`for (let n = 1; n <= ${count}; n += 1) log.info('line ' + n); ${last}`);
      assert.deepEqual(await closed, [code, null]);
      assert.deepEqual([messages().length, messages().at(-1)], [count, `line ${count}`]);
    }
  }
});

test('a process whose reader has gone ends nevertheless', async (t) => {
  const { child } = run(`log.info('one'); process.stdin.resume().on('end', () => { log.info('two'); process.exit(0); });`);
  t.after(() => child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  child.stdout.destroy();
  const exited = once(child, 'exit');
  child.stdin.end();
  assert.deepEqual(await exited, [0, null]);
});
