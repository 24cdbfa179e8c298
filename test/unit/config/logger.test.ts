import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { resolve } from 'node:path';
import { test } from '@jest/globals';
import { until } from '../../support/until.ts';
import { onTestFinished } from '../../support/on-test-finished.ts';

interface Logged {
  msg: string;
  err: { message: string; stack: string; code?: string; cause?: { code?: string; constraint?: string } };
}

/** Runs `script`, which has a logger `log`, until it ends; `lines` are what it has written so far. */
function run(script: string) {
  const source = `import { createLogger } from ${JSON.stringify(resolve('config/logger.ts'))};\nconst log = createLogger('info', 'test');\n${script}`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', source], { stdio: ['pipe', 'pipe', 'ignore'] });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  const lines = (): Logged[] =>
    text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Logged);
  return {
    child,
    lines,
    messages: () => lines().map((line) => line.msg),
    closed: once(child, 'close') as Promise<[number | null]>,
  };
}

test('a line is there while the process goes on', async () => {
  const { child, messages } = run(`log.info('alive'); process.stdin.resume();`);
  onTestFinished(() => child.kill('SIGKILL'));
  await until('the line is there', () => messages().length === 1);
  assert.deepEqual([messages(), child.exitCode], [['alive'], null]);
});

test('the last lines of a process that exits or crashes are there, many or few', async () => {
  for (const [last, code] of [
    ['process.exit(3)', 3],
    [`throw new Error('crash')`, 1],
    ['', 0],
  ] as const) {
    for (const count of [1, 1_000]) {
      const { messages, closed } = run(`for (let n = 1; n <= ${count}; n += 1) log.info('line ' + n); ${last}`);
      assert.deepEqual(await closed, [code, null]);
      assert.deepEqual([messages().length, messages().at(-1)], [count, `line ${count}`]);
    }
  }
});

test('a process whose reader has gone ends nevertheless', async () => {
  const { child } = run(
    `log.info('one'); process.stdin.resume().on('end', () => { log.info('two'); process.exit(0); });`,
  );
  onTestFinished(() => child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  child.stdout.destroy();
  const exited = once(child, 'exit');
  child.stdin.end();
  assert.deepEqual(await exited, [0, null]);
});

test('a logged error tells what failed and where, not what it was about', async () => {
  const { lines, closed } = run(`
    const address = 'ada@example.com';
    const refused = Object.assign(new Error('duplicate key value violates unique constraint "contacts_email_key"'),
      { code: '23505', constraint: 'contacts_email_key', detail: 'Key (email)=(' + address + ') already exists.', where: 'COPY contacts, line 3: "Ada"' });
    log.error({ err: new Error('not saved', { cause: refused }) }, 'one');
    log.error({ err: Object.assign(new Error('invalid input syntax for type integer: "Ada\\n\\"Secret-7"'), { code: '22P02' }) }, 'two');
    log.error({ err: Object.assign(new Error('550 <' + address + '>: unknown'), { code: 'EENVELOPE', response: address, rejected: [address] }) }, 'three');
    log.error({ err: new Error('can not connect to nats://perennial:Secret-7@example.com:4222') }, 'four');
    try { JSON.parse('{"password": Secret-7 of Ada}'); } catch (error) { log.error({ err: error }, 'five'); }
    log.error({ err: new AggregateError([refused, address], 'all failed') }, 'six');
    log.error({ err: { password: 'Secret-7', name: 'Ada' } }, 'seven');
  `);
  await closed;
  const text = JSON.stringify(lines());
  for (const value of ['ada@', 'Ada', 'Secret-7']) assert.ok(!text.includes(value), `${value} is in ${text}`);
  const [one, two, three] = lines() as [Logged, Logged, Logged];
  assert.deepEqual(
    [one.err.message, one.err.cause?.code, one.err.cause?.constraint],
    ['not saved', '23505', 'contacts_email_key'],
  );
  assert.match(one.err.stack, /^Error: not saved\n +at /);
  assert.deepEqual(
    [two.err.message, three.err.message, three.err.code],
    ['invalid input syntax for type integer: "…"', '550 <[address]>: unknown', 'EENVELOPE'],
  );
});

test('a process whose log cannot be written stays', async () => {
  const module = new URL('../../../config/logger.ts', import.meta.url).href;
  const script = `
    import { createLogger } from ${JSON.stringify(module)};
    const log = createLogger('info', 'test');
    for (let n = 0; n < 3; n += 1) {
      log.info('a line');
      await new Promise((resolve) => setTimeout(resolve, 150));
    }
    process.exit(7);`;
  const full = openSync('/dev/full', 'w');
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', full, 'inherit'] });
  closeSync(full);
  const [code] = (await once(child, 'exit')) as [number];
  assert.equal(code, 7);
});
