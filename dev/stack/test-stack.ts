import { chmod, mkdir, mkdtemp, readdir, readlink, rm, statfs, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { findBinary } from '../binaries.mjs';
import { runMigrations } from '../migrate.ts';
import { freePorts } from './ports.ts';
import { removeData } from './postgres-place.ts';
import { postgresUrls, withClient } from './postgres.ts';
import { claimDataDir, isOrphaned, type RunFile } from '../run-file.ts';
import { startStack, type Stack, type StackPorts } from './stack.ts';

/**
 * What the test files of a run need to know about its stack, stored as JSON in the file named by PERENNIAL_TEST_STACK.
 */
export interface TestStack {
  /** Each claimed slot is a folder in here. */
  slotsDir: string;
  slots: number;
  postgresPort: number;
  natsPort: number;
  natsPassword: string;
  /** Common to all slots. */
  env: Record<string, string>;
}

/** The migrated template database, of which each slot's database is a copy. */
export const TEMPLATE = 'perennial_template';

const RUN_PREFIX = 'perennial-test-';

/** Where Linux keeps files in memory. */
const MEMORY = '/dev/shm';
/** So much must be free there and in the machine: databases come and go, and the log of Postgres grows in between. */
const MEMORY_BYTES = 4 * 1024 ** 3;

/** The folder of a test run, and its run file. */
export interface RunDir {
  dir: string;
  run: RunFile;
  /** Removes the folder, after its stack has stopped. */
  remove: () => Promise<void>;
}

/** The folder in memory for `makeRunDir`; null if there is none, or too little room. */
export async function roomInMemory(): Promise<string | null> {
  const { bavail, bsize } = await statfs(MEMORY).catch(() => ({ bavail: 0, bsize: 0 }));
  return Math.min(bavail * bsize, process.availableMemory()) >= MEMORY_BYTES ? MEMORY : null;
}

/**
 * Creates a folder for a test run, after stopping and removing what killed runs have left behind. The data of Postgres
 * is in `memory` if that is given: a database has a thousand files, which take most of the time that it takes to make
 * one on a disk.
 */
export async function makeRunDir(log: (line: string) => void, memory: string | null = null): Promise<RunDir> {
  for (const name of await readdir(tmpdir())) {
    const old = join(tmpdir(), name);
    if (!name.startsWith(RUN_PREFIX) || !(await isOrphaned(old))) continue;
    await claimDataDir(old, log);
    await removeRun(old);
  }
  const dir = await mkdtemp(join(tmpdir(), RUN_PREFIX));
  const run = await claimDataDir(dir, log);
  if (memory) await placeInMemory(dir, memory);
  return { dir, run, remove: () => removeRun(dir) };
}

async function placeInMemory(dir: string, memory: string): Promise<void> {
  const place = await mkdtemp(join(memory, RUN_PREFIX));
  await symlink(join(place, 'postgres'), join(dir, 'postgres'));
  // Root runs Postgres as another user, who passes through it.
  await chmod(place, 0o711);
}

async function removeRun(dir: string): Promise<void> {
  const place = dirname(await readlink(join(dir, 'postgres')).catch(() => ''));
  if (basename(place).startsWith(RUN_PREFIX)) await rm(place, { recursive: true, force: true });
  await removeData(dir);
}

/** Starts a temporary stack in a run's folder and describes it in `file`, for `claimSlot`. */
export async function startTestStack(
  runDir: RunDir,
  slots: number,
  file: string,
  log: (line: string) => void,
): Promise<Stack> {
  const { stack, ports } = await startOnFreePorts(runDir, slots, log);
  try {
    const [testServer] = await Promise.all([findBinary('temporal-test-server', { log }), makeTemplate(ports.postgres)]);
    const { TEMPORAL_ADDRESS = '', JWT_SECRET = '', LINK_SECRET = '', NATS_URL = '' } = stack.env;
    const description: TestStack = {
      slotsDir: join(runDir.dir, 'slots'),
      slots,
      postgresPort: ports.postgres,
      natsPort: ports.nats,
      natsPassword: new URL(NATS_URL).password,
      env: {
        TEMPORAL_ADDRESS,
        JWT_SECRET,
        LINK_SECRET,
        TEMPORAL_TEST_SERVER: testServer,
        // The slots share one JetStream, and each reserves it.
        FORM_FILES_MAX_BYTES: String(32 * 1024 ** 2),
      },
    };
    await mkdir(description.slotsDir);
    await writeFile(file, JSON.stringify(description), { mode: 0o600 });
    return stack;
  } catch (error) {
    await stack.stop();
    throw error;
  }
}

/**
 * Another program may take a port between its choice and its use, so this is retried. Temporal chooses more ports itself,
 * and panics without one of them.
 */
const LOST_PORT = /address already in use|grpc\.\(\*Server\)\.Serve\(0x[0-9a-f]+, \{0x0, 0x0\}\)/i;

async function startOnFreePorts({ dir, run }: RunDir, slots: number, log: (line: string) => void) {
  for (let attempt = 1; ; attempt += 1) {
    const [postgres = 0, nats = 0, temporal = 0] = await freePorts(3);
    const ports: StackPorts = { postgres, nats, temporal, temporalUi: 0, smtp: 0, mailPage: 0 };
    const spawned: RunFile['add'] = (service) => run.add(service);
    try {
      const stack = await startStack({ dataDir: dir, ports, log, external: {}, test: { slots }, spawned });
      return { stack, ports };
    } catch (error) {
      if (attempt === 3 || !LOST_PORT.test(String(error))) throw error;
    }
  }
}

async function makeTemplate(port: number): Promise<void> {
  const admin = postgresUrls(port, 'postgres').owner;
  await withClient(admin, (client) => client.query(`CREATE DATABASE ${TEMPLATE}`));
  const urls = postgresUrls(port, TEMPLATE);
  const env = { ...process.env, DATABASE_URL: urls.app, DATABASE_MIGRATION_URL: urls.owner };
  await runMigrations(env);
  await withClient(admin, (client) =>
    client.query(`ALTER DATABASE ${TEMPLATE} WITH is_template true allow_connections false`),
  );
}
