import { connect } from 'node:net';
import { engineEm, ping } from '../../db/orm.ts';
import { assertSending } from '../../domain/channels/ledger/assert-sending.ts';
import { assertCompared } from '../../domain/reconciliation/comparison.ts';
import { assertDelivering } from '../../domain/webhooks/deliveries/lanes.ts';
import type { Deps } from '../../runtime/deps.ts';
import { withTimeout } from '../../lib/async/with-timeout.ts';
import { QUEUES } from '../../registry/workflows.ts';

export type Status = 'UP' | 'DEGRADED' | 'DOWN';
export interface Health {
  status: Status;
  /** `detail` says what to do about a component that is not UP, where it can be said. */
  components: Record<string, { status: Status; detail?: string }>;
}

const TIMEOUT_MS = 2000;
const CACHE_MS = 1000;
const TASK_QUEUE_TYPE_WORKFLOW = 1;

/** Resolves if a mail provider answers a connection with its greeting. */
function smtpAnswers(address: string): Promise<void> {
  const url = new URL(address.trim());
  return new Promise((resolve, reject) => {
    const socket = connect(Number(url.port || (url.protocol === 'smtps:' ? 465 : 587)), url.hostname);
    socket.setTimeout(TIMEOUT_MS, () => socket.destroy(new Error('no response')));
    socket.once('error', reject);
    socket.once(url.protocol === 'smtps:' ? 'connect' : 'data', () => {
      socket.end('QUIT\r\n');
      resolve();
    });
  });
}

async function workerPolls(deps: Deps): Promise<void> {
  const queue = await deps.temporal.workflowService.describeTaskQueue({
    namespace: deps.env.TEMPORAL_NAMESPACE,
    taskQueue: { name: QUEUES.journeys },
    taskQueueType: TASK_QUEUE_TYPE_WORKFLOW,
  });
  const fresh = (queue.pollers ?? []).some(
    (poller) => Date.now() - Number(poller.lastAccessTime?.seconds ?? 0) * 1000 < 120_000,
  );
  if (!fresh) throw new Error('no worker is polling');
}

/** An error whose text is shown. */
class Told extends Error {}

function assertNotHeld({ held }: Deps['generation']): void {
  if (held) throw new Told(`${held}; nothing leaves until \`npm run restored\` has been run with --apply`);
}

/** [name, severity of a failure, the check]. */
type Check = [string, 'DEGRADED' | 'DOWN', (deps: Deps) => Promise<unknown>];
const postgres: Check = ['postgres', 'DOWN', (deps) => ping(deps.orm)];
// Without one of them most requests are answered as ever, and what was accepted waits in Postgres.
const nats: Check = ['nats', 'DEGRADED', async (deps) => deps.nats.jsm.getAccountInfo()];
const temporal: Check = ['temporal', 'DEGRADED', async (deps) => deps.temporal.workflowService.getSystemInfo({})];
const worker: Check = ['worker', 'DEGRADED', workerPolls];
const workflows: Check = ['workflows', 'DEGRADED', (deps) => assertCompared(engineEm(deps.orm), deps.startedAt)];
const deliveries: Check = ['deliveries', 'DEGRADED', (deps) => assertDelivering(engineEm(deps.orm))];
const messages: Check = ['messages', 'DEGRADED', (deps) => assertSending(engineEm(deps.orm))];
const restore: Check = ['restore', 'DEGRADED', async ({ generation }) => assertNotHeld(generation)];
const mail: Check = ['mail', 'DEGRADED', (deps) => Promise.any(deps.env.SMTP_URL.split(',').map(smtpAnswers))];

const areas: Record<string, Check[]> = {
  all: [postgres, nats, temporal, worker, workflows, mail, restore],
  auth: [postgres, mail],
  contacts: [postgres, nats, temporal, worker],
  segments: [postgres, nats, temporal, worker],
  emails: [postgres, nats, mail, worker],
  campaigns: [postgres, nats, temporal, worker, workflows],
  forms: [postgres, nats],
  scoring: [postgres, nats, worker],
  analytics: [postgres, nats, worker],
  channels: [postgres, nats, worker, messages],
  webhooks: [postgres, nats, worker, deliveries],
};
export const healthAreas = Object.keys(areas).filter((area) => area !== 'all');

type Component = Health['components'][string];
type Cache = Map<string, { at: number; result: Promise<Component> }>;
const caches = new WeakMap<Deps, Cache>();
/** What the log was last told of each component that is not healthy. */
const told = new WeakMap<Deps, Map<string, string>>();

/** Logs what has changed: health may be asked for each second. */
function logChange(deps: Deps, name: string, error: Error | null): void {
  const before = told.get(deps) ?? new Map<string, string>();
  told.set(deps, before);
  if (before.get(name) === error?.message) return;
  if (error) {
    before.set(name, error.message);
    deps.log.warn({ err: error, component: name }, 'component is unhealthy');
  } else {
    before.delete(name);
    deps.log.info({ component: name }, 'component is healthy again');
  }
}

/** Runs each check at most once per second and process; other calls get the cached result. */
function run(deps: Deps, [name, severity, check]: Check): Promise<Component> {
  const cache = caches.get(deps) ?? (new Map() as Cache);
  caches.set(deps, cache);
  const cached = cache.get(name);
  if (cached && Date.now() - cached.at < CACHE_MS) return cached.result;
  const result = withTimeout(check(deps), TIMEOUT_MS).then(
    (): Component => {
      logChange(deps, name, null);
      return { status: 'UP' };
    },
    (error: unknown): Component => {
      logChange(deps, name, error as Error);
      return error instanceof Told ? { status: severity, detail: error.message } : { status: severity };
    },
  );
  cache.set(name, { at: Date.now(), result });
  return result;
}

/** The health of an area, or of `all`. Contains no addresses. */
export async function checkHealth(deps: Deps, area: string): Promise<Health> {
  const checks = areas[area] ?? [];
  const found = await Promise.all(checks.map((check) => run(deps, check)));
  const statuses = found.map((one) => one.status);
  const status = statuses.includes('DOWN') ? 'DOWN' : statuses.includes('DEGRADED') ? 'DEGRADED' : 'UP';
  return {
    status,
    components: Object.fromEntries(checks.map(([name], index) => [name, found[index]!])),
  };
}
