import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { TypedSearchAttributes, WorkflowIdConflictPolicy, WorkflowIdReusePolicy } from '@temporalio/common';
import { NativeConnection, Worker } from '@temporalio/worker';
import { until } from '../../test/support/until.ts';
import { searchAttributes, shownOf } from '../../registry/search-attributes.ts';

const TASK_QUEUE = 'bench-nothing';
/** Workflows that are started at the same time, as many as an enrolment starts. */
const STARTERS = 20;

/** Runs workflows that do nothing, with as many steps as EMAIL, WAIT 0, EMAIL, on the service's Temporal server. */
export interface Nothing {
  /** Starts `count` workflows; returns how many were completed per second. */
  rate: (count: number) => Promise<number>;
  /**
   * Starts `count` workflows that only wait, with everything that a start of an execution shows; returns how many were
   * started per second. They are terminated afterwards.
   */
  startRate: (count: number) => Promise<number>;
  stop: () => Promise<void>;
}

/** Does something for each of the numbers from 0, STARTERS at a time. */
async function each(count: number, act: (n: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const starter = async (): Promise<void> => {
    for (let n = next++; n < count; n = next++) await act(n);
  };
  await Promise.all(Array.from({ length: STARTERS }, starter));
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
      await each(count, (n) =>
        workflow.start('doNothing', {
          workflowId: `nothing/${run}/${n}`,
          taskQueue: TASK_QUEUE,
          args: [{ n }],
          typedSearchAttributes: new TypedSearchAttributes([
            { key: searchAttributes.campaignId, value: run },
            { key: searchAttributes.contactId, value: n + 1 },
          ]),
        }),
      );
      const query = `WorkflowType = 'doNothing' and CampaignId = ${run} and ExecutionStatus = 'Completed'`;
      await until('all are over', async () => (await workflow.count(query)).count === count, 3_600_000);
      return (count * 1000) / (performance.now() - begun);
    },
    async startRate(count) {
      run += 1;
      const id = (n: number): string => `rest/${run}/${n}`;
      const begun = performance.now();
      await each(count, (n) => {
        const input = {
          ...{ tenantId: 'default', campaignId: run, campaignVersion: 1, campaignName: 'Bench', contactId: n + 1 },
          ...{ entryNo: 1, executionId: n + 1, runSeq: 1, ahead: { stepId: 'pause', type: 'WAIT' } },
        };
        return workflow.start('rest', {
          workflowId: id(n),
          taskQueue: TASK_QUEUE,
          args: [input],
          workflowIdReusePolicy: WorkflowIdReusePolicy.REJECT_DUPLICATE,
          workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
          ...shownOf('campaignExecution', input),
        });
      });
      const seconds = (performance.now() - begun) / 1000;
      await each(count, (n) => workflow.getHandle(id(n)).terminate('measured'));
      return count / seconds;
    },
    async stop() {
      worker.shutdown();
      await running;
      await connection.close();
      await clientConnection.close();
    },
  };
}
