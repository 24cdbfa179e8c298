/**
 * A process that runs test files, one after the other. Jest's runner sends a file; the process reports each test that
 * begins, all results, and when the file has released everything.
 */
import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import type { AssertionResult } from '@jest/test-result';
import { addEventHandler, getState, resetState, run } from 'jest-circus';
import { leftBehind, registerAgain } from './each-file.ts';
import { LEAK_MS, type Message, type Order } from './messages.ts';

const tell = (message: Message): boolean => process.send!(message);
// Without Jest nobody would end this process.
process.once('disconnect', () => process.kill(-process.pid, 'SIGKILL'));

const FAST_CHECK = import.meta.resolve('./fast-check.ts');
registerHooks({
  resolve: (specifier, context, next) => {
    // Jest's own module refuses to load outside its virtual machines.
    if (specifier === '@jest/globals') return next(import.meta.resolve('./globals.ts'), context);
    if (specifier === 'fast-check' && context.parentURL !== FAST_CHECK) return next(FAST_CHECK, context);
    return next(specifier, context);
  },
});
addEventHandler((event) => {
  if (event.name === 'hook_start') tell({ type: 'began', name: event.hook.type });
  else if (event.name === 'test_fn_start') tell({ type: 'began', name: event.test.name });
});

process.on('message', (order: Order | 'end') => {
  if (order === 'end') process.exit();
  void runFile(order);
});

async function runFile({ file, pattern, timeoutMs }: Order): Promise<void> {
  resetState();
  registerAgain();
  try {
    await import(pathToFileURL(file).href);
  } catch (error) {
    console.error(error);
    tell({ type: 'failed', reason: 'It does not load' });
    return end();
  }
  const state = getState();
  state.testTimeout = timeoutMs;
  if (pattern) state.testNamePattern = new RegExp(pattern, 'i');
  const { testResults, unhandledErrors } = await run();
  if (unhandledErrors.length > 0) tell({ type: 'failed', reason: unhandledErrors.join('\n\n') });
  tell({
    type: 'done',
    results: testResults.map(({ testPath, status, errors, duration, numPassingAsserts }): AssertionResult => {
      // The first is the name of the root.
      const names = testPath.slice(1);
      return {
        ancestorTitles: names.slice(0, -1),
        title: names.at(-1)!,
        fullName: names.join(' '),
        duration: duration ?? null,
        failureMessages: errors,
        failureDetails: [],
        numPassingAsserts,
        status: status === 'skip' ? 'pending' : status === 'todo' ? 'todo' : errors.length > 0 ? 'failed' : 'passed',
      };
    }),
  });
  end();
}

/** Releases everything of our own that keeps the process alive: what still does was leaked by a test. */
function end(): void {
  const leaked = setTimeout(() => {
    const counts = Object.entries(Object.groupBy(process.getActiveResourcesInfo(), (type) => type)).map(
      ([type, all]) => `${all!.length} × ${type}`,
    );
    process.send!(
      {
        type: 'failed',
        reason: `Its tests are over and it does not end; still open: ${counts.join(', ')}`,
      } satisfies Message,
      () => process.exit(1),
    );
  }, LEAK_MS).unref();
  process.once('beforeExit', () => {
    clearTimeout(leaked);
    process.channel!.ref();
    if (process.exitCode) tell({ type: 'failed', reason: `It set the exit code ${process.exitCode}` });
    for (const check of leftBehind) {
      const reason = check();
      if (reason !== null) tell({ type: 'failed', reason });
    }
    tell({ type: 'over', residentBytes: process.memoryUsage.rss() });
  });
  process.channel!.unref();
}
