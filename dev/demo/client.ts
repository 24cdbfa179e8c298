import { setTimeout as delay } from 'node:timers/promises';

/** A call with an unexpected response. */
export class CallError extends Error {
  override readonly name = 'CallError';
  /** The status of the response; 0 if there was none. */
  readonly status: number;

  constructor(message: string, status = 0) {
    super(message);
    this.status = status;
  }
}

/**
 * A client of the running service: JSON in, JSON out. A status over 299 is thrown as an error that contains the
 * problem.
 */
export interface Client {
  // The demo reads responses of every shape.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  call: (method: string, path: string, body?: unknown) => Promise<any>;
  /** The content of a file. */
  download: (path: string) => Promise<Uint8Array>;
}

const RETRIES = 30;
/** A poll gives up when nothing has moved for so long. */
export const STALLED_MS = 10 * 60_000;
/** Half as often as the rate limit would let it, because the demo asks for other things too. */
const POLL_MS = 2_000;

/**
 * Retries while the service is starting or shedding load (503, connection refused) or rate limiting (429); nothing else
 * is retried.
 */
export function createClient(baseUrl: string, token?: string): Client {
  return {
    async download(path) {
      const headers = token ? { authorization: `Bearer ${token}` } : {};
      const response = await fetch(`${baseUrl}/api/v1${path}`, { headers });
      if (!response.ok)
        throw new CallError(`GET ${path}: ${response.status} ${await response.text()}`, response.status);
      return response.bytes();
    },
    async call(method, path, body) {
      for (let attempt = 1; ; attempt += 1) {
        const raw = body instanceof FormData;
        const response = await fetch(`${baseUrl}/api/v1${path}`, {
          method,
          headers: {
            ...(token ? { authorization: `Bearer ${token}` } : {}),
            ...(body !== undefined && !raw ? { 'content-type': 'application/json' } : {}),
          },
          ...(body === undefined ? {} : { body: raw ? body : JSON.stringify(body) }),
        }).catch((error: unknown) => {
          if (method !== 'GET' || attempt > RETRIES) throw error;
          return null;
        });
        if (response?.status === 429) {
          await delay(Number(response.headers.get('retry-after') ?? 1) * 1000);
          continue;
        }
        if (response && response.status !== 503) {
          const text = await response.text();
          if (response.status > 299)
            throw new CallError(`${method} ${path}: ${response.status} ${text}`, response.status);
          return text === '' ? null : (JSON.parse(text) as unknown);
        }
        if (attempt > RETRIES) throw new CallError(`${method} ${path}: not available`);
        await delay(500);
      }
    },
  };
}

/** Polls until `ask` returns a result. Gives up only when `progress` has not changed for `stalledMs`. */
export async function poll<T>(
  what: string,
  ask: () => Promise<T | null>,
  progress: () => string,
  stalledMs: number,
): Promise<T> {
  let said = 0;
  let moved = { at: Date.now(), progress: '' };
  for (;;) {
    const answer = await ask();
    if (answer !== null) return answer;
    const now = Date.now();
    if (progress() !== moved.progress) moved = { at: now, progress: progress() };
    if (now - moved.at > stalledMs)
      throw new Error(
        `nothing has moved for ${Math.round(stalledMs / 60_000)} minutes; waiting until ${what}: ${moved.progress}`,
      );
    if (now - said > 5000) {
      said = now;
      process.stdout.write(`  … ${moved.progress}\n`);
    }
    await delay(POLL_MS);
  }
}
