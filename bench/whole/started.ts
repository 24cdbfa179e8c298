import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import pg from 'pg';
import { connectNats, type Nats } from '../../transport/nats.ts';
import { createClient, type Client } from '../../dev/demo/client.ts';
import { createPerennial } from '../../dev/perennial.ts';
import { removeData } from '../../dev/stack/postgres-place.ts';
import { freePorts } from '../../dev/stack/ports.ts';
import type { Service as Process } from '../../dev/service.ts';
import { readStartSettings } from '../../dev/settings.ts';
import { until } from '../../test/support/until.ts';

const ADMIN_PASSWORD = 'Bench-of-the-whole-1';
/** The requests of a bench come from one user and one address, so no rate limit may apply. */
const UNLIMITED = '1000000000';

/** What `npm start` starts, in a new data folder. */
export interface Started {
  url: string;
  token: string;
  client: Client;
  env: NodeJS.ProcessEnv;
  /** The started processes: Postgres, NATS, Temporal, API, workers; restarted ones are added. */
  processes: Process[];
  /** The owner's connection to the database. */
  database: pg.Client;
  nats: Nats;
  /** Resolves when the outbox is empty and every consumer of the service has handled all its messages. */
  untilCaughtUp: () => Promise<void>;
}

const LIMITS = [
  'RATE_LIMIT_PER_MINUTE',
  'RATE_LIMIT_BURST',
  'RATE_LIMIT_PUBLIC_PER_MINUTE',
  // Ten times as many are allowed from all addresses.
  'FORM_SUBMISSIONS_PER_MINUTE',
];

/**
 * Runs `measure` on what `npm start` starts with its defaults: durable, all roles, its own data folder and free ports.
 * `settings` are added to its environment. Everything is removed afterwards.
 */
export async function onStarted(
  settings: NodeJS.ProcessEnv,
  measure: (started: Started) => Promise<void>,
): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'perennial-whole-'));
  const names = [
    'PORT',
    'WORKER_HEALTH_PORT',
    'POSTGRES_PORT',
    'NATS_PORT',
    'TEMPORAL_PORT',
    'TEMPORAL_UI_PORT',
    'SMTP_PORT',
    'MAIL_PAGE_PORT',
  ];
  const ports = await freePorts(names.length);
  const processes: Process[] = [];
  const log = (line: string): void => void process.stderr.write(`${line}\n`);
  const { PATH, HOME } = process.env;
  const perennial = createPerennial({
    root: resolve('.'),
    dataDir,
    settings: readStartSettings({
      PATH,
      HOME,
      ADMIN_PASSWORD,
      ...Object.fromEntries(names.map((name, n) => [name, String(ports[n])])),
      ...Object.fromEntries(LIMITS.map((name) => [name, UNLIMITED])),
      ...settings,
    }),
    log,
    spawned: (service) => processes.push(service),
    refused: (message) => {
      throw new Error(message);
    },
  });
  let database: pg.Client | undefined;
  let nats: Nats | undefined;
  try {
    await perennial.startParts();
    await perennial.startProcesses();
    const env = perennial.env();
    const url = `http://127.0.0.1:${ports[0]}`;
    database = new pg.Client({ connectionString: env.DATABASE_MIGRATION_URL });
    await database.connect();
    nats = await connectNats(env.NATS_URL!, 'bench');
    const login = await createClient(url).call('POST', '/auth/login', { username: 'admin', password: ADMIN_PASSWORD });
    const token = login.accessToken as string;
    const parts = { database, nats };
    await measure({
      url,
      token,
      client: createClient(url, token),
      env,
      processes,
      ...parts,
      untilCaughtUp: () => untilCaughtUp(parts),
    });
  } finally {
    await nats?.connection.close();
    await database?.end();
    await perennial.stop();
    await removeData(dataDir);
  }
}

type Parts = Pick<Started, 'database' | 'nats'>;

async function isOutboxEmpty({ database }: Parts): Promise<boolean> {
  const { rows } = await database.query<{ empty: boolean }>(`
    select not exists (select 1 from outbox_events) and not exists (select 1 from outbox_send_requests)
      and not exists (select 1 from outbox_workflows) and not exists (select 1 from email_events where automated is null) as empty`);
  return rows[0]!.empty;
}

/** The last sequence number of every stream, if no consumer of the service has messages left; else null. */
async function handledTo({ nats: { jsm } }: Parts): Promise<string | null> {
  const handled: string[] = [];
  for (const { config, state } of await jsm.streams.list().next()) {
    for (const consumer of await jsm.consumers.list(config.name).next()) {
      // The copies are for other programs.
      if (consumer.name.startsWith('copy-')) continue;
      if (consumer.num_pending > 0 || consumer.num_ack_pending > 0) return null;
    }
    handled.push(`${config.name} ${state.last_seq}`);
  }
  return handled.join(', ');
}

/** Effects cause further events, so all must be found empty twice, with no message in between. */
async function untilCaughtUp(parts: Parts): Promise<void> {
  let before: string | null = null;
  await until(
    'all consumers have caught up',
    async () => {
      const handled = (await isOutboxEmpty(parts)) ? await handledTo(parts) : null;
      const isOver = handled !== null && handled === before && (await isOutboxEmpty(parts));
      before = handled;
      return isOver;
    },
    3_600_000,
  );
}
