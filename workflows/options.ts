import type { ActivityOptions, LocalActivityOptions } from '@temporalio/common';

/** A step in passing: what fails three times is not a matter of moments and becomes an ordinary activity. */
export const local: LocalActivityOptions = {
  startToCloseTimeout: '10 seconds',
  retry: { maximumAttempts: 3, initialInterval: '100 milliseconds' },
};

/** Something short that is tried until it succeeds, however long a database or a broker is away. */
export const patient: ActivityOptions = {
  startToCloseTimeout: '1 minute',
  retry: { initialInterval: '1 second', maximumInterval: '1 minute' },
};

/** One page of many contacts, which tells that it is alive. */
export const paging: ActivityOptions = {
  startToCloseTimeout: '10 minutes',
  heartbeatTimeout: '30 seconds',
  retry: { initialInterval: '1 second', maximumInterval: '1 minute' },
};
