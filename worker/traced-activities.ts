import type { Context } from '@temporalio/activity';
import type { ActivityInterceptors } from '@temporalio/worker';
import type { Tracing } from '../config/tracing.ts';

/** A span for each attempt of an activity. */
export function tracedActivities(tracing: Tracing) {
  return ({ info }: Context): ActivityInterceptors => ({
    inbound: {
      execute: (input, next) =>
        tracing.span(
          `activity ${info.activityType}`,
          {
            kind: 'INTERNAL',
            attributes: {
              'temporal.workflow_id': info.workflowExecution?.workflowId ?? '',
              'temporal.run_id': info.workflowExecution?.runId ?? '',
              'temporal.attempt': info.attempt,
            },
          },
          () => next(input),
        ),
    },
  });
}
