import type { FormTexts } from '../shared/texts.ts';

/** A request that brought nothing: what to tell the visitor. */
export class Failure extends Error {
  readonly text: keyof FormTexts;

  constructor(text: keyof FormTexts) {
    super(text);
    this.text = text;
  }
}

/** An error of a field, as the server answers it. */
export interface ServerError {
  field: string;
  code: string;
  message: string;
}

const TIMEOUT_MS = 30_000;
const BY_STATUS: Record<number, keyof FormTexts> = {
  403: 'refused',
  404: 'gone',
  413: 'tooLarge',
  429: 'busy',
  503: 'busy',
};

/** For codes that tell more than their status. */
const BY_CODE: Record<string, keyof FormTexts> = { captcha_unavailable: 'noProof', no_room_for_files: 'noRoom' };

interface Answer {
  status: number;
  body: { code?: string; [name: string]: unknown };
}

async function request(url: string, options: RequestInit, timeoutMs: number): Promise<Answer> {
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(), timeoutMs);
  try {
    const answer = await fetch(url, { ...options, credentials: 'omit', signal: abort.signal });
    // A proxy in between answers what it likes.
    const body = (await answer.json().catch(() => ({}))) as Answer['body'];
    return { status: answer.status, body };
  } catch {
    throw new Failure('offline');
  } finally {
    clearTimeout(timer);
  }
}

const failureOf = ({ status, body: { code = '' } }: Answer): Failure =>
  new Failure(BY_CODE[code] ?? BY_STATUS[status] ?? 'failed');

/** Gets JSON. Throws a Failure. */
export async function getJson<T>(url: string): Promise<T> {
  const answer = await request(url, {}, TIMEOUT_MS);
  if (answer.status !== 200) throw failureOf(answer);
  return answer.body as T;
}

export interface Accepted {
  message: string | null;
  redirectUrl: string | null;
  contactToken?: string | null;
}

/** What became of a submission. */
export type Outcome = { accepted: Accepted } | { errors: ServerError[] } | 'token_invalid';

/** Posts a submission: with files as multipart, which may take long, else as JSON. Throws a Failure. */
export async function post(url: string, data: Record<string, unknown> | FormData): Promise<Outcome> {
  const isMultipart = data instanceof FormData;
  const answer = await request(
    url,
    isMultipart
      ? { method: 'POST', headers: { Accept: 'application/json' }, body: data }
      : { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(data) },
    isMultipart ? 20 * TIMEOUT_MS : TIMEOUT_MS,
  );
  const { status, body } = answer;
  if (status === 200 && body['success'] === true) return { accepted: body as unknown as Accepted };
  if (status === 422 && Array.isArray(body['errors'])) return { errors: body['errors'] as ServerError[] };
  if (body.code === 'token_invalid') return 'token_invalid';
  throw failureOf(answer);
}
