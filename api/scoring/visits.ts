import { join } from 'node:path';
import type { Context } from 'koa';
import { engineEm } from '../../db/orm.ts';
import { readContactToken } from '../../domain/addresses/contact-token.ts';
import { AppError } from '../../lib/checks/errors.ts';
import { recordWebVisits, type WebVisit } from '../../domain/scoring/visits/record-web-visits.ts';
import { isRobot } from '../../domain/scoring/visits/robot-agents.ts';
import type { VisitedPage } from '../../domain/scoring/visits/visited-page.ts';
import type { Deps } from '../../runtime/deps.ts';
import { inBatches } from '../route/in-batches.ts';
import type { Reply } from '../route/route.ts';
import { isPrefetch } from '../tracking/prefetch.ts';
import { readScript, SCRIPT_CACHE, scriptReply } from '../route/script-reply.ts';

const script = readScript(join(import.meta.dirname, 'bundles', 'visits.js'));

/** The script that tells of visits. It is the same for all sites: it reads the site from its own address. */
export const visitScriptReply = (ctx: Context): Reply => scriptReply(ctx, script, SCRIPT_CACHE.current);

/** The element that loads the script. */
export const visitScriptTag = (apiUrl: string, site: string): string =>
  `<script src="${apiUrl}/scoring/visits/script.js?site=${site}" defer></script>`;

const MOST_WAITING = 10_000;

const record = inBatches<WebVisit>(({ orm }, visits) => recordWebVisits(engineEm(orm), visits), {
  most: MOST_WAITING,
  refusal: () =>
    new AppError('unavailable', 'Too many visits are being recorded; try again', { headers: { 'Retry-After': '5' } }),
});

export interface ToldVisit {
  site: string;
  contactToken: string;
  page: VisitedPage & { url: string };
}

/**
 * Records a visit that a page of the site has told of, if it is by a person, with a valid token of one of the site's
 * contacts. Resolves when it is recorded, or at once if it is ignored.
 */
export async function recordToldVisit(
  ctx: Context,
  deps: Deps,
  { site, contactToken, page }: ToldVisit,
  requestId: string,
): Promise<void> {
  if (isRobot(ctx.get('user-agent')) || isPrefetch(ctx.headers)) return;
  const named = readContactToken(deps.links, contactToken, site);
  if (named) await record(deps, { tenantId: site, ...named, page, requestId });
}
