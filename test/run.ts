/** `npm test`: runs Jest with the given arguments in a process group of its own; its last line is `N passed, N failed`. */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { onStopRequest } from '../config/stop-signal.ts';

const ROOT = resolve(import.meta.dirname, '..');
/** How long Jest may stop its stack after Ctrl-C. */
const GRACE_MS = 20_000;
/** How many of the slowest test files are printed. */
const SLOWEST = 15;

interface Totals {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  numTodoTests: number;
  numRuntimeErrorTestSuites: number;
  /** Per test file; times in ms. */
  testResults: { name: string; startTime: number; endTime: number }[];
}

const args = process.argv.slice(2);
const dir = mkdtempSync(join(tmpdir(), 'perennial-results-'));
const resultsFile = join(dir, 'results.json');
let stopped = false;
let jest: ChildProcess | null = null;
onStopRequest(
  () => {
    stopped = true;
    signal('SIGTERM');
    setTimeout(() => signal('SIGKILL'), GRACE_MS).unref();
  },
  () => signal('SIGKILL'),
);
// Not before: what it gets of our environment must not name our parent.
jest = spawn(
  process.execPath,
  [join(ROOT, 'node_modules/jest/bin/jest.js'), '--json', `--outputFile=${resultsFile}`, ...args],
  {
    cwd: ROOT,
    stdio: ['ignore', 'ignore', 'inherit'],
    detached: true,
  },
);
const code = await new Promise<number | null>((exited) => jest.once('exit', exited));
signal('SIGKILL');
const totals = read();
rmSync(dir, { recursive: true });
const passed = totals?.numPassedTests ?? 0;
// What is left out has not passed, unless only some were asked for by name.
const leftOut =
  totals && !args.some((arg) => /^(-t|--testNamePattern)/.test(arg)) ? totals.numPendingTests + totals.numTodoTests : 0;
let failed = totals ? totals.numFailedTests + totals.numRuntimeErrorTestSuites + leftOut : 1;
if (stopped || code !== 0 || passed === 0) failed ||= 1;
printSlowest(totals?.testResults ?? []);
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exit(failed === 0 ? 0 : 1);

/** Prints the files that took longest, if there are many: they decide how long everything takes. */
function printSlowest(files: Totals['testResults']): void {
  if (files.length <= SLOWEST) return;
  const seconds = files.map(
    ({ name, startTime, endTime }) => [(endTime - startTime) / 1000, relative(ROOT, name)] as const,
  );
  const slowest = seconds.sort(([a], [b]) => b - a).slice(0, SLOWEST);
  process.stdout.write(
    `Slowest files:\n${slowest.map(([time, name]) => `${time.toFixed(1).padStart(8)} s  ${name}\n`).join('')}\n`,
  );
}

function read(): Totals | null {
  try {
    return JSON.parse(readFileSync(resultsFile, 'utf8')) as Totals;
  } catch {
    return null;
  }
}

/** Signals Jest and all of its processes but the tests', which end with it. */
function signal(name: NodeJS.Signals): void {
  try {
    if (jest?.pid) process.kill(-jest.pid, name);
  } catch {
    // The group is gone.
  }
}
