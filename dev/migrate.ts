import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Runs the migrations on the database that DATABASE_MIGRATION_URL names; throws with what they printed. */
export async function migrate(env: NodeJS.ProcessEnv): Promise<void> {
  const root = join(import.meta.dirname, '..');
  try {
    await promisify(execFile)(process.execPath, [join(root, 'db', 'migrate.ts')], { cwd: root, env });
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(`The migrations failed:\n${stdout}${stderr}`, { cause: error });
  }
}
