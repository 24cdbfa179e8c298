import { once } from 'node:events';
import { createServer } from 'node:http';
import { createApp } from '../../api/app.ts';
import type { Env } from '../../config/env.ts';
import type { Answer, Service } from './service.ts';

/** A second API process' worth of HTTP over the parts of a running service, under other settings. */
export interface Variant {
  url: string;
  api(method: string, path: string, body?: unknown, options?: { token?: string | null; headers?: Record<string, string> }): Promise<Answer>;
  stop(): Promise<void>;
}

/** Listens on a free port; calls carry the Admin's token unless another (or null for none) is given. */
export async function startVariant(service: Service, env: Partial<Env> = {}): Promise<Variant> {
  const handle = createApp({ ...service.deps, env: { ...service.deps.env, ...env } }).callback();
  const server = createServer((request, response) => void handle(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    async api(method, path, body, { token = service.admin.token, headers = {} } = {}) {
      const response = await fetch(`${url}/api/v1${path}`, {
        method, redirect: 'manual', ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        headers: { ...(token ? { authorization: `Bearer ${token}` } : {}), ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      });
      const text = await response.text();
      const json = /json/.test(response.headers.get('content-type') ?? '') && text !== '';
      return { status: response.status, body: json ? JSON.parse(text) : text, headers: response.headers };
    },
    async stop() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
