import { EnvError, withSecretFiles } from '../config/env.ts';
import { readRun } from './run-file.ts';

/** Without these no process of the service works. */
const REQUIRED = ['DATABASE_URL', 'NATS_URL', 'TEMPORAL_ADDRESS', 'SMTP_URL', 'JWT_SECRET', 'LINK_SECRET'];

/** What a process takes over from the `npm start` beside it. */
export interface SettingsBeside {
  /** The process of that `npm start`. */
  pid: number;
  /** The settings that the process lacks. */
  settings: Record<string, string>;
}

/**
 * The settings that a process with the settings `env` lacks to work beside the `npm start` on this data folder. Null if it
 * has all that it needs, or if no `npm start` runs there. Throws if that is just starting or stopping.
 */
export async function settingsBeside(dataDir: string, env: NodeJS.ProcessEnv): Promise<SettingsBeside | null> {
  const { settings: given } = withSecretFiles(env);
  if (REQUIRED.every((name) => given[name])) return null;
  const run = await readRun(dataDir);
  if (!run) return null;
  const { pid } = run.owner;
  if (!run.settings || run.stopping) {
    const state = run.stopping ? 'is stopping' : 'is still starting';
    throw new EnvError(`The \`npm start\` here (process ${pid}) ${state}: try again when it runs.`);
  }
  const lacking = Object.entries(run.settings).filter(([name]) => !given[name]);
  return { pid, settings: Object.fromEntries(lacking) };
}
