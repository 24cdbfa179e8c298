import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Connection } from '@temporalio/client';
import { findBinary } from '../binaries.mjs';
import { portOpens } from './ports.ts';
import { makePrivate, startService, untilReady, type Service } from '../service.ts';

export interface TemporalOptions {
  /** Called as soon as the process exists, long before it is ready. */
  spawned?: (service: Service) => void;
  /** Contains the folders `temporal` and `logs`. */
  dataDir: string;
  port: number;
  /** The port of the web page; without it there is none. */
  uiPort?: number;
  /** Without syncing to disk, for temporary data, which a stop does not save. */
  volatile?: boolean;
  log: (line: string) => void;
}

/** Search attributes of campaign executions. SQL visibility supports at most three Int. */
const SEARCH_ATTRIBUTES = {
  CampaignId: 'Int',
  ContactId: 'Int',
  CampaignVersion: 'Int',
  TenantId: 'Keyword',
  StepId: 'Keyword',
  StepType: 'Keyword',
};

/** Raises the server's limits, which protect a shared cluster: here one machine serves one program. */
export const DYNAMIC_CONFIG = {
  'frontend.rps': 100_000,
  'frontend.namespaceRPS': 100_000,
  'frontend.namespaceRPS.visibility': 10_000,
  'frontend.namespaceCount': 10_000,
  'frontend.persistenceMaxQPS': 100_000,
  'history.rps': 100_000,
  'history.persistenceMaxQPS': 100_000,
  'matching.rps': 100_000,
  'matching.persistenceMaxQPS': 100_000,
  'system.visibilityPersistenceMaxReadQPS': 100_000,
  'system.visibilityPersistenceMaxWriteQPS': 100_000,
};

/** Tests cannot wait the minutes after which a server looks whether a build is drained. */
const SOON_DRAINED = {
  'matching.wv.VersionDrainageStatusVisibilityGracePeriod': '"1s"',
  'matching.wv.VersionDrainageStatusRefreshInterval': '"1s"',
};

/**
 * Starts the Temporal dev server on a file, on loopback. Ready when its frontend has responded for the namespace
 * `default`.
 */
export async function startTemporal(options: TemporalOptions): Promise<Service> {
  const folder = join(options.dataDir, 'temporal');
  makePrivate(folder);
  const command = await findBinary('temporal', options);
  const service = await startService({
    name: 'Temporal',
    command,
    args: serverArgs(join(folder, 'temporal.db'), options),
    logFile: join(options.dataDir, 'logs', 'temporal.log'),
    stopSignal: options.volatile ? 'SIGKILL' : 'SIGINT',
    spawned: options.spawned,
  });
  const address = `127.0.0.1:${options.port}`;
  try {
    // A gRPC client that finds the port closed waits a second before it retries.
    await untilReady(service, () => portOpens(options.port));
    await untilReady(service, () => useNamespace(address));
    if (!options.volatile) await keepClosedWorkflows(command, address);
  } catch (error) {
    await service.stop();
    throw error;
  }
  return service;
}

/**
 * FULL: each commit is on the disk before it is answered, or a power cut would set Temporal back by seconds, also by what
 * it has told the service.
 */
function serverArgs(file: string, { port, uiPort, volatile }: TemporalOptions): string[] {
  return [
    ...[
      'server',
      'start-dev',
      '--ip',
      '127.0.0.1',
      '--port',
      String(port),
      '--db-filename',
      file,
      '--log-level',
      'warn',
    ],
    ...(uiPort ? ['--ui-port', String(uiPort), '--ui-disable-news-fetch'] : ['--headless']),
    ...['--sqlite-pragma', 'journal_mode=WAL', '--sqlite-pragma', `synchronous=${volatile ? 'OFF' : 'FULL'}`],
    ...Object.entries(SEARCH_ATTRIBUTES).flatMap(([name, type]) => ['--search-attribute', `${name}=${type}`]),
    ...Object.entries({ ...DYNAMIC_CONFIG, ...(volatile ? SOON_DRAINED : {}) }).flatMap(([name, value]) => [
      '--dynamic-config-value',
      `${name}=${value}`,
    ]),
  ];
}

async function useNamespace(address: string): Promise<void> {
  const connection = await Connection.connect({ address, connectTimeout: 2_000 });
  try {
    await connection.workflowService.getSystemInfo({});
    await connection.workflowService.describeNamespace({ namespace: 'default' });
  } finally {
    await connection.close();
  }
}

/** The dev server's namespaces delete closed workflows after a day, but journeys must stay visible for longer. */
async function keepClosedWorkflows(command: string, address: string): Promise<void> {
  const args = [
    'operator',
    'namespace',
    'update',
    '--namespace',
    'default',
    '--retention',
    '30d',
    '--address',
    address,
  ];
  await promisify(execFile)(command, args);
}
