import { operations as table } from './operations.ts';
import type { Client, OperationId, Options, Schemas } from './types.ts';

export type { Client, Input, OperationId, Options, Result, Schemas } from './types.ts';

export interface Settings {
  baseUrl: string;
  /** An access token or API key, or what gives the present one. */
  token?: string | (() => string | undefined | Promise<string | undefined>);
  /** How often a call that may be repeated is, after a 503 or a lost connection; default 3; with 0 nothing is repeated. */
  retries?: number;
  /** The longest that a call waits for the rate limit in all, or once after a 503, in seconds; default 60. */
  maxWait?: number;
  fetch?: typeof fetch;
}

/** An answer that is an error: branch on `code`. `unknown` is one that is not of the API, or a form's (see `body`). */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  readonly status: number;
  readonly code: Schemas['ErrorCode'] | 'unknown';
  /** Every violation, by a JSON Pointer into the request part. */
  readonly errors: readonly Schemas['Violation'][];
  readonly requestId: string | null;
  readonly body: unknown;

  constructor(response: Response, body: unknown) {
    const problem = /problem\+json/.test(response.headers.get('content-type') ?? '')
      ? (body as Schemas['Problem'])
      : null;
    super(problem ? `${problem.code}: ${problem.detail}` : `HTTP ${response.status}`);
    this.status = response.status;
    this.code = problem?.code ?? 'unknown';
    this.errors = problem?.errors ?? [];
    this.requestId = response.headers.get('x-request-id');
    this.body = body;
  }
}

/** The pause after the first lost connection; the next are twice as long each. */
const FIRST_PAUSE_MS = 500;

/** Waits. Throws what `signal` is aborted with, at once. */
async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer);
      reject(signal!.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', end);
      resolve();
    }, ms);
    signal?.addEventListener('abort', end, { once: true });
  });
}

type Scalar = string | number | boolean;

interface AnyInput extends Options {
  path?: Record<string, unknown>;
  query?: Record<string, Scalar | readonly Scalar[] | undefined>;
  body?: unknown;
}

function urlOf(baseUrl: string, path: string, { path: values = {}, query = {} }: AnyInput): URL {
  const url = new URL(
    baseUrl.replace(/\/+$/, '') +
      path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name]))),
  );
  for (const [name, value] of Object.entries(query))
    for (const one of [value].flat()) if (one !== undefined) url.searchParams.append(name, String(one));
  return url;
}

function bodyOf(type: string | null, body: unknown): string | FormData | null {
  if (type === null || body === undefined) return null;
  if (type === 'application/json') return JSON.stringify(body);
  const form = new FormData();
  for (const [name, value] of Object.entries(body as Record<string, string | Blob | undefined>))
    if (value !== undefined) form.append(name, value);
  return form;
}

/** JSON as what it says, text (lines of JSON, too) as it is, and what is neither, a workbook, as a Blob. */
async function read(response: Response): Promise<unknown> {
  const type = response.headers.get('content-type') ?? '';
  if (type !== '' && !/^text\/|json/.test(type)) return response.blob();
  const text = await response.text();
  if (text === '') return undefined;
  return /[/+]json/.test(type) ? JSON.parse(text) : text;
}

/**
 * A function for every operation, by its operationId. A call answers the body, or throws a ProblemError. Calls that were
 * refused by the rate limit are repeated one after another, as fast as the limit allows.
 */
export function createClient({ baseUrl, token, retries = 3, maxWait = 60, fetch: send = fetch }: Settings): Client {
  /** When the next call after those that wait may be repeated, by Date.now(). */
  let free = 0;
  /**
   * How long to wait after a 429 (ms): as it says, and for the calls that wait already, because each needs a token and
   * these come at a steady rate. Another limit than that of all calls (of logins, of mails) has no such line.
   */
  function placeInLine({ headers }: Response, wait: number): number {
    const numberOf = (name: string): number => Number(headers.get(`ratelimit-${name}`) ?? NaN);
    const perToken = numberOf('reset') / numberOf('limit');
    if (numberOf('remaining') !== 0 || !(perToken > 0)) return wait * 1000;
    const now = Date.now();
    const at = Math.max(now + wait * 1000, free);
    if (at - now <= maxWait * 1000) free = at + perToken * 1000;
    return at - now;
  }

  async function call(id: OperationId, input: AnyInput = {}): Promise<unknown> {
    const [method, path, type] = table[id];
    const key = input.idempotencyKey === true ? crypto.randomUUID() : input.idempotencyKey;
    const url = urlOf(baseUrl, path, input);
    let left = retries;
    let waited = 0;
    for (;;) {
      const bearer = typeof token === 'function' ? await token() : token;
      const headers = new Headers({ accept: 'application/json, */*;q=0.1' });
      if (bearer) headers.set('authorization', `Bearer ${bearer}`);
      if (key) headers.set('idempotency-key', key);
      if (input.ifMatch !== undefined) headers.set('if-match', `"${input.ifMatch}"`);
      if (type === 'application/json' && input.body !== undefined) headers.set('content-type', type);
      let response: Response;
      let body: unknown;
      try {
        response = await send(url, { method, headers, body: bodyOf(type, input.body), signal: input.signal ?? null });
        body = await read(response);
      } catch (error) {
        // The connection failed, perhaps after the call was executed. (A SyntaxError: the answer is no JSON.)
        if (error instanceof SyntaxError || left <= 0 || input.signal?.aborted || !(method === 'GET' || key))
          throw error;
        await pause(FIRST_PAUSE_MS * 2 ** (retries - left), input.signal);
        left -= 1;
        continue;
      }
      if (response.ok) return body;
      const asked = Number(response.headers.get('retry-after') ?? NaN);
      const isRefused = response.status === 429;
      // A 429 says that nothing was done. After a 503 a POST may have been, unless its key tells.
      const mayRepeat = isRefused ? retries > 0 : response.status === 503 && left > 0 && (method !== 'POST' || key);
      if (!mayRepeat || !(asked <= maxWait)) throw new ProblemError(response, body);
      const wait = isRefused ? placeInLine(response, asked) : asked * 1000;
      // Refusals are bounded by time: others may take the token that a call has waited for.
      if (isRefused) waited += wait;
      else left -= 1;
      if (waited > maxWait * 1000) throw new ProblemError(response, body);
      await pause(wait, input.signal);
    }
  }
  return Object.fromEntries(
    (Object.keys(table) as OperationId[]).map((id) => [id, (input?: AnyInput) => call(id, input)]),
  ) as unknown as Client;
}

type Lists = (input: never) => Promise<{ data: unknown[]; page: { nextCursor: string | null } }>;

/** Everything that a list holds, page by page: `for await (const contact of each(client.listContacts, { query: { tag: 'vip' } }))`. */
export async function* each<F extends Lists>(
  list: F,
  ...[input]: Parameters<F>
): AsyncGenerator<Awaited<ReturnType<F>>['data'][number]> {
  const { query, ...rest } = (input ?? {}) as AnyInput;
  for (let cursor: string | undefined; ;) {
    const { data, page } = await list({ ...rest, query: { ...query, ...(cursor ? { cursor } : {}) } } as never);
    yield* data as Awaited<ReturnType<F>>['data'][number][];
    if (page.nextCursor === null) return;
    cursor = page.nextCursor;
  }
}
