import { fork } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { AssertionResult, Test, TestResult } from '@jest/test-result';
import type { Config } from '@jest/types';
import { formatResultsErrors } from 'jest-message-util';
import type {
  CallbackTestRunnerInterface,
  OnTestFailure,
  OnTestStart,
  OnTestSuccess,
  TestRunnerOptions,
  TestWatcher,
} from 'jest-runner';
import { LEAK_MS, type Message, type Order } from './messages.ts';

const PROCESS = resolve(import.meta.dirname, 'process.ts');
/** Caches compiled modules, like `npm test`: each process loads a third faster. */
const NODE_COMPILE_CACHE = resolve(import.meta.dirname, '../../node_modules/.cache/node');
/**
 * A test that blocks its event loop cannot time out from within: its process is killed if it reports nothing for this
 * many times a test's time limit.
 */
const SILENCE = 2;

/** What the process of a test file has reported, and how it ended. */
interface Ended {
  results: AssertionResult[] | undefined;
  output: string;
  /** What is wrong with the file as a whole, or null. */
  fault: string | null;
}

/**
 * Jest's runner for this repository: each test file runs in its own process, loaded by Node like the service, with
 * Jest's own test framework (jest-circus). Fails a file if something keeps its process alive after its tests, or if it
 * leaves processes behind.
 */
export default class ProcessRunner implements CallbackTestRunnerInterface {
  readonly supportsEventEmitters = false;
  readonly #config: Config.GlobalConfig;
  /** The running process groups. */
  readonly #running = new Set<number>();

  constructor(config: Config.GlobalConfig) {
    this.#config = config;
    process.on('exit', () => {
      for (const group of this.#running) killGroup(group);
    });
  }

  async runTests(
    tests: Test[],
    watcher: TestWatcher,
    onStart: OnTestStart,
    onResult: OnTestSuccess,
    onFailure: OnTestFailure,
    { serial }: TestRunnerOptions,
  ): Promise<void> {
    const waiting = [...tests];
    const work = async (): Promise<void> => {
      for (let test = waiting.shift(); test && !watcher.isInterrupted(); test = waiting.shift()) {
        await onStart(test);
        const start = Date.now();
        const ended = await this.#run(test);
        if (ended.results && ended.results.length > 0 && !ended.fault)
          await onResult(test, this.#resultOf(test, start, ended.results, ended.output));
        else await onFailure(test, { message: describe(ended), stack: '', code: undefined, type: 'Error' });
      }
    };
    await Promise.all(Array.from({ length: serial ? 1 : this.#config.maxWorkers }, work));
  }

  #run(test: Test): Promise<Ended> {
    const child = fork(PROCESS, {
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      env: { NODE_COMPILE_CACHE, ...process.env, NODE_ENV: 'test' },
    });
    const group = child.pid!;
    this.#running.add(group);
    const { testNamePattern, testTimeout = 5_000 } = this.#config;
    child.send({ file: test.path, pattern: testNamePattern, timeoutMs: testTimeout } satisfies Order);
    let output = '';
    for (const stream of [child.stdout!, child.stderr!])
      stream.setEncoding('utf8').on('data', (piece: string) => {
        output += piece;
      });
    let results: AssertionResult[] | undefined;
    let fault: string | null = null;
    let current = 'loading';
    const silenceMs = SILENCE * testTimeout + LEAK_MS;
    const silence = setTimeout(() => {
      fault = `Nothing was heard for ${silenceMs / 1000} s. Last: ${current}`;
      killGroup(group);
    }, silenceMs);
    child.on('message', (message: Message) => {
      silence.refresh();
      if (message.type === 'began') current = message.name;
      else if (message.type === 'failed') fault = message.reason;
      else results = message.results;
    });
    return new Promise((ended) =>
      child.once('close', (code, signal) => {
        clearTimeout(silence);
        const left = membersOf(group);
        killGroup(group);
        this.#running.delete(group);
        if (left.length > 0) fault ??= `It left processes behind:\n${left.join('\n')}`;
        if (!results) fault ??= `Its process ended with ${signal ?? code} in: ${current}`;
        else if (code !== 0) fault ??= `Its process ended with ${signal ?? code} after its tests`;
        ended({ results, output, fault });
      }),
    );
  }

  #resultOf(test: Test, start: number, results: AssertionResult[], output: string): TestResult {
    const count = (status: AssertionResult['status']): number =>
      results.filter((result) => result.status === status).length;
    const failing = count('failed');
    const end = Date.now();
    return {
      testFilePath: test.path,
      testResults: results,
      leaks: false,
      openHandles: [],
      skipped: false,
      displayName: test.context.config.displayName!,
      numFailingTests: failing,
      numPassingTests: count('passed'),
      numPendingTests: count('pending'),
      numTodoTests: count('todo'),
      failureMessage: formatResultsErrors(results, test.context.config, this.#config, test.path) ?? null,
      // The file's output helps with a failure, and is noise otherwise.
      ...(failing > 0 && output ? { console: [{ message: output, origin: '', type: 'log' as const }] } : {}),
      perfStats: {
        start,
        end,
        runtime: end - start,
        slow: false,
        loadTestEnvironmentStart: 0,
        loadTestEnvironmentEnd: 0,
        setupFilesStart: 0,
        setupFilesEnd: 0,
        setupAfterEnvStart: 0,
        setupAfterEnvEnd: 0,
      },
      snapshot: { added: 0, fileDeleted: false, matched: 0, unchecked: 0, uncheckedKeys: [], unmatched: 0, updated: 0 },
    };
  }
}

function describe({ results, output, fault }: Ended): string {
  const failures = (results ?? [])
    .filter(({ status }) => status === 'failed')
    .map((result) => [result.fullName, ...result.failureMessages].join('\n'));
  return [fault ?? 'It holds no test', ...failures, ...(output ? [`What it printed:\n${output}`] : [])].join('\n\n');
}

function killGroup(group: number): void {
  try {
    process.kill(-group, 'SIGKILL');
  } catch {
    // It has already ended.
  }
}

/** The command lines of a group's processes, without those that have ended. */
function membersOf(group: number): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const stat = readFileSync(join('/proc', pid, 'stat'), 'utf8');
        const [state, , processGroup] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        if (Number(processGroup) !== group || state === 'Z') return [];
        return [
          `${pid} ${readFileSync(join('/proc', pid, 'cmdline'), 'utf8')
            .replaceAll('\0', ' ')
            .trim()}`,
        ];
      } catch {
        return [];
      }
    });
}
