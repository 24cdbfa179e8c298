import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import type { Role } from '../../worker/roles.ts';
import { processEnv } from './process-env.ts';
import type { Service } from './service.ts';

/** `node worker/main.ts` as a separate process. */
export interface WorkerProcess {
  /** Ends it and waits for its end. Returns its exit code; null if the signal killed it. */
  end: (signal: NodeJS.Signals) => Promise<number | null>;
}

const running = new Set<WorkerProcess>();

/** The environment of a silent process with the database, NATS account and namespace of a service. */
export const childEnv = (service: Service): NodeJS.ProcessEnv => ({
  ...processEnv,
  ...service.slot.env,
  SMTP_URL: service.sink.url,
  PUBLIC_URL: service.url,
  LOG_LEVEL: 'silent',
});

/** Starts a worker with these roles, for tests that kill it. `env` overrides settings. */
export function startWorkerProcess(
  service: Service,
  roles: readonly Role[],
  env: Record<string, string> = {},
): WorkerProcess {
  const child = spawn(process.execPath, [resolve('worker/main.ts'), '--only', roles.join()], {
    stdio: 'ignore',
    env: { ...childEnv(service), ...env },
  });
  const exited = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  const worker: WorkerProcess = {
    async end(signal) {
      child.kill(signal);
      const [code] = await exited;
      running.delete(worker);
      return code;
    },
  };
  running.add(worker);
  return worker;
}

/** Kills the workers that failed tests have left. */
export async function killWorkerProcesses(): Promise<void> {
  for (const worker of running) await worker.end('SIGKILL');
}
