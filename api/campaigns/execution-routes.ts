import { retryExecution, stopExecution } from '../../domain/campaigns/execution/change-execution.ts';
import { readExecution } from '../../domain/campaigns/management/read-executions.ts';
import { IdParams } from '../route/schemas.ts';
import { presentExecution, presentExecutionWithSteps } from './presenter.ts';
import * as schema from './schema.ts';
import { accepted, route, type RouteSpec } from '../route/route.ts';

export const executionRoutes: RouteSpec[] = [
  route({
    method: 'GET',
    path: '/campaigns/executions/{id}',
    operationId: 'getCampaignExecution',
    summary: 'Get an execution with its completed steps',
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
    summary: 'Retry a failed execution',
    access: 'campaigns:write',
    params: IdParams,
    responses: { 202: { schema: schema.Execution } },
    errors: ['conflict'],
    handler: async ({ em, principal, requestId, params }) => {
      const execution = await retryExecution(em, { tenantId: principal.tenantId, requestId }, params.id);
      return accepted(`/campaigns/executions/${execution.id}`, presentExecution(execution));
    },
  }),
];
