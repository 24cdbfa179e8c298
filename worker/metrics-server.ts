import { createServer } from 'node:http';
import type { Deps } from '../runtime/deps.ts';
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
  await listen(server, { setting: 'WORKER_HEALTH_PORT', port: deps.env.WORKER_HEALTH_PORT, host: '127.0.0.1' });
  return { stop: () => new Promise((resolve) => server.close(() => resolve())) };
}
