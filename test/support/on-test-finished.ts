import { afterEach } from '@jest/globals';

type CleanUp = () => unknown;
const cleanUps: CleanUp[] = [];

afterEach(async () => {
  const errors: unknown[] = [];
  for (let cleanUp = cleanUps.shift(); cleanUp; cleanUp = cleanUps.shift()) {
    try {
      await cleanUp();
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors.length === 1 ? errors[0] : new AggregateError(errors);
});

/** Calls `cleanUp` when the current test has ended, in any way. Functions are called in the order they were passed. */
export function onTestFinished(cleanUp: CleanUp): void {
  cleanUps.push(cleanUp);
}
