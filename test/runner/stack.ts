import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { onStopRequest } from '../../config/stop-signal.ts';
import { makeRunDir, roomInMemory, startTestStack } from '../../dev/stack/test-stack.ts';

/** One per test file, plus those that tests claim in addition. */
export const SLOTS = 320;
/** Where `npm run test:stack` describes its stack. */
export const RUNNING_STACK = resolve('.data', 'test-stack.json');
const say = (line: string): void => void process.stderr.write(`${line}\n`);

/** Set here for Jest's teardown, which is another module. */
declare global {
  var stopTestStack: (() => Promise<void>) | undefined;
}

/** Starts the temporary stack of a test run, unless one is already running. */
export default async function startStack(): Promise<void> {
  if (process.env.PERENNIAL_TEST_STACK) return;
  if (existsSync(RUNNING_STACK)) {
    process.env.PERENNIAL_TEST_STACK = RUNNING_STACK;
    return;
  }
  const runDir = await makeRunDir(say, await roomInMemory());
  const file = join(runDir.dir, 'stack.json');
  const stack = await startTestStack(runDir, SLOTS, file, say);
  process.env.PERENNIAL_TEST_STACK = file;
  globalThis.stopTestStack = async () => {
    globalThis.stopTestStack = undefined;
    await stack.stop();
    await runDir.remove();
  };
  onStopRequest(
    (reason) => {
      say(`Stopping (${reason}) …`);
      void globalThis.stopTestStack?.().finally(() => process.exit(1));
    },
    () => process.exit(1),
  );
}
