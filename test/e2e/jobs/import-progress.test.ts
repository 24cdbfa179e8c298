import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { NativeConnection, Worker } from '@temporalio/worker';
import { contactImportActivities } from '../../../activities/contact-import.ts';
import { QUEUES } from '../../../registry/workflows.ts';
import { CHUNK_ROWS } from '../../../domain/contacts/import/csv/read-csv.ts';
import { compileWorkflows } from '../../../worker/bundle.ts';
import { importer } from '../../api/contacts/import-support.ts';
import { startService, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';

const ROWS = 2.5 * CHUNK_ROWS;
let service: Service;
beforeAll(async () => {
  service = await startService({ worker: ['relay'] });
});
afterAll(() => service.stop());

test('the Temporal UI tells how far an import is, and an undo', async () => {
  const { env, temporal } = service.deps;
  const connection = await NativeConnection.connect({ address: env.TEMPORAL_ADDRESS });
  // Slices that end with their first chunk.
  const worker = await Worker.create({
    connection,
    namespace: env.TEMPORAL_NAMESPACE,
    taskQueue: QUEUES.jobs,
    workflowBundle: await compileWorkflows(),
    activities: contactImportActivities(service.deps, 0),
  });
  await worker.runUntil(async () => {
    const { run } = importer(service);
    const job = await run(
      `firstName,lastName,email\n${Array.from({ length: ROWS }, (_, n) => `F,L,p${n}@example.com`).join('\n')}\n`,
    );
    assert.equal(job.created, ROWS);
    // The import is COMPLETED before its workflow is.
    await handle(job.workflowId).result();
    assert.deepEqual(await summaries(job.workflowId), [
      'reading the file',
      ...[CHUNK_ROWS, 2 * CHUNK_ROWS, ROWS].map((rows) => `${rows} of ${ROWS} rows`),
    ]);
    assert.equal(await details(job.workflowId), `Import ${job.id}: done`);
    await service.api('POST', `/contacts/imports/${job.id}/undo`);
    const undo = `import-undo/default/${job.id}`;
    await untilKnown(undo);
    await temporal.workflow.getHandle(undo).result();
    assert.deepEqual(await summaries(undo), [
      'the last rows',
      ...[CHUNK_ROWS / 2, 1.5 * CHUNK_ROWS, ROWS].map((n) => `${n} contacts removed, 0 restored, 0 kept`),
    ]);
    assert.equal(await details(undo), `Undo of import ${job.id}: ${ROWS} contacts removed, 0 restored, 0 kept`);
  });
  await connection.close();
});

const handle = (workflowId: string) => service.deps.temporal.workflow.getHandle(workflowId);
const untilKnown = (workflowId: string) =>
  until('the workflow has started', () =>
    handle(workflowId)
      .describe()
      .catch(() => null),
  );

/** What the UI shows beside each activity that takes some of the work. */
async function summaries(workflowId: string): Promise<string[]> {
  const { events } = await handle(workflowId).fetchHistory();
  return events!.flatMap(({ userMetadata, activityTaskScheduledEventAttributes }) =>
    activityTaskScheduledEventAttributes && userMetadata?.summary
      ? [JSON.parse(Buffer.from(userMetadata.summary.data!).toString()) as string]
      : [],
  );
}

async function details(workflowId: string): Promise<string> {
  return (await handle(workflowId).query<{ currentDetails: string }>('__temporal_workflow_metadata')).currentDetails;
}
