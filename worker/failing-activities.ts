import type { ActivityInterceptors } from '@temporalio/worker';
import { withoutData } from '../config/error-for-log.ts';

/** Temporal keeps the errors of activities in histories and shows them: without the data that they were about. */
export const failingActivities = (): ActivityInterceptors => ({
  inbound: {
    execute: (input, next) =>
      next(input).catch((error: unknown) => {
        throw withoutData(error);
      }),
  },
});
