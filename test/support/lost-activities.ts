import assert from 'node:assert/strict';
import proto from '@temporalio/proto';
import type { Service } from './service.ts';
import { until } from './until.ts';

const { PENDING_ACTIVITY_STATE_STARTED } = proto.temporal.api.enums.v1.PendingActivityState;

/**
 * After a worker was killed: lets Temporal miss the heartbeats of its activity of a workflow at once. It would by itself
 * after the heartbeat timeout, which is at most `seconds`.
 */
export async function missHeartbeats(service: Service, workflowId: string, seconds: number): Promise<void> {
  const { workflowService } = service.deps.temporal;
  const of = { namespace: service.deps.env.TEMPORAL_NAMESPACE, execution: { workflowId } };
  const pending = async () => (await workflowService.describeWorkflowExecution(of)).pendingActivities ?? [];
  const [lost, ...others] = await pending();
  assert.ok(lost, 'an activity of the workflow is pending');
  assert.equal(others.length, 0);
  const { heartbeatTimeout } = lost.activityOptions!;
  const allowed = Number(heartbeatTimeout?.seconds ?? 0);
  assert.ok(allowed > 0 && allowed <= seconds, `it may be silent for ${allowed} s`);
  // The worker may have been killed between two attempts.
  if (lost.state !== PENDING_ACTIVITY_STATE_STARTED) return;
  const setHeartbeatTimeout = (timeout: typeof heartbeatTimeout) =>
    workflowService.updateActivityOptions({
      ...{ ...of, id: lost.activityId },
      activityOptions: { heartbeatTimeout: timeout },
      updateMask: { paths: ['heartbeat_timeout'] },
    });
  await setHeartbeatTimeout(proto.google.protobuf.Duration.fromObject({ seconds: 1 }));
  await until('its heartbeats are missed', async () => {
    const [now] = await pending();
    return now?.attempt !== lost.attempt;
  });
  await setHeartbeatTimeout(heartbeatTimeout);
}
