import type { Static } from 'typebox';
import type { CampaignSimulation } from '../../db/entities/campaigns.ts';
import { requestSimulation, simulationViolations } from '../../domain/campaigns/simulation/request-simulation.ts';
import { readSimulation } from '../../domain/campaigns/simulation/run-simulation.ts';
import { accepted, route, type RouteSpec } from '../route/route.ts';
import { IdParams } from '../route/schemas.ts';
import * as schema from './simulation-schema.ts';

const presentJob = (job: CampaignSimulation) => ({
  id: job.id,
  campaignId: job.campaignId,
  status: job.status,
  contacts: job.contacts,
  processed: job.processed,
  result: (job.result ?? null) as Static<typeof schema.Simulation> | null,
  error: job.error ?? null,
  workflowId: job.workflowId,
  createdAt: job.createdAt,
  startedAt: job.startedAt ?? null,
  finishedAt: job.finishedAt ?? null,
});

export const simulationRoutes: RouteSpec[] = [
  route({
    method: 'POST',
    path: '/campaigns/{id}/simulate',
    operationId: 'simulateCampaign',
    summary: 'Simulate a campaign for contacts: nothing is sent or changed',
    description:
      'The contacts go through the steps as executions would, without waiting. Up to 10,000 contacts are answered at ' +
      'once; more are a job, whose result `GET /campaigns/simulations/{id}` has. Gates, segments and fields are those ' +
      'of now, changed only by the steps themselves; nothing else happens to the contacts but the assumed opens and ' +
      'clicks, which a step sees only after the contact has waited. Score rules, thresholds, other campaigns and ' +
      'unsubscribes are not simulated; what would be sent to others (webhooks, notifications) counts as a success.',
    access: 'campaigns:read',
    params: IdParams,
    body: schema.SimulationRequest,
    responses: { 200: { schema: schema.Simulation }, 202: { schema: schema.SimulationJob } },
    errors: ['conflict', 'unavailable', 'limit_reached'],
    check: ({ given }) => simulationViolations(given),
    handler: async ({ em, caller, deps, params, body }) => {
      const answer = await requestSimulation(em, caller, params.id, body, deps.env.MAIL_FROM, deps.outbound.checkUrl);
      return 'result' in answer
        ? { body: answer.result }
        : accepted(`/campaigns/simulations/${answer.job.id}`, presentJob(answer.job));
    },
  }),
  route({
    method: 'GET',
    path: '/campaigns/simulations/{id}',
    operationId: 'getCampaignSimulation',
    summary: 'Get the progress and the result of a simulation of more than 10,000 contacts',
    description: 'Poll it until it is completed; its result has what a smaller simulation answers at once.',
    access: 'campaigns:read',
    params: IdParams,
    responses: { 200: { schema: schema.SimulationJob } },
    handler: async ({ em, params }) => ({ body: presentJob(await readSimulation(em, params.id)) }),
  }),
];
