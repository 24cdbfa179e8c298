import { once } from 'node:events';
import type { Server } from 'node:http';
import { EnvError } from './env.ts';
import { errorForLog } from './error-for-log.ts';

/** An error that a setting is to blame for, as a line: what was wrong, without the setting's value. */
export const doesNotWork = (setting: string, error: unknown): EnvError =>
  new EnvError(`${setting} does not work: ${errorForLog(error).message.split('\n')[0]}`, { cause: error });

/** Runs what a setting leads to; when it fails, it is the setting that is told of. */
export async function bySetting<T>(setting: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof EnvError ? error : doesNotWork(setting, error);
  }
}

const PORT_TAKEN: Record<string, string> = { EADDRINUSE: 'is in use', EACCES: 'requires privileges' };

/** Has a server listen; when it can not, the settings are told of. */
export async function listen(
  server: Server,
  { setting, port, host }: { setting: string; port: number; host: string },
): Promise<void> {
  try {
    server.listen(port, host);
    await once(server, 'listening');
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code in PORT_TAKEN)
      throw new EnvError(`${setting} must be changed: port ${port} ${PORT_TAKEN[code]}`, { cause: error });
    throw new EnvError(
      `HOST must be an address of this machine, such as 127.0.0.1 or 0.0.0.0 (${code || String(error)})`,
      { cause: error },
    );
  }
}

/**
 * Starts a process: returns what `start` does. Settings that do not work end it with a line each and exit code 2; other
 * errors, which are not the operator's, with the error and exit code 1.
 */
export async function startOrExit<T>(start: () => Promise<T> | T): Promise<T> {
  try {
    return await start();
  } catch (error) {
    process.stderr.write(`${error instanceof EnvError ? error.message : errorForLog(error).stack}\n`);
    process.exit(error instanceof EnvError ? 2 : 1);
  }
}
