import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { onTestFinished } from './on-test-finished.ts';
import { childEnv } from './worker-process.ts';
import type { Service } from './service.ts';

/** A process of the service, with its log. */
export interface LoggedProcess {
  /** Whether it has logged a line with this text. */
  said: (text: string) => boolean;
  output: () => string;
  end: (signal: NodeJS.Signals) => Promise<number | null>;
  /** Resolves with its exit code; null if a signal ended it. */
  ended: Promise<number | null>;
}

/**
 * Starts `script` on the database, account and namespace of a service; killed at the end of the test. `env` overrides
 * settings.
 */
export function startLogged(
  service: Service,
  script: string,
  args: readonly string[] = [],
  env: Record<string, string> = {},
): LoggedProcess {
  const child = spawn(process.execPath, [resolve(script), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...childEnv(service), PORT: '0', WORKER_HEALTH_PORT: '0', LOG_LEVEL: 'info', ...env },
  });
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) createInterface(stream).on('line', (line) => lines.push(line));
  const ended = once(child, 'close').then(([code]) => code as number | null);
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  return {
    said: (text) => lines.some((line) => line.includes(text)),
    output: () => lines.join('\n'),
    ended,
    async end(signal) {
      child.kill(signal);
      return ended;
    },
  };
}
