import type { Service } from './service.ts';

/** A response with its bytes, and as text. */
export interface Downloaded {
  status: number;
  headers: Headers;
  bytes: Uint8Array;
  text: string;
}

/** Downloads `/api/v1{path}`, or a whole URL of the service, with the Admin's token, or with another one. */
export async function download(service: Service, path: string, token = service.admin.token): Promise<Downloaded> {
  const url = path.startsWith('http') ? path : `${service.url}/api/v1${path}`;
  const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
  const bytes = new Uint8Array(await response.arrayBuffer());
  return { status: response.status, headers: response.headers, bytes, text: new TextDecoder().decode(bytes) };
}
