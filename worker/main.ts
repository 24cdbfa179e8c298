/**
 * `npm run worker`: everything that is not HTTP. `--only temporal,intake,consumers,relay,senders,webhooks` distributes the roles
 * over machines; any number of each may run.
 */
import { parseArgs } from 'node:util';
import { NativeConnection, Runtime } from '@temporalio/worker';
import { createDeps } from '../runtime/deps.ts';
import { ensureStreams } from '../transport/streams.ts';
import { EnvError, readEnv } from '../config/env.ts';
import { createLogger } from '../config/logger.ts';
import { startOrExit } from '../config/start-problems.ts';
import { drainOnStop } from '../config/stop-signal.ts';
import { temporalClient } from '../runtime/temporal.ts';
import { serveMetrics } from './metrics-server.ts';
import { ROLES, startWorker, type Role } from './roles.ts';
import { TemporalMetrics } from './temporal-metrics.ts';
import { temporalLogger } from './temporal-logger.ts';

function parse() {
  try {
    return parseArgs({ options: { only: { type: 'string' } } });
  } catch (error) {
    throw new EnvError((error as Error).message.split('\n')[0], { cause: error });
  }
}

function readRoles(): Role[] {
  const { values } = parse();
  const wanted = values.only?.split(',') ?? [...ROLES];
  const unknown = wanted.filter((role) => !ROLES.includes(role as Role));
  if (unknown.length > 0) throw new EnvError(`--only accepts ${ROLES.join(', ')}; not ${unknown.join(', ')}`);
  return wanted as Role[];
}

const { worker, metrics, deps, log } = await startOrExit(async () => {
  const [env, roles] = [readEnv(), readRoles()];
  const log = createLogger(env.LOG_LEVEL, 'worker');
  const temporalMetrics = new TemporalMetrics();
  Runtime.install({
    // We handle signals ourselves, because the consumers and senders must drain too, not only the Temporal worker.
    shutdownSignals: [],
    logger: temporalLogger(log),
    telemetryOptions: { logging: { forward: {} }, metrics: { buffer: temporalMetrics.buffer } },
  });
  const deps = await createDeps(env, 'worker', {
    later: ['temporal'],
    connectTemporal: async () =>
      temporalClient(await NativeConnection.connect({ address: env.TEMPORAL_ADDRESS }), env.TEMPORAL_NAMESPACE),
  });
  temporalMetrics.addTo(deps.metrics.registry);
  const metrics = await serveMetrics(deps);
  deps.generation.onPutBack = () => process.exit(1);
  await ensureStreams(deps.nats.jsm, env);
  await deps.generation.begin({ isSure: true });
  const worker = await startWorker(deps, roles);
  log.info({ roles }, 'working');
  return { worker, metrics, deps, log };
});

drainOnStop(log, 28_000, async () => {
  await worker.stop();
  await metrics.stop();
  await deps.close();
});
