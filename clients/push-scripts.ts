import { join } from 'node:path';
import { buildBrowserScript } from './browser-script.ts';

const bundles = join('..', 'api', 'channels', 'bundles');

/** The scripts of sites with push subscriptions by their paths from `clients/`. */
export const pushScriptOutputs = async (): Promise<Record<string, string>> => ({
  [join(bundles, 'script.js')]: await buildBrowserScript('api/channels/browser/script.ts'),
  [join(bundles, 'worker.js')]: await buildBrowserScript('api/channels/browser/worker/worker.ts'),
});
