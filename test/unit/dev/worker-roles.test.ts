import assert from 'node:assert/strict';
import { test } from '@jest/globals';
import { isRunning, workerRoles } from '../../../dev/perennial.ts';
import { ROLES } from '../../../worker/roles.ts';

test('however many cores there are, each role runs in one worker; consumers share no event loop with senders where there are several', () => {
  for (const [cores, count] of [
    [1, 1],
    [3, 1],
    [4, 2],
    [8, 3],
    [64, 3],
  ] as const) {
    const workers = workerRoles(cores).map((roles) => roles.split(','));
    assert.deepEqual(workers.flat().sort(), [...ROLES].sort());
    assert.equal(workers.length, count);
    if (count > 1) assert.ok(!workers.some((roles) => roles.includes('senders') && roles.includes('consumers')));
  }
});

test('`npm start` has started when all components are UP, whatever the last comparison of workflows found', () => {
  const up = { status: 'UP' };
  const found = { status: 'DEGRADED' };
  assert.equal(isRunning({ postgres: up, worker: up, workflows: up }), true);
  assert.equal(isRunning({ postgres: up, worker: up, workflows: found }), true);
  assert.equal(isRunning({ postgres: up, worker: found, workflows: found }), false);
  assert.equal(isRunning({}), false);
});
