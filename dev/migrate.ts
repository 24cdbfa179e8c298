import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { EnvError } from '../config/env.ts';

/** Runs `db/migrate.ts` in a child process with the settings `env`; if it fails, throws an error with its output. */
export async function runMigrations(env: NodeJS.ProcessEnv): Promise<void> {
  const root = join(import.meta.dirname, '..');
  try {
    await promisify(execFile)(process.execPath, [join(root, 'db', 'migrate.ts')], { cwd: root, env });
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    // Invalid settings: the output says which.
    if (code === 2) throw new EnvError(stderr.trimEnd(), { cause: error });
    throw new Error(`The migrations failed:\n${stdout}${stderr}`, { cause: error });
  }
}
