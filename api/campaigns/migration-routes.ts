import {
  migrateCampaign,
  migrationViolations,
  planMigration,
  readMigration,
} from '../../domain/campaigns/management/migrate-campaign.ts';
import { IdParams } from '../route/schemas.ts';
import { presentMigration, presentPlan } from './presenter.ts';
import * as schema from './schema.ts';
import { accepted, route, type RouteSpec } from '../route/route.ts';

export const migrationRoutes: RouteSpec[] = [
  route({
    method: 'POST',
    path: '/campaigns/{id}/migrate',
    operationId: 'migrateCampaign',
    summary: 'Move the running executions of a published version to another',
    description:
      'Each continues at the same step, by its id or by `map`, and keeps the time that it has already waited. Executions that FAILED do not run and stay in their version.',
    access: 'campaigns:write',
    params: IdParams,
    body: schema.MigrationRequest,
    responses: {
      202: { schema: schema.Migration },
      200: { schema: schema.MigrationPlan, description: 'What it would do (`dryRun`)' },
    },
    errors: ['conflict', 'limit_reached'],
    check: ({ tx, params, body: { from, to, map = {} } }) =>
      migrationViolations(tx, params.id ?? 0, {
        ...(from === undefined ? {} : { from }),
        ...(to === undefined ? {} : { to }),
        map: map as Record<string, string>,
      }),
    handler: async ({ em, deps, caller, params, body: { dryRun, ...input } }) => {
      const { checkUrl } = deps.outbound;
      if (dryRun) return { status: 200, body: presentPlan(input, await planMigration(em, params.id, input, checkUrl)) };
      const migration = await migrateCampaign(em, caller, params.id, input, checkUrl);
      return accepted(`/campaigns/migrations/${migration.id}`, presentMigration(migration));
    },
  }),
  route({
    method: 'GET',
    path: '/campaigns/migrations/{id}',
    operationId: 'getCampaignMigration',
    summary: 'Get the progress of a migration',
    description: 'The figures grow while it is RUNNING. `blocked` executions stay in their version.',
    access: 'campaigns:read',
    params: IdParams,
    responses: { 200: { schema: schema.Migration } },
    handler: async ({ em, params }) => ({ body: presentMigration(await readMigration(em, params.id)) }),
  }),
];
