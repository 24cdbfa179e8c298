import { resolve } from 'node:path';
import { build, stop } from 'esbuild';

/**
 * A script as browsers load it: one file, without imports and without anything of its surroundings. `entry` is the path
 * of its first source in the repository. Calls must not overlap: the end of one
 * stops esbuild.
 */
export async function buildBrowserScript(entry: string): Promise<string> {
  const repository = resolve(import.meta.dirname, '..');
  const { outputFiles } = await build({
    entryPoints: [resolve(repository, entry)],
    bundle: true,
    write: false,
    minify: true,
    format: 'iife',
    target: 'es2020',
    charset: 'utf8',
    legalComments: 'none',
    // Where the repository is on this machine must not matter.
    absWorkingDir: repository,
  });
  // esbuild keeps a process running between builds.
  await stop();
  return outputFiles[0]!.text;
}
