/**
 * `npm run test:stack`: keeps a stack running for `npx jest <file> -t <name>`, which then starts none. Ends with
 * Ctrl-C.
 */
import { mkdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { onStopRequest } from '../../config/stop-signal.ts';
import { makeRunDir, roomInMemory, startTestStack } from '../../dev/stack/test-stack.ts';
import { RUNNING_STACK, SLOTS } from './stack.ts';

const say = (line: string): void => void process.stderr.write(`${line}\n`);
mkdirSync(dirname(RUNNING_STACK), { recursive: true });
const runDir = await makeRunDir(say, await roomInMemory());
const stack = await startTestStack(runDir, SLOTS, RUNNING_STACK, say);
say(`The stack is up for ${SLOTS} runs of a test file. Ctrl-C stops it.`);
onStopRequest(
  () => {
    rmSync(RUNNING_STACK, { force: true });
    void stack
      .stop()
      .then(() => runDir.remove())
      .finally(() => process.exit(0));
  },
  () => process.exit(1),
);
