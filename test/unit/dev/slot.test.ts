import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from '@jest/globals';
import type { TestStack } from '../../../dev/stack/test-stack.ts';
import { claimSlot } from '../../support/slot.ts';
import { tempDir } from './temp-dir.ts';
import { onTestFinished } from '../../support/on-test-finished.ts';

function setStack(file?: string): void {
  const before = process.env.PERENNIAL_TEST_STACK;
  delete process.env.PERENNIAL_TEST_STACK;
  if (file) process.env.PERENNIAL_TEST_STACK = file;
  onTestFinished(() => {
    delete process.env.PERENNIAL_TEST_STACK;
    if (before) process.env.PERENNIAL_TEST_STACK = before;
  });
}

test('outside a test run the error says how to run the file', async () => {
  setStack();
  await assert.rejects(claimSlot(), { message: 'This test needs the stack of a test run: npm test -- <file>' });
});

test('when all slots are taken the error says so', async () => {
  const dir = tempDir();
  for (const number of [1, 2]) mkdirSync(join(dir, String(number)));
  const stack: TestStack = { slotsDir: dir, slots: 2, postgresPort: 1, natsPort: 1, natsPassword: '', env: {} };
  writeFileSync(join(dir, 'stack.json'), JSON.stringify(stack));
  setStack(join(dir, 'stack.json'));
  await assert.rejects(claimSlot(), /^Error: All 2 slots of this test run are taken/);
});
