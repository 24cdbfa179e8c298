import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { TypedSearchAttributes } from '@temporalio/common';
import { NativeConnection, Worker } from '@temporalio/worker';
import { until } from '../../test/support/until.ts';
import { searchAttributes } from '../../workflows/search-attributes.ts';

const TASK_QUEUE = 'bench-nothing';
/** Workflows that are started at the same time. */
const STARTERS = 20;

/** Runs workflows that do nothing, with as many steps as EMAIL, WAIT 0, EMAIL, on the service's Temporal server. */
export interface Nothing {
  /** Starts `count` workflows; returns how many were completed per second. */
  rate: (count: number) => Promise<number>;
  stop: () => Promise<void>;
}

export async function startNothing(address: string, namespace: string): Promise<Nothing> {
  const connection = await NativeConnection.connect({ address });
  const worker = await Worker.create({
    connection,
    namespace,
    taskQueue: TASK_QUEUE,
    workflowsPath: fileURLToPath(new URL('../references/nothing-workflow.ts', import.meta.url)),
    activities: { nothing: async () => {} },
    maxConcurrentWorkflowTaskExecutions: 100,
    maxConcurrentLocalActivityExecutions: 50,
  });
  const running = worker.run();
  const clientConnection = await Connection.connect({ address });
  const { workflow } = new Client({ connection: clientConnection, namespace });
  let run = 0;
  return {
    async rate(count) {
      run += 1;
      const begun = performance.now();
      const pending = Array.from({ length: count }, (_, n) => n);
      await Promise.all(
        Array.from({ length: STARTERS }, async () => {
          for (let n = pending.pop(); n !== undefined; n = pending.pop()) {
            await workflow.start('doNothing', {
              workflowId: `nothing/${run}/${n}`,
              taskQueue: TASK_QUEUE,
              args: [{ n }],
              typedSearchAttributes: new TypedSearchAttributes([
                { key: searchAttributes.campaignId, value: run },
                { key: searchAttributes.contactId, value: n + 1 },
              ]),
            });
          }
        }),
      );
      const query = `WorkflowType = 'doNothing' and CampaignId = ${run} and ExecutionStatus = 'Completed'`;
      await until('all are over', async () => (await workflow.count(query)).count === count, 3_600_000);
      return (count * 1000) / (performance.now() - begun);
    },
    async stop() {
      worker.shutdown();
      await running;
      await connection.close();
      await clientConnection.close();
    },
  };
}
