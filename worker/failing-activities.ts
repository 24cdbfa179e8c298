import type { ActivityInterceptors } from '@temporalio/worker';
import { withoutData } from '../config/error-for-log.ts';

/** Removes data from the errors of activities, because Temporal stores them in histories and shows them. */
export const failingActivities = (): ActivityInterceptors => ({
  inbound: {
    execute: (input, next) =>
      next(input).catch((error: unknown) => {
        throw withoutData(error);
      }),
  },
});
