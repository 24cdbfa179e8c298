import assert from 'node:assert/strict';
import { test } from '@jest/globals';
import { scheduleProblem } from '../../../lib/time/schedule-cron.ts';
import { firingTimes } from '../../../domain/campaign-definitions/trigger-schedule.ts';
import { workflows } from '../../../registry/workflows.ts';

const crons = (cron: string) =>
  firingTimes({ type: 'SCHEDULE', cron, timezone: 'Europe/Berlin', segmentId: 1 })!.cronExpressions;

test('a cron expression must be one that Temporal and our parser read alike', () => {
  for (const cron of ['0 9 * * *', '*/15 9-17 * * MON-fri', '0 9 1,15 jan,JUL *', '0 0 29 2 *', '0 9 13 * 5'])
    assert.equal(scheduleProblem(cron, 'Europe/Berlin'), null, cron);
  for (const cron of ['0 9 ? * 1', '0 9 L * *', '0 9 * * 5#2', '0 9 15W * *', '0 9 * * monday', 'mon 9 * * *'])
    assert.match(scheduleProblem(cron, 'UTC')!, /may contain|must be/, cron);
  for (const cron of ['60 9 * * *', '0 9 * * fri-mon', '5/20 9 * * *', '0 9 0 * *', ', 9 * * *', '0 9 * * 1-'])
    assert.match(scheduleProblem(cron, 'UTC')!, /must be a cron expression/, cron);
  assert.equal(scheduleProblem('0 9 30 2 *', 'UTC'), 'never matches any date');
});

test('a day of the month or a day of the week: cron means either', () => {
  assert.deepEqual(crons('0 9 13 * fri'), ['0 9 13 * *', '0 9 * * fri']);
  assert.deepEqual(crons('0 9 * * fri'), ['0 9 * * fri']);
  assert.deepEqual(crons('0 9 13 * *'), ['0 9 13 * *']);
});

test('DATE fires every 15 minutes at the minutes of its time; the others have no schedule', () => {
  const at = (time: string) =>
    firingTimes({ type: 'DATE', field: 'createdAt', offsetDays: 0, time })!.cronExpressions[0];
  assert.deepEqual(['00:00', '09:07', '23:59'].map(at), ['0-59/15 * * * *', '7-59/15 * * * *', '14-59/15 * * * *']);
  assert.equal(firingTimes({ type: 'MANUAL' }), null);
});

test('a workflow is called by its campaign, within the bytes that Temporal allows', () => {
  const input = {
    tenantId: 'default',
    campaignId: 5,
    campaignVersion: 3,
    contactId: 17,
    entryNo: 1,
    executionId: 1,
    runSeq: 1,
    ahead: { stepId: 'a', type: 'WAIT' },
  };
  const { summary } = workflows.campaignExecution;
  assert.equal(summary(input), 'campaign 5, contact 17');
  assert.equal(summary({ ...input, campaignName: 'Welcome series' }), 'Welcome series v3, contact 17');
  assert.equal(
    summary({ ...input, campaignName: 'Welcome series', entryNo: 2 }),
    'Welcome series v3, contact 17, entry 2',
  );
  const long = summary({ ...input, contactId: Number.MAX_SAFE_INTEGER, campaignName: '🎉'.repeat(127) });
  assert.ok(Buffer.byteLength(long) <= 400 && long.includes('🎉… v3'), long);
});
