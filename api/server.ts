/** `npm run api`: the HTTP process. Any number of them may run. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { createDeps } from '../runtime/deps.ts';
import { EnvError, mayTakeNextPort, readEnv } from '../config/env.ts';
import { REQUEST_WAIT_MS } from '../db/orm.ts';
import { listen, startOrExit } from '../config/start-problems.ts';
import { drainOnStop } from '../config/stop-signal.ts';
import { ensureStreams } from '../transport/streams.ts';
import { connectPart } from '../runtime/when-there.ts';
import { adminProblems, ensureAdmin } from '../domain/accounts/ensure-admin.ts';
import { createHandler } from './app.ts';
import { compileAhead } from './guard/guard.ts';
import { routes } from './routes.ts';
import { endSilentReaders, limitConnections } from './connections/connections.ts';
import { trackConnections } from './connections/track-connections.ts';
import { answerClientErrors } from './connections/refuse.ts';
import { serializePerConnection } from './connections/pipelining.ts';
import { createShedder } from './connections/shedding.ts';
import { beginWithBody, createBodyTimeout } from './connections/slow-bodies.ts';

// V8 allocates objects of a call site directly in the old generation once most of them have survived a collection. In a
// third of the processes, it learned this from the start or from a burst, and did so for parts of requests: each kept
// everything it pointed to alive until the next full collection, and minor collections took 10 to 20 ms instead of 1.
setFlagsFromString('--no-allocation-site-pretenuring');

const { deps, handle } = await startOrExit(async () => {
  const settings = readEnv();
  const problems = adminProblems(settings);
  if (problems.length > 0) throw new EnvError(problems.join('\n'));
  const made = await createDeps(settings, 'api', { later: ['nats', 'temporal'], poolWaitMs: REQUEST_WAIT_MS });
  await connectPart(made.log, 'NATS (streams)', {
    connect: () => ensureStreams(made.nats.jsm, settings),
    isAway: (error) => !(error instanceof EnvError),
    later: true,
  });
  made.generation.onPutBack = () => process.exit(1);
  await made.generation.begin({ isSure: false });
  await ensureAdmin(made);
  // Opens the upload folder.
  return { deps: made, handle: createHandler(made) };
});
const { env } = deps;

/** An import of 1 GiB at 3 Mbit/s. */
const UPLOAD_MS = 3_600_000;

const boundBody = createBodyTimeout();
const timeouts = {
  requestTimeout: UPLOAD_MS,
  headersTimeout: 10_000,
  connectionsCheckingInterval: 1_000,
  keepAliveTimeout: 65_000,
};
const answer = serializePerConnection((request, response) => {
  connections.track(response);
  boundBody(request, response);
  if (!shedder.refuses(request, response)) beginWithBody(request, response, () => handle(request, response));
});
const server = createServer({ maxHeaderSize: 16 * 1024, ...timeouts }, answer);
// Any other expectation is ignored: no response depends on it (RFC 9110, section 10.1.1).
server.on('checkExpectation', answer);
const connections = trackConnections(server);
const stopWatching = deps.postgres.watch(env.DATABASE_URL);
const shedder = createShedder(deps, connections);
answerClientErrors(server);
endSilentReaders(server, connections);
// Behind a proxy, all connections come from the proxy.
if (env.CONNECTIONS_PER_ADDRESS > 0 && env.TRUST_PROXY === 0)
  limitConnections(server, env.CONNECTIONS_PER_ADDRESS, connections);
const place = { setting: 'PORT', port: env.PORT, host: env.HOST, orNext: mayTakeNextPort() };
await startOrExit(() => listen(server, place));
// The actual port: with PORT=0 the system chooses it.
deps.log.info({ port: (server.address() as AddressInfo).port, host: env.HOST }, 'listening');
// After the requests that were waiting for the start.
setTimeout(() => void compileAhead(routes), 5_000).unref();

drainOnStop(deps.log, 25_000, async () => {
  const cutOff = await connections.end();
  if (cutOff > 0) deps.log.warn({ requests: cutOff }, 'requests that exceeded the shutdown deadline were aborted');
  shedder.stop();
  stopWatching();
  await deps.close();
});
