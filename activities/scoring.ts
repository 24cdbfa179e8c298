import type { Deps } from '../runtime/deps.ts';
import { tenantEm } from '../db/orm.ts';
import { replayPage, type ReplayedPage, type ReplayPageRequest } from '../domain/scoring/replay/replay-page.ts';
import { withHeartbeat } from './with-heartbeat.ts';

export function scoringActivities({ orm }: Pick<Deps, 'orm'>) {
  return {
    /** Replays a rule for one page of contacts or companies, with heartbeats, as a company may be large. */
    replayPage: (request: ReplayPageRequest): Promise<ReplayedPage> =>
      withHeartbeat(() => replayPage(tenantEm(orm, request.tenantId), request)),
  };
}
