/**
 * `npm run explore -- --minutes 10`: runs the tests that draw from a seed with new ones, until the time is over. What it
 * finds becomes an example that is kept (`examples` of fast-check, or a test of its own).
 */
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

const ROOT = resolve(import.meta.dirname, '..');
const { values, positionals } = parseArgs({
  options: { minutes: { type: 'string', default: '10' } },
  allowPositionals: true,
});
const minutes = Number(values.minutes);
if (!(minutes > 0)) {
  process.stderr.write('--minutes must be a number above 0\n');
  process.exit(2);
}
const timer = AbortSignal.timeout(minutes * 60_000);
/** These draw; paths that are given choose among them. */
const files = globSync('test/**/*.test.ts', { cwd: ROOT }).filter(
  (file) =>
    /from 'fast-check'|\bSEEDS?\b/.test(readFileSync(resolve(ROOT, file), 'utf8')) &&
    (positionals.length === 0 || positionals.some((part) => file.includes(part))),
);
if (files.length === 0) {
  process.stderr.write('no test that draws from a seed has such a path\n');
  process.exit(2);
}

let [runs, found] = [0, 0];
while (!timer.aborted) {
  const file = files[randomInt(files.length)]!;
  const seed = randomInt(2 ** 31 - 1);
  const failed = await fails(file, seed);
  if (timer.aborted) break;
  runs += 1;
  if (!failed) continue;
  found += 1;
  process.stdout.write(`\nfails: EXPLORE_SEED=${seed} npm test -- ${file}\n\n`);
}
process.stdout.write(`${runs} runs, ${found} failed\n`);
process.exit(found === 0 ? 0 : 1);

/** Runs a test file with a seed; it prints its failures, with the counterexample. */
function fails(file: string, seed: number): Promise<boolean> {
  return new Promise((ended) => {
    const run = spawn(process.execPath, [resolve(ROOT, 'test/run.ts'), file], {
      cwd: ROOT,
      stdio: ['ignore', 'inherit', 'inherit'],
      // It ends when its parent, which is this process, does.
      env: { ...process.env, EXPLORE_SEED: String(seed), PERENNIAL_PARENT_PID: String(process.pid) },
    });
    const stop = (): boolean => run.kill('SIGTERM');
    timer.addEventListener('abort', stop);
    run.once('exit', (code) => {
      timer.removeEventListener('abort', stop);
      ended(code !== 0);
    });
  });
}
