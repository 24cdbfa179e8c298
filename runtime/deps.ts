import type { Client } from '@temporalio/client';
import { isConnectionLost, pgError } from '../db/errors.ts';
import { createPipelinedTransactions, type PipelinedTransactions } from '../db/pipelined-transactions.ts';
import { createPostgresSockets, type PostgresSockets } from '../db/postgres-sockets.ts';
import { connect, engineEm, poolOf, rows, sql, connectionTurnsOf, type Orm } from '../db/orm.ts';
import { connectNats, isAway, laterNats, type Nats } from '../transport/nats.ts';
import { outboxSubscriber, type WatchedTable } from '../events/outbox.ts';
import { MESSAGE_READY_PING, OUTBOX_PING } from '../transport/streams.ts';
import { createTxtResolver, type ResolveTxt } from '../domain/emails/senders/record.ts';
import { createLinkSigner, type LinkSigner } from '../domain/addresses/tokens.ts';
import { createOutbound, type Outbound } from '../domain/outbound/outbound.ts';
import { parseRanges } from '../lib/addresses/ranges.ts';
import { EnvError } from '../config/env.ts';
import { createCaptcha, type Captcha } from '../domain/forms/captcha.ts';
import { fetchText } from './fetch-text.ts';
import { createLogger, type Logger } from '../config/logger.ts';
import { createMetrics, type Metrics } from '../config/metrics.ts';
import { bySetting } from '../config/start-problems.ts';
import { measurePool } from './measure-pool.ts';
import { GenerationKeeper } from './generation.ts';
import { witnessesOf } from './generation-witnesses.ts';
import { connectTemporal, hasNamespace, TemporalAway } from './temporal.ts';
import type { Tracing } from '../config/tracing.ts';
import { connectPart, whenThere } from './when-there.ts';
import type { Env } from '../config/env-schema.ts';

/** The dependencies of a process; created once at its start and passed as an argument. */
export interface Deps {
  env: Env;
  /** When these were created, which a process does first. */
  startedAt: Date;
  log: Logger;
  metrics: Metrics;
  /** Null if tracing is disabled. */
  tracing: Tracing | null;
  /** All connections to Postgres. */
  postgres: PostgresSockets;
  orm: Orm;
  pipelined: PipelinedTransactions;
  nats: Nats;
  /**
   * Notifies the relay of a commit to an outbox that bypassed the ORM. Commits through the ORM notify it automatically.
   */
  pingOutbox: (table: WatchedTable, details?: readonly string[]) => void;
  /** Throws TemporalAway while it was never there, in a process that starts without it. */
  readonly temporal: Client;
  /** Holds this process if Postgres was put back to an older copy. */
  generation: GenerationKeeper;
  links: LinkSigner;
  /** The CAPTCHA of forms. */
  captcha: Captcha;
  resolveTxt: ResolveTxt;
  /** Requests to URLs of users. */
  outbound: Outbound;
  /** Fetches a public document of another service (a certificate); the caller must check the URL. */
  fetchText: (url: URL) => Promise<string>;
}

/** Throws if the login bypasses row-level security. */
async function assertNoBypass(orm: Orm): Promise<void> {
  const [role] = await orm.em
    .fork()
    .execute<{ rolsuper: boolean; rolbypassrls: boolean }[]>(
      'select rolsuper, rolbypassrls from pg_roles where rolname = current_user',
    );
  if (role?.rolsuper || role?.rolbypassrls) {
    throw new EnvError(
      'DATABASE_URL names a login that bypasses row-level security (superuser or BYPASSRLS); use the application role',
    );
  }
}

/** SQLSTATEs for a missing table, role or grant. */
const NOT_MIGRATED = new Set(['42P01', '42501', '42704', '22023']);

/** Throws unless the tables exist and the login has the grants of the migrations. */
async function assertMigrated(orm: Orm): Promise<void> {
  try {
    await engineEm(orm).transactional((tx) => rows(tx, sql`select 1 from users limit 1`));
  } catch (error) {
    if (!NOT_MIGRATED.has(pgError(error)?.code ?? '')) throw error;
    throw new EnvError(
      'DATABASE_URL names a database that is not migrated for this login: run `npm run migrate` first',
      { cause: error },
    );
  }
}

async function withNamespace(connectClient: () => Promise<Client>): Promise<Client> {
  const client = await connectClient();
  if (await hasNamespace(client)) return client;
  await client.connection.close();
  throw new EnvError('TEMPORAL_NAMESPACE must be an existing Temporal namespace: create it first');
}

