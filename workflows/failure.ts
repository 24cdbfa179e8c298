import { ApplicationFailure } from '@temporalio/workflow';

/** What an activity that was given up has failed of, in its own words. */
export const causeOf = (error: unknown): string =>
  error instanceof Error && error.cause instanceof ApplicationFailure ? error.cause.message : String(error);
