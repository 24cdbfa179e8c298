import type { VersioningBehavior } from '@temporalio/common';
import type { WorkerDeploymentOptions } from '@temporalio/worker';
import type { Env } from '../config/env-schema.ts';
import type { Deps } from '../runtime/deps.ts';
import { workflowsFingerprint } from './bundle.ts';

type Version = WorkerDeploymentOptions['version'];

/** The gRPC status code NOT_FOUND. */
const NOT_FOUND = 5;

/**
 * How Temporal tells this build from others; null without TEMPORAL_DEPLOYMENT. Releases with the same workflow code are
 * the same build, unless TEMPORAL_BUILD_ID says otherwise: their workflows replay each other's histories.
 */
export async function deploymentOf(env: Env): Promise<WorkerDeploymentOptions | null> {
  if (!env.TEMPORAL_DEPLOYMENT) return null;
  return {
    version: {
      deploymentName: env.TEMPORAL_DEPLOYMENT,
      buildId: env.TEMPORAL_BUILD_ID || (await workflowsFingerprint()),
    },
    useWorkerVersioning: true,
    defaultVersioningBehavior: env.TEMPORAL_VERSIONING_BEHAVIOR as VersioningBehavior,
  };
}

/** Until somebody makes a build current, no workflow runs, and nothing else would say why. */
export async function warnWithoutCurrentBuild({ temporal, env, log }: Deps, version: Version): Promise<void> {
  const { deploymentName } = version;
  const request = { namespace: env.TEMPORAL_NAMESPACE, deploymentName };
  const found = await temporal.workflowService.describeWorkerDeployment(request).catch((error: unknown) => {
    if ((error as { code?: unknown }).code === NOT_FOUND) return null;
    throw error;
  });
  if (!found?.workerDeploymentInfo?.routingConfig?.currentDeploymentVersion)
    log.warn(
      { ...version },
      'no workflow runs until a build is current: temporal worker deployment set-current-version',
    );
}
