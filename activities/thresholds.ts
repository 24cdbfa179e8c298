import { activityInfo, ApplicationFailure } from '@temporalio/activity';
import { tenantEm } from '../db/orm.ts';
import {
  endThresholdCall,
  readThresholdCall,
  type ThresholdCallKey,
} from '../domain/scoring/thresholds/threshold-calls.ts';
import type { Deps } from '../runtime/deps.ts';
import { callWebhook } from './call-webhook.ts';

export function thresholdActivities(deps: Pick<Deps, 'orm' | 'outbound' | 'env' | 'log'>) {
  return {
    /**
     * Makes one attempt of the call of a threshold's webhook, unless it has ended. Returns its outcome; throws
     * `webhook_unanswered` if it should be tried again, and the final `webhook_failed`.
     */
    callThreshold: async (key: ThresholdCallKey): Promise<string> => {
      const em = tenantEm(deps.orm, key.tenantId);
      const call = await readThresholdCall(em, key);
      if (!call) return 'nothing to call any more';
      const { attempt, scheduledTimestampMs, currentAttemptScheduledTimestampMs } = activityInfo();
      const elapsedMs = currentAttemptScheduledTimestampMs - scheduledTimestampMs;
      const { ok, brief } = await callWebhook(deps, call, { attempt, elapsedMs });
      await endThresholdCall(em, key);
      if (ok) return brief;
      deps.log.warn({ ...key, outcome: brief }, 'the webhook of a threshold failed');
      throw ApplicationFailure.nonRetryable(brief, 'webhook_failed');
    },
  };
}
