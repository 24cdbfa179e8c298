import { CallError, type Client } from '../demo/client.ts';
import { pause } from '../process.ts';

const TRIES = 600;

/** Repeats a call that was lost with a process; `done` are the statuses that say that an earlier one was heard. */
export async function insist(client: Client, path: string, body: object | FormData, done: readonly number[] = []) {
  for (let tries = 1; ; tries += 1) {
    try {
      return await client.call('POST', path, body);
    } catch (error) {
      const status = error instanceof CallError ? error.status : 0;
      if (done.includes(status)) return null;
      if ((status > 0 && status < 500) || tries === TRIES) throw error;
      await pause(500);
    }
  }
}
