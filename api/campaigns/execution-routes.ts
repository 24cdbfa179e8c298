import type { EntityManager } from '../../db/orm.ts';
import { AppError } from '../../lib/checks/errors.ts';
import type { Deps } from '../../runtime/deps.ts';
import { describeWorkflow } from '../../runtime/temporal.ts';
import { retryExecution, stopExecution } from '../../domain/campaigns/execution/change-execution.ts';
import { readExecution } from '../../domain/campaigns/management/read-executions.ts';
import { IdParams } from '../route/schemas.ts';
import { presentExecution, presentExecutionWithSteps } from './presenter.ts';
import * as schema from './schema.ts';
import { accepted, route, type RouteSpec } from '../route/route.ts';

/** The number of the run of a RUNNING execution whose workflow is not open; null if there is none. */
async function lostRunOf({ temporal, log }: Deps, em: EntityManager, id: number): Promise<number | null> {
  const { execution } = await readExecution(em, id);
  const { status, workflowId, runSeq } = execution;
  if (status !== 'RUNNING' || workflowId == null) return null;
  const { isOpen } = await describeWorkflow(temporal, workflowId).catch((error: unknown) => {
    log.warn({ err: error }, 'could not look at the workflow of an execution');
    throw new AppError('unavailable');
  });
  return isOpen ? null : runSeq;
}

export const executionRoutes: RouteSpec[] = [
  route({
    method: 'GET',
    path: '/campaigns/executions/{id}',
    operationId: 'getCampaignExecution',
    summary: 'Get an execution with its completed steps',
    description: '`steps` has each visit of a step that is over, with its result.',
    access: 'campaigns:read',
    params: IdParams,
    responses: { 200: { schema: schema.ExecutionWithSteps } },
    handler: async ({ em, params }) => ({ body: presentExecutionWithSteps(await readExecution(em, params.id)) }),
  }),
  route({
    method: 'POST',
    path: '/campaigns/executions/{id}/stop',
    operationId: 'stopCampaignExecution',
    summary: 'Stop one execution',
    description:
      'No step of it runs again, and its QUEUED emails and messages are SUPPRESSED. Others of the campaign go on. No effect if it has ended.',
    access: 'campaigns:write',
    params: IdParams,
    responses: { 202: { schema: schema.Execution } },
    handler: async ({ em, principal, requestId, params }) => {
      const execution = await stopExecution(em, { tenantId: principal.tenantId, requestId }, params.id);
      return accepted(`/campaigns/executions/${execution.id}`, presentExecution(execution));
    },
  }),
  route({
    method: 'POST',
    path: '/campaigns/executions/{id}/retry',
    operationId: 'retryCampaignExecution',
    summary: 'Retry a failed execution, or one that is RUNNING and has no open workflow',
    description:
      'Goes on at the step at which it failed; steps before it are not repeated. 409 `conflict` if it can go on by itself or has ended, and unless the campaign is ACTIVE or PAUSED.',
    access: 'campaigns:write',
    params: IdParams,
    responses: { 202: { schema: schema.Execution } },
    errors: ['conflict'],
    handler: async ({ deps, em, principal, requestId, params }) => {
      const lostRun = await lostRunOf(deps, em, params.id);
      const execution = await retryExecution(em, { tenantId: principal.tenantId, requestId }, params.id, lostRun);
      return accepted(`/campaigns/executions/${execution.id}`, presentExecution(execution));
    },
  }),
];