/** Null without an endpoint: then the SDK, a tenth of all modules, is not loaded. */
const tracingTo = async (endpoint: string, name: string): Promise<Tracing | null> =>
  endpoint === '' ? null : (await import('../config/export-spans.ts')).exportSpans(endpoint, name);

export interface DepsOptions {
  /** The parts that the process starts without: it connects to them when they are there. */
  later?: readonly ('nats' | 'temporal')[];
  /** Passed by a worker, which shares its native connection. */
  connectTemporal?: (() => Promise<Client>) | undefined;
  /** See `ConnectOptions`: set by processes that clients wait for. Background work waits without limit. */
  poolWaitMs?: number;
}

/**
 * Connects to Postgres, NATS and Temporal, waiting for those that are not available yet, unless they may come later. If
 * one fails, closes the others.
 */
export async function createDeps(
  env: Env,
  name: string,
  {
    later = [],
    connectTemporal: connectClient = () => connectTemporal(env.TEMPORAL_ADDRESS, env.TEMPORAL_NAMESPACE),
    poolWaitMs = 0,
  }: DepsOptions = {},
): Promise<Deps & { close: () => Promise<void> }> {
  const startedAt = new Date();
  const log = createLogger(env.LOG_LEVEL, name);
  const closers: (() => Promise<unknown>)[] = [];
  const close = async (): Promise<void> => {
    for (const closer of closers.reverse())
      await closer().catch((error: unknown) => log.warn({ err: error }, 'error while closing'));
  };
  try {
    const tracing = await tracingTo(env.OTEL_EXPORTER_OTLP_ENDPOINT, name);
    if (tracing) closers.push(() => tracing.stop());
    const metrics = createMetrics(name);
    const postgres = createPostgresSockets();
    const orm = await bySetting('DATABASE_URL', () =>
      connect(env.DATABASE_URL, { poolMax: env.DATABASE_POOL_MAX, poolWaitMs, line: postgres }),
    );
    closers.push(() => orm.close());
    measurePool(await poolOf(orm), connectionTurnsOf(orm), metrics);
    const pipelined = createPipelinedTransactions(env.DATABASE_URL, postgres);
    closers.push(() => pipelined.close());
    const isThere = async (): Promise<void> => {
      await assertNoBypass(orm);
      await assertMigrated(orm);
    };
    await bySetting('DATABASE_URL', () => whenThere(log, 'Postgres', isThere, { isAway: isConnectionLost }));
    const natsPart = await connectPart(log, 'NATS', {
      connect: () => connectNats(env.NATS_URL, name),
      setting: 'NATS_URL',
      close: ({ connection }) => connection.drain(),
      isAway,
      later: later.includes('nats'),
    });
    closers.push(natsPart.stop);
    const nats = laterNats(natsPart.current);
    const pingOutbox = (table: WatchedTable, details: readonly string[] = []): void => {
      try {
        if (table === 'message_sends') nats.connection.publish(MESSAGE_READY_PING, details.join(' '));
        else nats.connection.publish(OUTBOX_PING, [table, ...details].join(' '));
      } catch (error) {
        // The change is committed, and the relay polls too.
        log.debug({ err: error }, 'could not wake the relay');
      }
    };
    orm.em.getEventManager().registerSubscriber(outboxSubscriber(pingOutbox));
    const temporalPart = await connectPart(log, 'Temporal', {
      connect: () => withNamespace(connectClient),
      close: ({ connection }) => connection.close(),
      setting: 'TEMPORAL_ADDRESS',
      // A process that works without it does not end for it: while it comes, it may not have its namespaces yet.
      isAway: (error, hasGoneOn) => hasGoneOn || !(error instanceof EnvError),
      later: later.includes('temporal'),
    });
    closers.push(temporalPart.stop);
    const temporalClient = (): Client => {
      const client = temporalPart.current();
      if (!client) throw new TemporalAway();
      return client;
    };
    const generation = new GenerationKeeper(orm, witnessesOf(nats, temporalClient), log);
    postgres.check = (connection) => generation.checkConnection(connection);
    closers.push(() => generation.stop());
    const links = createLinkSigner({ secret: env.LINK_SECRET, previous: env.LINK_SECRET_PREVIOUS || undefined });
    const outbound = createOutbound(parseRanges(env.OUTBOUND_ALLOW));
    closers.push(async () => outbound.close());
    return {
      env,
      startedAt,
      log,
      metrics,
      tracing,
      postgres,
      orm,
      pipelined,
      nats,
      pingOutbox,
      get temporal() {
        return temporalClient();
      },
      generation,
      close,
      fetchText,
      outbound,
      links,
      captcha: createCaptcha(env, links),
      resolveTxt: createTxtResolver(),
    };
  } catch (error) {
    await close();
    throw error;
  }
}
