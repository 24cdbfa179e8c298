import type { ActivityOptions, LocalActivityOptions } from '@temporalio/common';

/**
 * For steps as local activities. After three failed attempts the disturbance is not a short one, and the step runs as
 * an ordinary activity.
 */
export const localStepOptions: LocalActivityOptions = {
  startToCloseTimeout: '10 seconds',
  retry: { maximumAttempts: 3, initialInterval: '100 milliseconds' },
};

/** For short activities, retried until they succeed, however long a database or broker is unavailable. */
export const retryForeverOptions: ActivityOptions = {
  startToCloseTimeout: '1 minute',
  retry: { initialInterval: '1 second', maximumInterval: '1 minute' },
};

/**
 * For steps that call a URL. Whether a call is repeated, and for how long, is decided in the activity; a lost worker
 * ends no call.
 */
export const callOptions: ActivityOptions = {
  startToCloseTimeout: '30 seconds',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '5 minutes' },
};

/** For one page of many contacts, with heartbeats. */
export const pageOptions: ActivityOptions = {
  startToCloseTimeout: '10 minutes',
  heartbeatTimeout: '30 seconds',
  retry: { initialInterval: '1 second', maximumInterval: '1 minute' },
};
