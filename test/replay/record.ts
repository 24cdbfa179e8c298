/**
 * `RECORD_HISTORIES=1 npm test -- test/replay/record.ts`: records the history of each path that has none yet. What is recorded stays: a
 * change that does not replay it needs `patched()`, not another recording.
 */
import { access } from 'node:fs/promises';
import { afterAll, beforeAll, test } from '@jest/globals';
import { contactImportActivities } from '../../activities/contact-import.ts';
import { emailCampaignActivities } from '../../activities/email-campaigns.ts';
import { createActivities } from '../../activities/index.ts';
import { paths } from '../workflows/campaign-paths.ts';
import { startJourneys, type Journeys } from '../workflows/campaign-support.ts';
import { channelPaths } from '../workflows/channel-paths.ts';
import { jobPaths } from '../workflows/job-paths.ts';
import { outboundPaths } from '../workflows/outbound-paths.ts';
import { mailingPaths } from '../workflows/mailing-paths.ts';
import { thresholdPaths } from '../workflows/threshold-paths.ts';
import { reportPaths } from '../workflows/report-paths.ts';
import { historyFile, writeHistory } from './histories.ts';

let journeys: Journeys;
beforeAll(async () => {
  journeys = await startJourneys();
  // An import's activity hands over after each chunk, a campaign's after each step, and not after some seconds: so there are several rounds.
  await journeys.worker({
    ...createActivities(journeys.deps),
    ...contactImportActivities(journeys.deps, 0),
    ...emailCampaignActivities(journeys.deps, 0),
  });
});
afterAll(() => journeys.stop());

for (const [name, walk] of Object.entries({
  ...paths,
  ...channelPaths,
  ...jobPaths,
  ...mailingPaths,
  ...outboundPaths,
  ...thresholdPaths,
  ...reportPaths,
})) {
  test(`history of ${name}`, async () => {
    const recorded = await access(historyFile(name)).then(
      () => true,
      () => false,
    );
    if (recorded) return;
    const { workflowId } = await walk(journeys);
    await writeHistory(name, await journeys.env.client.workflow.getHandle(workflowId).fetchHistory());
  });
}
