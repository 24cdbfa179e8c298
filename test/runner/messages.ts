import type { AssertionResult } from '@jest/test-result';

/** A test file to run. */
export interface Order {
  file: string;
  /** For test names, as in `-t`. */
  pattern: string | undefined;
  timeoutMs: number;
}

/** From a process that runs test files. `over` comes when nothing is left that would keep the process alive. */
export type Message =
  | { type: 'began'; name: string }
  | { type: 'done'; results: AssertionResult[] }
  | { type: 'failed'; reason: string }
  | { type: 'over'; residentBytes: number };

/** How long leaked resources may keep a test file's process alive. */
export const LEAK_MS = 10_000;
