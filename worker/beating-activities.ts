import type { Context } from '@temporalio/activity';
import type { ActivityInterceptors } from '@temporalio/worker';
import { beat } from '../activities/heartbeat.ts';

const BEAT_MS = 4_000;

/**
 * Sends heartbeats while an activity with a heartbeat timeout runs, also during a long part of it that tells no
 * progress. So what a killed worker had begun is repeated soon.
 */
export const beatingActivities = (context: Context): ActivityInterceptors => ({
  inbound: {
    async execute(input, next) {
      if (!context.info.heartbeatTimeoutMs) return next(input);
      const timer = setInterval(() => beat(context), BEAT_MS);
      try {
        return await next(input);
      } finally {
        clearInterval(timer);
      }
    },
  },
});
