import { readReplay, replayViolations, requestReplay } from '../../domain/scoring/replay/replay.ts';
import { IdParams } from '../route/schemas.ts';
import { accepted, route, type RouteSpec } from '../route/route.ts';
import { presentReplay } from './presenter.ts';
import * as schema from './schema.ts';

export const replayRoutes: RouteSpec[] = [
  route({
    method: 'POST',
    path: '/scoring/rules/{id}/replay',
    operationId: 'replayScoringRule',
    summary: 'Apply a scoring rule to earlier events',
    description:
      'Events since `from` get the points that the rule gives now, instead of those that they got. Thresholds that are reached fire, but never again for a contact for whom they have fired. An event counts for the company that has its points, or else for that of its contact. A dry run over up to 10000 contacts, 10000 companies and 50000 events is answered at once.',
    access: 'scoring:write',
    params: IdParams,
    body: schema.ReplayRequest,
    responses: {
      202: { schema: schema.Replay },
      200: { schema: schema.Replay, description: 'What it would do (`dryRun`)' },
    },
    errors: ['conflict', 'limit_reached'],
    check: ({ body }) => replayViolations(body),
    handler: async ({ em, caller, params, body }) => {
      const replay = await requestReplay(em, caller, params.id, body);
      if (replay.id === null) return { status: 200, body: presentReplay(replay) };
      return accepted(`/scoring/replays/${replay.id}`, presentReplay(replay));
    },
  }),
  route({
    method: 'GET',
    path: '/scoring/replays/{id}',
    operationId: 'getScoringReplay',
    summary: 'Get the progress of a replay',
    description:
      'The figures grow while it is RUNNING. It ends as CANCELLED when the rule is changed, deleted or made inactive; what it has changed until then stays.',
    access: 'scoring:read',
    params: IdParams,
    responses: { 200: { schema: schema.Replay } },
    handler: async ({ em, params }) => ({ body: presentReplay(await readReplay(em, params.id)) }),
  }),
];
