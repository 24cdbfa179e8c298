import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { withSecretFiles } from '../config/env.ts';
import { localDefaults, readStartSettings } from './settings.ts';
import { loadSecrets } from './stack/secrets.ts';
import { localAccounts } from './stack/nats.ts';
import { settingsOf } from './stack/stack.ts';

const OF_THE_STACK = ['DATABASE_URL', 'NATS_URL', 'TEMPORAL_ADDRESS', 'SMTP_URL', 'JWT_SECRET', 'LINK_SECRET'];

/**
 * The settings that a process lacks to work beside `npm start` on the same data folder: its addresses and secrets. None
 * if it has all of its own, or nothing was ever started there.
 */
export async function settingsBeside(dataDir: string, env: NodeJS.ProcessEnv): Promise<Record<string, string>> {
  const { settings } = withSecretFiles(env);
  if (OF_THE_STACK.every((name) => settings[name]) || !existsSync(join(dataDir, 'secrets.json'))) return {};
  const { ports, external, url, given } = readStartSettings(env);
  const secrets = await loadSecrets(dataDir);
  const all = { ...localDefaults(url), ...settingsOf({ ports, external }, secrets, localAccounts(secrets, false)) };
  return Object.fromEntries(Object.entries(all).filter(([name]) => given[name] === undefined));
}
