import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Deps } from '../runtime/deps.ts';
import { mayTakeNextPort } from '../config/env.ts';
import { listen } from '../config/start-problems.ts';

/** Serves the worker's own /metrics on loopback, and nothing else, on WORKER_HEALTH_PORT unless that is 0. */
export async function serveMetrics(deps: Deps): Promise<{ stop: () => Promise<void> }> {
  if (deps.env.WORKER_HEALTH_PORT === 0) return { stop: async () => {} };
  const { registry } = deps.metrics;
  const server = createServer((request, response) => {
    if (request.url !== '/metrics') {
      response.writeHead(404).end();
      return;
    }
    registry.metrics().then(
      (text) => response.writeHead(200, { 'Content-Type': registry.contentType }).end(text),
      () => response.writeHead(500).end(),
    );
  });
  const port = deps.env.WORKER_HEALTH_PORT;
  await listen(server, { setting: 'WORKER_HEALTH_PORT', port, host: '127.0.0.1', orNext: mayTakeNextPort() });
  deps.log.info({ port: (server.address() as AddressInfo).port }, 'serving metrics');
  return { stop: () => new Promise((resolve) => server.close(() => resolve())) };
}
