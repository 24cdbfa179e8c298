/** A call that was not answered as it should be. */
export class CallError extends Error {
  override readonly name = 'CallError';
}

/** A client of the running service: JSON in, JSON out; an answer over 299 is an error with its problem in it. */
export interface Client {
  // The demo reads answers of every shape.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  call(method: string, path: string, body?: unknown): Promise<any>;
}

const RETRIES = 30;

/** Calls again while the service is starting or shedding load (503, connection refused); nothing else is repeated. */
export function createClient(baseUrl: string, token?: string): Client {
  return {
    async call(method, path, body) {
      for (let attempt = 1; ; attempt += 1) {
        const raw = body instanceof FormData;
        const response = await fetch(`${baseUrl}/api/v1${path}`, {
          method,
          headers: { ...(token ? { authorization: `Bearer ${token}` } : {}), ...(body !== undefined && !raw ? { 'content-type': 'application/json' } : {}) },
          ...(body === undefined ? {} : { body: raw ? body : JSON.stringify(body) }),
        }).catch((error: unknown) => {
          if (method !== 'GET' || attempt > RETRIES) throw error;
          return null;
        });
        if (response && response.status !== 503) {
          const text = await response.text();
          if (response.status > 299) throw new CallError(`${method} ${path}: ${response.status} ${text}`);
          return text === '' ? null : (JSON.parse(text) as unknown);
        }
        if (attempt > RETRIES) throw new CallError(`${method} ${path}: not available`);
        await new Promise((resolve) => setTimeout(resolve, 500));
      }
    },
  };
}

/** Asks until the answer is there; tells its progress at most every two seconds. */
export async function poll<T>(what: string, ask: () => Promise<T | null>, progress: () => string, timeoutMs: number): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  let said = 0;
  for (;;) {
    const answer = await ask();
    if (answer !== null) return answer;
    if (Date.now() > deadline) throw new Error(`waited ${Math.round(timeoutMs / 60_000)} minutes in vain until ${what}: ${progress()}`);
    if (Date.now() - said > 5000) {
      said = Date.now();
      process.stdout.write(`  … ${progress()}\n`);
    }
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}
