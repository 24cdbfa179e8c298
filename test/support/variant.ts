import { once } from 'node:events';
import { createServer } from 'node:http';
import { createHandler } from '../../api/app.ts';
import { apiAt, type Api } from './call-api.ts';
import type { Service } from './service.ts';
import type { Env } from '../../config/env-schema.ts';

/** A second API on the parts of a running service, with other settings. */
export interface Variant {
  url: string;
  api: Api;
  stop: () => Promise<void>;
}

/** Listens on a free port; calls use the Admin's token unless another (or null for none) is given. */
export async function startVariant(service: Service, env: Partial<Env> = {}): Promise<Variant> {
  const handle = createHandler({ ...service.deps, env: { ...service.deps.env, ...env } });
  const server = createServer((request, response) => handle(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    api: apiAt(url, () => service.admin.token),
    async stop() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
