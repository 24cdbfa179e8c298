import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { glob, readFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { onStopRequest } from '../dev/stop-signal.ts';
import { makeRunDir, startTestStack } from '../dev/test-stack.ts';

const ROOT = resolve(import.meta.dirname, '..');
const TEST_TIMEOUT_MS = 300_000;
/** A test that blocks its event loop can not be timed out from within; its run is ended after this silence. */
const SILENCE_MS = 2 * TEST_TIMEOUT_MS;
/** How long test files may clean up after Ctrl-C. */
const GRACE_MS = 5_000;
/** For files that claim more than one slot. */
const SPARE_SLOTS = 8;

const begin = performance.now();
const counts = { passed: 0, failed: 0 };
const cleanUps: (() => Promise<void>)[] = [];
let stopped = false;
let runner: ChildProcess | undefined;

onStopRequest(
  (reason) => {
    stopped = true;
    say(`Stopping (${reason}) …`);
    signalRunner('SIGTERM');
    setTimeout(() => signalRunner('SIGKILL'), GRACE_MS).unref();
  },
  () => signalRunner('SIGKILL'),
);

try {
  const files = await chooseFiles(process.argv.slice(2));
  const runDir = await makeRunDir(say);
  const { dir } = runDir;
  cleanUps.push(() => runDir.remove());
  const stackFile = files.every(isUnitTest) ? undefined : join(dir, 'stack.json');
  if (stackFile && !stopped) {
    const stack = await startTestStack(runDir, files.length + SPARE_SLOTS, stackFile, say);
    cleanUps.push(() => stack.stop());
    say(`The stack is up after ${seconds()}`);
  }
  if (!stopped) Object.assign(counts, await runTests(files, join(dir, 'counts.json'), stackFile));
} catch (error) {
  say(error instanceof Error ? error.message : String(error));
  counts.failed += 1;
} finally {
  for (const cleanUp of cleanUps.toReversed()) await cleanUp();
}
if (stopped || counts.passed === 0) counts.failed ||= 1;
process.stdout.write(`${seconds()}\n${counts.passed} passed, ${counts.failed} failed\n`);
process.exit(counts.failed === 0 ? 0 : 1);

/** The test files among the given files and folders, all when there are none given; relative to the root. */
async function chooseFiles(args: string[]): Promise<string[]> {
  const files = new Set<string>();
  for (const arg of args.length > 0 ? args : [join(ROOT, 'test')]) {
    const path = resolve(arg);
    if (!existsSync(path)) throw new Error(`There is no ${arg}`);
    if (statSync(path).isFile()) files.add(relative(ROOT, path));
    else for await (const file of glob('**/*.test.ts', { cwd: path })) files.add(relative(ROOT, join(path, file)));
  }
  if (files.size === 0) throw new Error(`There is no *.test.ts in ${args.join(', ')}`);
  return [...files].sort();
}

/** Unit tests use no stack, so a run of nothing else starts none. */
function isUnitTest(file: string): boolean {
  return file.startsWith(join('test', 'unit'));
}

/** Runs Node's test runner in a process group of its own, so that nothing a test has started can stay behind. */
async function runTests(files: string[], countsFile: string, stackFile?: string): Promise<typeof counts> {
  const options = ['--test', '--test-concurrency=3', `--test-timeout=${TEST_TIMEOUT_MS}`];
  options.push(`--test-reporter=${import.meta.resolve('./reporter.ts')}`, `--import=${import.meta.resolve('../dev/test-leaks.ts')}`);
  const env: NodeJS.ProcessEnv = { ...process.env, NODE_ENV: 'test', PERENNIAL_TEST_COUNTS: countsFile };
  if (stackFile) env.PERENNIAL_TEST_STACK = stackFile;
  const child = spawn(process.execPath, [...options, ...files], { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'inherit'], detached: true });
  runner = child;
  const silence = setTimeout(() => {
    say(`No test file has finished for ${SILENCE_MS / 60_000} minutes: stopping.`);
    signalRunner('SIGKILL');
  }, SILENCE_MS);
  child.stdout.on('data', (chunk: Buffer) => {
    silence.refresh();
    process.stdout.write(chunk);
  });
  const code = await new Promise((resolve) => child.once('exit', resolve));
  clearTimeout(silence);
  signalRunner('SIGKILL');
  const result = JSON.parse(await readFile(countsFile, 'utf8').catch(() => '{"passed":0,"failed":1}')) as typeof counts;
  // The runner may know of a failure that no test shows.
  if (code !== 0) result.failed ||= 1;
  return result;
}

/** Signals the runner and all that it has started. */
function signalRunner(signal: NodeJS.Signals): void {
  try {
    if (runner?.pid) process.kill(-runner.pid, signal);
  } catch {
    // The group is gone.
  }
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

function seconds(): string {
  return `${((performance.now() - begin) / 1000).toFixed(1)} s`;
}
