import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { apiAt, type Api } from './call-api.ts';
import type { Service } from './service.ts';
import { processEnv } from './process-env.ts';

/** `node api/server.ts` as a separate process, with the database, NATS account and settings of a service. */
export interface ApiProcess {
  url: string;
  pid: number;
  api: Api;
  /** Everything it has logged so far. */
  log: () => string;
  /** Ends it and waits for its end. Fails if SIGTERM does not end it gracefully. */
  end: (signal?: NodeJS.Signals) => Promise<void>;
}

/** Starts one on a free port; resolves when it listens. `env` overrides settings. The caller must end it. */
export async function startApiProcess(service: Service, env: Record<string, string> = {}): Promise<ApiProcess> {
  const settings = Object.fromEntries(Object.entries(service.deps.env).map(([name, value]) => [name, String(value)]));
  const child = spawn(process.execPath, [resolve('api/server.ts')], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...processEnv, ...settings, LOG_LEVEL: 'info', ...env, PORT: '0' },
  });
  const exited = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  const lines: string[] = [];
  const port = await new Promise<number>((found, failed) => {
    void exited.then(([code]) => failed(new Error(`the API process ended with ${code} before it listened`)));
    createInterface(child.stdout).on('line', (line) => {
      lines.push(line);
      const entry = JSON.parse(line) as { msg: string; port: number };
      if (entry.msg === 'listening') found(entry.port);
    });
  });
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    pid: child.pid!,
    api: apiAt(url, () => service.admin.token),
    log: () => lines.join('\n'),
    async end(signal = 'SIGTERM') {
      child.kill(signal);
      const [code] = await exited;
      if (signal === 'SIGTERM' && code !== 0) throw new Error(`the API process ended with ${code}`);
    },
  };
}
