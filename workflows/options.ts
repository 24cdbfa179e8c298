import type { ActivityOptions, LocalActivityOptions } from '@temporalio/common';

/**
 * For steps as local activities. After three failed attempts the disturbance is not a short one, and the step runs as
 * an ordinary activity.
 */
export const localStepOptions: LocalActivityOptions = {
  startToCloseTimeout: '10 seconds',
  retry: { maximumAttempts: 3, initialInterval: '100 milliseconds' },
};

/**
 * How long after the death of its worker an attempt is repeated. Every activity with this timeout beats while it runs
 * (`worker/beating-activities.ts`).
 */
const heartbeatTimeout = '15 seconds';

/** Retried until it succeeds, however long a database or broker is unavailable. */
const retry = { initialInterval: '1 second', maximumInterval: '1 minute' } as const;

/** For short activities. */
export const retryForeverOptions: ActivityOptions = { startToCloseTimeout: '1 minute', heartbeatTimeout, retry };

/** For one page of many contacts, or some seconds of a job. */
export const pageOptions: ActivityOptions = { startToCloseTimeout: '10 minutes', heartbeatTimeout, retry };

/** For a job that may take hours. */
export const longOptions: ActivityOptions = { startToCloseTimeout: '24 hours', heartbeatTimeout, retry };

/**
 * For steps that call a URL. Whether a call is repeated, and for how long, is decided in the activity; a lost worker
 * ends no call.
 */
export const callOptions: ActivityOptions = {
  startToCloseTimeout: '30 seconds',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '5 minutes' },
};
