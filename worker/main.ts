/**
 * `npm run worker`: everything that is not HTTP. `--only temporal,intake,consumers,relay,senders` splits the roles over
 * machines; any number of each may run.
 */
import { parseArgs } from 'node:util';
import { NativeConnection, Runtime } from '@temporalio/worker';
import closeWithGrace from 'close-with-grace';
import { createDeps } from '../config/deps.ts';
import { EnvError, readEnv } from '../config/env.ts';
import { createLogger } from '../config/logger.ts';
import { temporalClient } from '../config/temporal.ts';
import { whenThere } from '../config/when-there.ts';
import { serveMetrics } from './metrics-server.ts';
import { ROLES, startWorker, type Role } from './roles.ts';

function readRoles(): Role[] {
  const { values } = parseArgs({ options: { only: { type: 'string' } } });
  const wanted = values.only?.split(',') ?? [...ROLES];
  const unknown = wanted.filter((role) => !ROLES.includes(role as Role));
  if (unknown.length > 0) throw new EnvError(`--only takes ${ROLES.join(', ')}; not ${unknown.join(', ')}`);
  return wanted as Role[];
}

const { env, roles } = (() => {
  try {
    return { env: readEnv(), roles: readRoles() };
  } catch (error) {
    if (!(error instanceof EnvError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(2);
  }
})();

// Signals are ours: the consumers and senders drain too, not the Temporal worker alone.
Runtime.install({ shutdownSignals: [] });
const log = createLogger(env.LOG_LEVEL, 'worker');
const connection = await whenThere(log, 'Temporal', () => NativeConnection.connect({ address: env.TEMPORAL_ADDRESS }));
const deps = await createDeps(env, 'worker', temporalClient(connection, env.TEMPORAL_NAMESPACE));
const metrics = await serveMetrics(deps);
const worker = await startWorker(deps, connection, roles);
log.info({ roles }, 'working');

closeWithGrace({ delay: 28_000, logger: undefined }, async ({ err, signal }) => {
  if (err) log.fatal({ err }, 'crashed');
  else log.info({ signal }, 'draining');
  await worker.stop();
  await metrics.stop();
  await deps.close();
  await connection.close();
  log.info('stopped');
});
