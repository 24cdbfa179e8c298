import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Deps } from '../runtime/deps.ts';
import { mayTakeNextPort } from '../config/env.ts';
import { mayReadMetrics } from '../config/metrics-token.ts';
import { listen } from '../config/start-problems.ts';
import { ping } from '../db/orm.ts';
import { withTimeout } from '../lib/async/with-timeout.ts';

const CHECK_MS = 2_000;

/**
 * Serves the worker's own /metrics, guarded by METRICS_TOKEN if that is set, and /health, and nothing else, on
 * WORKER_HEALTH_PORT unless that is 0.
 */
export async function serveMetrics(deps: Deps): Promise<{ stop: () => Promise<void> }> {
  const { WORKER_HEALTH_PORT: port, WORKER_HEALTH_HOST: host } = deps.env;
  if (port === 0) return { stop: async () => {} };
  const server = createServer((request, response) => {
    const answer = { '/metrics': answerMetrics, '/health': answerHealth }[request.url ?? ''];
    if (!answer) response.writeHead(404).end();
    else answer(deps, request, response).catch(() => response.writeHead(500).end());
  });
  await listen(server, { setting: 'WORKER_HEALTH_PORT', port, host, orNext: mayTakeNextPort() });
  deps.log.info({ port: (server.address() as AddressInfo).port }, 'serving metrics');
  return { stop: () => new Promise((resolve) => server.close(() => resolve())) };
}

async function answerMetrics({ env, metrics }: Deps, request: IncomingMessage, response: ServerResponse) {
  if (!mayReadMetrics(env.METRICS_TOKEN, request.headers.authorization ?? '')) {
    response.writeHead(401, { 'WWW-Authenticate': 'Bearer' }).end();
    return;
  }
  response.writeHead(200, { 'Content-Type': metrics.registry.contentType }).end(await metrics.registry.metrics());
}

/** As the health of the API: DOWN without Postgres; without the others, or while the worker is held, DEGRADED. */
async function answerHealth(deps: Deps, _: IncomingMessage, response: ServerResponse) {
  const checks: Record<string, () => Promise<unknown>> = {
    postgres: () => ping(deps.orm),
    nats: () => deps.nats.jsm.getAccountInfo(),
    temporal: async () => deps.temporal.workflowService.getSystemInfo({}),
  };
  const found = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => [name, { status: await statusOf(check, name) }] as const),
  );
  const restore = { status: deps.generation.held ? 'DEGRADED' : 'UP' };
  const components: Record<string, { status: string }> = { ...Object.fromEntries(found), restore };
  const statuses = Object.values(components).map((one) => one.status);
  const status = ['DOWN', 'DEGRADED'].find((bad) => statuses.includes(bad)) ?? 'UP';
  response
    .writeHead(status === 'DOWN' ? 503 : 200, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' })
    .end(JSON.stringify({ status, components }));
}

async function statusOf(check: () => Promise<unknown>, name: string): Promise<string> {
  try {
    await withTimeout(check(), CHECK_MS);
    return 'UP';
  } catch {
    return name === 'postgres' ? 'DOWN' : 'DEGRADED';
  }
}
