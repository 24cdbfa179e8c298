import assert from 'node:assert/strict';
import { beforeAll, test } from '@jest/globals';
import { DeterminismViolationError } from '@temporalio/workflow';
import { Worker, type WorkflowBundleWithSourceMap } from '@temporalio/worker';
import { compileWorkflows } from '../../worker/bundle.ts';
import { paths } from '../workflows/campaign-paths.ts';
import { channelPaths } from '../workflows/channel-paths.ts';
import { jobPaths } from '../workflows/job-paths.ts';
import { outboundPaths } from '../workflows/outbound-paths.ts';
import { mailingPaths } from '../workflows/mailing-paths.ts';
import { thresholdPaths } from '../workflows/threshold-paths.ts';
import { reportPaths } from '../workflows/report-paths.ts';
import { quietTemporal } from '../support/quiet-temporal.ts';
import { readHistory } from './histories.ts';

let workflowBundle: WorkflowBundleWithSourceMap;
beforeAll(async () => {
  quietTemporal();
  workflowBundle = await compileWorkflows();
});

for (const path of Object.keys({
  ...paths,
  ...channelPaths,
  ...jobPaths,
  ...mailingPaths,
  ...outboundPaths,
  ...thresholdPaths,
  ...reportPaths,
})) {
  test(`the workflows of today replay the history of ${path}`, async () => {
    await Worker.runReplayHistory({ workflowBundle }, await readHistory(path));
  });
}

test('a history that the workflows would not make does not replay', async () => {
  const history = await readHistory('email-wait-email');
  const marker = history.events!.find((event) => event.markerRecordedEventAttributes);
  marker!.markerRecordedEventAttributes!.markerName = 'another';
  await assert.rejects(Worker.runReplayHistory({ workflowBundle }, history), DeterminismViolationError);
});

for (const path of [
  'import',
  'import-failed',
  'mailing',
  'mailing-paused',
  'undo',
  'migration',
  'segment-build',
  'replay',
  'webhook-replay',
  'erasure',
  'erasure-failed',
  'report',
  'report-occurrence',
]) {
  test(`a history of ${path} with another activity in it does not replay`, async () => {
    const history = await readHistory(path);
    const last = history.events!.findLast((event) => event.activityTaskScheduledEventAttributes);
    last!.activityTaskScheduledEventAttributes!.activityType = { name: 'another' };
    await assert.rejects(Worker.runReplayHistory({ workflowBundle }, history), DeterminismViolationError);
  });
}
