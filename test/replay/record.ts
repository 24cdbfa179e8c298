/**
 * `npm test -- test/replay/record.ts`: records the history of each path that has none yet. What is recorded stays: a
 * change that does not replay it needs `patched()`, not another recording.
 */
import { access } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { paths, type PathName } from '../workflows/campaign-paths.ts';
import { startJourneys, type Journeys } from '../workflows/campaign-support.ts';
import { historyFile, writeHistory } from './histories.ts';

let journeys: Journeys;
before(async () => {
  journeys = await startJourneys();
  await journeys.worker();
});
after(() => journeys.stop());

for (const name of Object.keys(paths) as PathName[]) {
  test(`history of ${name}`, async () => {
    const recorded = await access(historyFile(name)).then(() => true, () => false);
    if (recorded) return;
    const { workflowId } = await paths[name](journeys);
    await writeHistory(name, await journeys.env.client.workflow.getHandle(workflowId).fetchHistory());
  });
}
