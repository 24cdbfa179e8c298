import { afterEach } from '@jest/globals';
import { inEachFile } from '../runner/each-file.ts';

type CleanUp = () => unknown;
const cleanUps: CleanUp[] = [];

async function cleanUpAll(): Promise<void> {
  const errors: unknown[] = [];
  for (let cleanUp = cleanUps.shift(); cleanUp; cleanUp = cleanUps.shift()) {
    try {
      await cleanUp();
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors.length === 1 ? errors[0] : new AggregateError(errors);
}
inEachFile(() => afterEach(cleanUpAll));

/** Calls `cleanUp` when the current test has ended, in any way. Functions are called in the order they were passed. */
export function onTestFinished(cleanUp: CleanUp): void {
  cleanUps.push(cleanUp);
}
