import { Worker, type NativeConnection, type WorkerOptions } from '@temporalio/worker';
import { createActivities } from '../activities/index.ts';
import { STEP_TYPES } from '../domain/campaign-definitions/step-kinds.ts';
import type { Deps } from '../runtime/deps.ts';
import { QUEUES } from '../registry/workflows.ts';
import { beatingActivities } from './beating-activities.ts';
import { workflowBundle } from './bundle.ts';
import { deploymentOf, warnWithoutCurrentBuild } from './deployment.ts';
import { failingActivities } from './failing-activities.ts';
import { temporalLogger } from './temporal-logger.ts';
import { tracedActivities } from './traced-activities.ts';

/** Runs workflows and activities until stopped; stopping waits for running activities. */
export async function startTemporalWorker(deps: Deps): Promise<{ stop: () => Promise<void> }> {
  for (const type of STEP_TYPES) deps.metrics.stepDuration.zero({ type });
  const deployment = await deploymentOf(deps.env);
  const activitiesOnly = {
    connection: deps.temporal.connection as NativeConnection,
    namespace: deps.env.TEMPORAL_NAMESPACE,
    activities: createActivities(deps),
    ...(deployment ? { workerDeploymentOptions: deployment } : {}),
    shutdownGraceTime: '10s',
    interceptors: {
      activity: [beatingActivities, failingActivities, ...(deps.tracing ? [tracedActivities(deps.tracing)] : [])],
    },
  } satisfies Partial<WorkerOptions>;
  const common = { ...activitiesOnly, workflowBundle: await workflowBundle(temporalLogger(deps.log)) };
  const workers = [
    await Worker.create({
      ...common,
      taskQueue: QUEUES.journeys,
      maxCachedWorkflows: 2000,
      maxConcurrentWorkflowTaskExecutions: 100,
      // Mostly calls of WEBHOOK steps, which wait for others; one tenant takes at most half of them.
      maxConcurrentActivityTaskExecutions: 200,
      maxConcurrentLocalActivityExecutions: 50,
    }),
    await Worker.create({
      ...common,
      taskQueue: QUEUES.jobs,
      maxCachedWorkflows: 100,
      maxConcurrentWorkflowTaskExecutions: 10,
      maxConcurrentActivityTaskExecutions: 20,
      maxConcurrentLocalActivityExecutions: 10,
    }),
    await Worker.create({
      ...common,
      taskQueue: QUEUES.mailings,
      maxCachedWorkflows: 200,
      maxConcurrentWorkflowTaskExecutions: 10,
      maxConcurrentActivityTaskExecutions: 200,
      maxConcurrentLocalActivityExecutions: 1,
    }),
    await Worker.create({
      ...activitiesOnly,
      taskQueue: QUEUES.reports,
      // Each has a thread of up to 512 MiB; the others wait in the queue.
      maxConcurrentActivityTaskExecutions: 2,
    }),
  ];
  const running = workers.map((worker) => worker.run());
  for (const run of running) run.catch((error: unknown) => deps.log.fatal({ err: error }, 'a Temporal worker failed'));
  if (deployment) {
    deps.log.info({ ...deployment.version }, 'polls as a build of a Worker Deployment');
    await warnWithoutCurrentBuild(deps, deployment.version);
  }
  return {
    async stop() {
      for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
      await Promise.allSettled(running);
    },
  };
}
