import type { NativeConnection } from '@temporalio/worker';
import { Worker } from '@temporalio/worker';
import { createActivities } from '../activities/index.ts';
import type { Deps } from '../config/deps.ts';
import { TASK_QUEUE } from '../config/temporal.ts';
import { workflowBundle } from './bundle.ts';

/** Runs workflows and activities until it is stopped; stopping lets what runs end first. */
export async function startTemporalWorker(deps: Deps, connection: NativeConnection): Promise<{ stop(): Promise<void> }> {
  const worker = await Worker.create({
    connection,
    namespace: deps.env.TEMPORAL_NAMESPACE,
    taskQueue: TASK_QUEUE,
    workflowBundle: await workflowBundle(),
    activities: createActivities(deps),
    shutdownGraceTime: '10s',
    maxCachedWorkflows: 2000,
    maxConcurrentWorkflowTaskExecutions: 100,
    maxConcurrentActivityTaskExecutions: 50,
    maxConcurrentLocalActivityExecutions: 50,
  });
  const running = worker.run();
  running.catch((error: unknown) => deps.log.fatal({ err: error }, 'the Temporal worker failed'));
  return {
    async stop() {
      if (worker.getState() === 'RUNNING') worker.shutdown();
      await running.catch(() => undefined);
    },
  };
}
