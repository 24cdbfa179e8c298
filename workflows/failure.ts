import { ApplicationFailure } from '@temporalio/workflow';

/** The message of the error with which an activity finally failed. */
export const causeOf = (error: unknown): string =>
  error instanceof Error && error.cause instanceof ApplicationFailure ? error.cause.message : String(error);
