import type { AssertionResult } from '@jest/test-result';

/** What to run. */
export interface Order {
  file: string;
  /** Of the names of tests, as `-t` takes it. */
  pattern: string | undefined;
  timeoutMs: number;
}

export type Message =
  { type: 'began'; name: string } | { type: 'done'; results: AssertionResult[] } | { type: 'failed'; reason: string };

/** How long what a file forgot may keep its process alive. */
export const LEAK_MS = 10_000;
