import type { Deps } from '../runtime/deps.ts';
import { tenantEm } from '../db/orm.ts';
import { replayPage, type ReplayedPage, type ReplayPageRequest } from '../domain/scoring/replay/replay-page.ts';

export function scoringActivities({ orm }: Pick<Deps, 'orm'>) {
  return {
    /** Replays a rule for one page of contacts or companies. */
    replayPage: (request: ReplayPageRequest): Promise<ReplayedPage> =>
      replayPage(tenantEm(orm, request.tenantId), request),
  };
}
