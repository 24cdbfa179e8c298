import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buildBrowserScript } from './browser-script.ts';

const folder = join('..', 'api', 'forms', 'bundles');
const pointer = join(folder, 'current');

/** The script by its path from `clients/`, which its content determines, and the file that names it. */
export async function formScriptOutputs(): Promise<Record<string, string>> {
  const code = await buildBrowserScript('api/forms/browser/main.ts');
  const name = `form-${createHash('sha384').update(code).digest('hex').slice(0, 16)}.js`;
  return { [join(folder, name)]: code, [pointer]: `${name}\n` };
}

/**
 * The path from `clients/` of the script before a new one, if nobody can have it: it is in no commit. Others stay,
 * because pages load them by their names.
 */
export async function unknownScript(): Promise<string | null> {
  const name = (await readFile(join(import.meta.dirname, pointer), 'utf8').catch(() => '')).trim();
  if (name === '') return null;
  try {
    execFileSync('git', ['cat-file', '-e', `HEAD:api/forms/bundles/${name}`], { stdio: 'ignore' });
    return null;
  } catch {
    return join(folder, name);
  }
}
