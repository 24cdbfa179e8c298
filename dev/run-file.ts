import { chmodSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { processStart } from './process-start.mjs';
import { pause, stopForeign } from './process.ts';
import type { Service } from './service.ts';

interface Content {
  /** The process that started the stack. */
  owner: { pid: number; start: string };
  stopping: boolean;
  /** Of its API and workers, for others that are started beside them; absent until these run. */
  settings?: Record<string, string>;
  services: Pick<Service, 'name' | 'pid' | 'start' | 'stopSignal' | 'graceMs'>[];
}

/**
 * Our entry in `<dataDir>/run.json`: which process uses this data folder, which processes belong to it, and their
 * settings. These contain secrets, so only the owner can read the file.
 */
export interface RunFile {
  /** Records a process of this run. If this run is killed, the next one stops the process. */
  add: (service: Service) => void;
  /** Records the settings with which processes may work beside this run. */
  share: (settings: Record<string, string>) => void;
  /** Records that this run is about to end, so that the next one waits for it. */
  stopping: () => void;
  remove: () => void;
}

/**
 * Claims the data folder for this process. Stops what a killed run left running, and logs that; waits for a run that is
 * just stopping. Throws if another process uses the folder, without changing it.
 */
export async function claimDataDir(dataDir: string, log: (line: string) => void): Promise<RunFile> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const file = join(dataDir, 'run.json');
  const content: Content = {
    owner: { pid: process.pid, start: processStart(process.pid) ?? '' },
    stopping: false,
    services: [],
  };
  while (!(await create(file, content))) {
    const other = await read(file);
    if (other && lives(other.owner)) await waitForEnd(file, other, log);
    else await takeOver(file, log);
  }
  // Only after it is ours. Never closed to Postgres, which root runs as another user: it would crash at its next
  // checkpoint.
  chmodSync(dataDir, process.getuid?.() === 0 ? 0o711 : 0o700);
  const write = () => {
    writeFileSync(`${file}.new`, JSON.stringify(content), { mode: 0o600 });
    renameSync(`${file}.new`, file);
  };
  return {
    add({ name, pid, start, stopSignal, graceMs, ended }) {
      const entry = { name, pid, start, stopSignal, graceMs };
      content.services.push(entry);
      write();
      void ended.then(() => {
        content.services = content.services.filter((service) => service !== entry);
      });
    },
    share(settings) {
      content.settings = settings;
      write();
    },
    stopping() {
      content.stopping = true;
      write();
    },
    remove: () => rmSync(file, { force: true }),
  };
}

/** The run that uses the folder; null if there is none, also if one has died without removing its entry. */
export async function readRun(dataDir: string): Promise<Pick<Content, 'owner' | 'stopping' | 'settings'> | null> {
  const content = await read(join(dataDir, 'run.json'));
  return content && lives(content.owner) ? content : null;
}

/** Whether the folder was left by a run that has died; false if it is in use or was never claimed. */
export async function isOrphaned(dataDir: string): Promise<boolean> {
  const content = await read(join(dataDir, 'run.json'));
  return content !== null && !lives(content.owner);
}

async function waitForEnd(file: string, { owner, stopping }: Content, log: (line: string) => void): Promise<void> {
  if (!stopping) {
    throw new Error(
      `Perennial runs already on this data folder (process ${owner.pid}): stop it first (Ctrl-C, or kill ${owner.pid}).`,
    );
  }
  log(`Waiting for the previous run (process ${owner.pid}) to stop …`);
  while (lives(owner) && (await read(file))) await pause(100);
}

/** Only one process can rename the file, so that two that find the same dead run do not both clean up. */
async function takeOver(file: string, log: (line: string) => void): Promise<void> {
  const mine = `${file}.${process.pid}`;
  try {
    await rename(file, mine);
  } catch {
    return;
  }
  const content = await read(mine);
  for (const { name, pid, start, stopSignal, graceMs } of inStopOrder(content?.services ?? [])) {
    if (processStart(pid) !== start) continue;
    log(`Stopping ${name} (process ${pid}), left over by a run that was killed …`);
    await stopForeign(pid, start, stopSignal, graceMs);
  }
  await rm(mine, { force: true });
}

/** The service's own processes drain first, while the parts they drain into still run; Postgres is last. */
function inStopOrder(services: Content['services']): Content['services'] {
  const parts = ['The mail catcher', 'Temporal', 'NATS', 'Postgres'];
  return services.toSorted((a, b) => parts.indexOf(a.name) - parts.indexOf(b.name));
}

function lives({ pid, start }: Content['owner']): boolean {
  return processStart(pid) === start;
}

async function create(file: string, content: Content): Promise<boolean> {
  try {
    await writeFile(file, JSON.stringify(content), { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

async function read(file: string): Promise<Content | null> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Content;
  } catch {
    return null;
  }
}
