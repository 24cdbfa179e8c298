import { readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
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
import { TestProcess, type Ended } from './test-process.ts';

/**
 * Folders whose files run in a process one after the other: each loads only what those before it have not. A file that
 * looks at its process as a whole, or changes it for good, has `@own-process` in the comment at its top.
 */
const SHARING = ['unit', 'api', 'transport', 'workflows'].map((folder) => join('test', folder) + sep);
const OWN_PROCESS = /^\/\*\*(?:(?!\*\/)[^])*@own-process\b/;

/**
 * Jest's runner for this repository: test files run in processes, loaded by Node like the service, with Jest's own test
 * framework (jest-circus). Fails a file if something keeps its process alive after its tests, or if it leaves processes
 * behind.
 */
export default class ProcessRunner implements CallbackTestRunnerInterface {
  readonly supportsEventEmitters = false;
  readonly #config: Config.GlobalConfig;

  constructor(config: Config.GlobalConfig) {
    this.#config = config;
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
    const { testNamePattern: pattern, testTimeout: timeoutMs = 5_000 } = this.#config;
    const work = async (): Promise<void> => {
      let shared: TestProcess | null = null;
      for (let test = waiting.shift(); test && !watcher.isInterrupted(); test = waiting.shift()) {
        await onStart(test);
        const start = Date.now();
        const mayShare = await sharesItsProcess(test);
        const child: TestProcess = mayShare && shared?.mayRunMore ? shared : new TestProcess();
        if (mayShare) shared = child;
        const ended = await child.run({ file: test.path, pattern, timeoutMs });
        if (!mayShare) await child.end();
        if (ended.results && ended.results.length > 0 && !ended.fault)
          await onResult(test, this.#resultOf(test, start, ended.results, ended.output));
        else await onFailure(test, { message: describe(ended), stack: '', code: undefined, type: 'Error' });
      }
      await shared?.end();
    };
    await Promise.all(Array.from({ length: serial ? 1 : this.#config.maxWorkers }, work));
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

async function sharesItsProcess({ path, context }: Test): Promise<boolean> {
  const name = relative(context.config.rootDir, path);
  return SHARING.some((folder) => name.startsWith(folder)) && !OWN_PROCESS.test(await readFile(path, 'utf8'));
}

function describe({ results, output, fault }: Ended): string {
  const failures = (results ?? [])
    .filter(({ status }) => status === 'failed')
    .map((result) => [result.fullName, ...result.failureMessages].join('\n'));
  return [fault ?? 'It holds no test', ...failures, ...(output ? [`What it printed:\n${output}`] : [])].join('\n\n');
}
