import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { processEnv } from './process-env.ts';

const PARTS = [
  'activities',
  'config',
  'db',
  'domain',
  'events',
  'lib',
  'registry',
  'runtime',
  'transport',
  'worker',
  'workflows',
  'package.json',
];
const JOURNEY = join('workflows', 'campaign-execution.ts');

/** A copy of the service, of which another build can be run. */
export interface Build {
  folder: string;
  remove: () => Promise<void>;
}

/** Copies the service and puts code before places in the workflow of journeys. Places are given with their code. */
export async function makeBuild(added: Record<string, string>): Promise<Build> {
  const folder = await mkdtemp(join(tmpdir(), 'perennial-build-'));
  for (const part of PARTS) await cp(resolve(part), join(folder, part), { recursive: true });
  await symlink(resolve('node_modules'), join(folder, 'node_modules'));
  let source = await readFile(join(folder, JOURNEY), 'utf8');
  for (const [place, code] of Object.entries(added)) {
    assert.equal(source.split(place).length, 2, `${place} is there, once`);
    source = source.replace(place, `${code}\n${place}`);
  }
  await writeFile(join(folder, JOURNEY), `import { patched, sleep } from '@temporalio/workflow';\n${source}`);
  return { folder, remove: () => rm(folder, { recursive: true }) };
}

/** A worker process with the role `temporal`, and what it has logged. */
export interface BuildWorker {
  log: () => string;
  end: (signal?: NodeJS.Signals) => Promise<void>;
}

/** Starts a worker of the service in a folder; resolves when it works. The caller must end it. */
export async function startBuild(folder: string, settings: Record<string, string>): Promise<BuildWorker> {
  const child = spawn(process.execPath, [join(folder, 'worker', 'main.ts'), '--only', 'temporal'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...processEnv, ...settings, LOG_LEVEL: 'info' },
  });
  const exited = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  let log = '';
  await new Promise<void>((found, failed) => {
    void exited.then(([code]) => failed(new Error(`the worker ended with ${code} before it worked: ${log}`)));
    child.stdout.on('data', (part: Buffer) => {
      log += part.toString();
      if (log.includes('"msg":"working"')) found();
    });
  });
  return {
    log: () => log,
    async end(signal = 'SIGTERM') {
      child.kill(signal);
      await exited;
    },
  };
}
