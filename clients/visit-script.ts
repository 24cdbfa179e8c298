import { join } from 'node:path';
import { buildBrowserScript } from './browser-script.ts';

/** The script of website visits by its path from `clients/`. */
export const visitScriptOutputs = async (): Promise<Record<string, string>> => ({
  [join('..', 'api', 'scoring', 'bundles', 'visits.js')]: await buildBrowserScript('api/scoring/browser/visits.ts'),
});
