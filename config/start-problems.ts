import { once } from 'node:events';
import type { Server } from 'node:http';
import { EnvError } from './env.ts';
import { errorForLog } from './error-for-log.ts';

/** Blames a setting for an error, in one line without the setting's value. */
export const doesNotWork = (setting: string, error: unknown): EnvError =>
  new EnvError(`${setting} does not work: ${errorForLog(error).message.split('\n')[0]}`, { cause: error });

/** Runs `work`, which uses a setting, and blames the setting if it fails. */
export async function bySetting<T>(setting: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof EnvError ? error : doesNotWork(setting, error);
  }
}

const PORT_TAKEN: Record<string, string> = { EADDRINUSE: 'is in use', EACCES: 'requires privileges' };

interface Listening {
  setting: string;
  port: number;
  host: string;
  /** Whether a port that is in use is no problem: the next one that is free will do. */
  orNext?: boolean;
}

/** Starts listening; blames the settings if that fails. */
export async function listen(server: Server, { setting, port, host, orNext = false }: Listening): Promise<void> {
  try {
    server.listen(port, host);
    await once(server, 'listening');
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (orNext && code === 'EADDRINUSE' && port < 65_535)
      return listen(server, { setting, port: port + 1, host, orNext });
    if (code in PORT_TAKEN)
      throw new EnvError(`${setting} must be changed: port ${port} ${PORT_TAKEN[code]}`, { cause: error });
    throw new EnvError(
      `${setting.replace('PORT', 'HOST')} must be an address of this machine, such as 127.0.0.1 or 0.0.0.0 (${code || String(error)})`,
      { cause: error },
    );
  }
}

/**
 * Runs `start` and returns its result. If it fails because of settings, exits with code 2 and one line per problem; for
 * other errors, which are not the operator's fault, with code 1 and the error.
 */
export async function startOrExit<T>(start: () => Promise<T> | T): Promise<T> {
  try {
    return await start();
  } catch (error) {
    process.exit(sayProblem(error));
  }
}

/** Says why the process ends. Returns its exit code. */
export function sayProblem(error: unknown): number {
  process.stderr.write(`${error instanceof EnvError ? error.message : errorForLog(error).stack}\n`);
  return error instanceof EnvError ? 2 : 1;
}
