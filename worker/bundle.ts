import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, type Logger, type WorkflowBundleWithSourceMap } from '@temporalio/worker';

const workflowsPath = fileURLToPath(new URL('../workflows/index.ts', import.meta.url));
/** Whose files the bundle is made of. */
const folders = ['../workflows/', '../registry/'].map((folder) => fileURLToPath(new URL(folder, import.meta.url)));
const cacheFolder = fileURLToPath(new URL('../dist/', import.meta.url));

/** A hash of the bundle's sources: a changed workflow or SDK results in another file name. */
export async function workflowsFingerprint(): Promise<string> {
  const hash = createHash('sha256');
  for (const folder of folders)
    for (const file of (await readdir(folder)).sort()) hash.update(file).update(await readFile(folder + file));
  hash.update(await readFile(fileURLToPath(import.meta.resolve('@temporalio/worker/package.json'))));
  return hash.digest('hex').slice(0, 16);
}

/** Compiles the workflows; the resulting code is all that a replay needs. */
export async function compileWorkflows(logger?: Logger): Promise<WorkflowBundleWithSourceMap> {
  return bundleWorkflowCode({ workflowsPath, ...(logger ? { logger } : {}) });
}

/**
 * The path of the workflow bundle, built once per version of the sources. Safe to call from several processes at once.
 */
export async function workflowBundle(logger?: Logger): Promise<{ codePath: string }> {
  const codePath = `${cacheFolder}workflows-${await workflowsFingerprint()}.js`;
  const built = await readFile(codePath).then(
    () => true,
    () => false,
  );
  if (!built) {
    const { code } = await compileWorkflows(logger);
    await mkdir(cacheFolder, { recursive: true });
    const draft = `${codePath}.${process.pid}`;
    await writeFile(draft, code);
    await rename(draft, codePath);
  }
  return { codePath };
}
