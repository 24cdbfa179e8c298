import assert from 'node:assert/strict';
import { test } from '@jest/globals';
import { journeyFaults } from '../../../dev/faults/journeys.ts';

// The short form of `npm run faults -- journeys`, with a stack of its own, whose Temporal can be killed and restarted.
test('kill -9 of the worker and of Temporal in the middle: each journey ends once, and all figures agree', async () => {
  const found: string[] = [];
  const good = await journeyFaults(['--executions', '100', '--kills', '1', '--apart'], (line) => found.push(line));
  assert.ok(good, found.join('\n'));
  assert.equal(found.filter((line) => /^kill \d, of (worker|Temporal): /.test(line)).length, 2, found.join('\n'));
});
