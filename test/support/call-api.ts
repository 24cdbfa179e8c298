export interface Answer {
  status: number;
  // Tests read responses of any shape.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  body: any;
  headers: Headers;
}

/** Calls `/api/v1{path}` with the Admin's token, or with another one (`null` = none). */
export type Api = (
  method: string,
  path: string,
  body?: unknown,
  options?: { token?: string | null; headers?: Record<string, string> },
) => Promise<Answer>;

/** Calls the API at `url`; a body that is not raw (form, text, bytes) is sent as JSON. */
export function apiAt(url: string, adminToken: () => string): Api {
  return async (method, path, body, { token = adminToken(), headers = {} } = {}) => {
    const raw =
      body instanceof FormData ||
      body instanceof URLSearchParams ||
      typeof body === 'string' ||
      body instanceof Uint8Array;
    const response = await fetch(`${url}/api/v1${path}`, {
      method,
      redirect: 'manual',
      headers: {
        ...(token ? { authorization: `Bearer ${token}` } : {}),
        ...(body !== undefined && !raw ? { 'content-type': 'application/json' } : {}),
        ...headers,
      },
      ...(body === undefined ? {} : { body: raw ? (body as FormData) : JSON.stringify(body) }),
    });
    const text = await response.text();
    const json = /json/.test(response.headers.get('content-type') ?? '') && text !== '';
    return { status: response.status, body: json ? JSON.parse(text) : text, headers: response.headers };
  };
}
