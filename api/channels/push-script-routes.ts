import { join } from 'node:path';
import { Type } from 'typebox';
import { engineEm } from '../../db/orm.ts';
import { findSite } from '../../domain/channels/devices/sites.ts';
import { AppError } from '../../lib/checks/errors.ts';
import { apiUrlOf } from '../route/api-url.ts';
import { route, type RouteSpec } from '../route/route.ts';
import { readScript, scriptFor, SCRIPT_CACHE, scriptReply } from '../route/script-reply.ts';

const folder = join(import.meta.dirname, 'bundles');
const scripts = { script: readScript(join(folder, 'script.js')), worker: readScript(join(folder, 'worker.js')) };

const SiteKeyParams = Type.Object({ siteKey: Type.String({ minLength: 1, maxLength: 100 }) });

const scriptRoute = (name: 'script' | 'worker', about: Pick<RouteSpec, 'operationId' | 'summary' | 'description'>) =>
  route({
    ...about,
    method: 'GET',
    path: `/channels/push/sites/{siteKey}/${name}.js`,
    access: 'public',
    openQuery: true,
    params: SiteKeyParams,
    responses: { 200: { contentType: 'text/javascript', description: 'A script' } },
    errors: ['not_found'],
    handler: async ({ ctx, deps, params: { siteKey } }) => {
      const site = await findSite(engineEm(deps.orm), siteKey);
      if (!site) throw new AppError('not_found', 'There is no push site with this key');
      const { publicKey } = site;
      const code = scriptFor(scripts[name], { PERENNIAL_SITE: { api: apiUrlOf(deps), siteKey, publicKey } });
      return scriptReply(ctx, code, SCRIPT_CACHE.current);
    },
  });

export const pushScriptRoutes: RouteSpec[] = [
  scriptRoute('script', {
    operationId: 'getPushScript',
    summary: 'Get the script with which pages of a site offer pushes',
    description:
      'It defines `perennialPush.subscribe({contactToken?})`, `.status()` and `.unsubscribe()`, and asks nothing by itself. Its name stays, and its content changes with the service.',
  }),
  scriptRoute('worker', {
    operationId: 'getPushWorker',
    summary: "Get what a site's service worker does with pushes",
    description:
      'For `importScripts` in a file of the site, `/perennial-worker.js` unless `data-worker` of the script names another.',
  }),
];
