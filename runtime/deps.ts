import type { Client } from '@temporalio/client';
import { isConnectionLost, pgError } from '../db/errors.ts';
import { createPipelinedTransactions, type PipelinedTransactions } from '../db/pipelined-transactions.ts';
import { createPostgresSockets, type PostgresSockets } from '../db/postgres-sockets.ts';
import { connect, engineEm, rows, sql, type Orm } from '../db/orm.ts';
import { connectNats, isAway, type Nats } from '../events/nats.ts';
import { outboxSubscriber, type OutboxTable } from '../events/outbox.ts';
import { OUTBOX_PING } from '../events/streams.ts';
import { createTxtResolver, type ResolveTxt } from '../domain/emails/senders/record.ts';
import { createLinkSigner, type LinkSigner } from '../domain/addresses/tokens.ts';
import { EnvError } from '../config/env.ts';
import { fetchText } from './fetch-text.ts';
import { createLogger, type Logger } from '../config/logger.ts';
import { createMetrics, type Metrics } from '../config/metrics.ts';
import { bySetting } from '../config/start-problems.ts';
import { connectTemporal, hasNamespace } from './temporal.ts';
import { startTracing, type Tracing } from '../config/tracing.ts';
import { whenThere } from './when-there.ts';
import type { Env } from '../config/env-schema.ts';

/** Everything a process works with; made once at its start, passed as an argument. */
export interface Deps {
  env: Env;
  log: Logger;
  metrics: Metrics;
  /** Null when nobody collects spans. */
  tracing: Tracing | null;
  /** All connections to Postgres. */
  postgres: PostgresSockets;
  orm: Orm;
  pipelined: PipelinedTransactions;
  nats: Nats;
  /** Tells the relay that something was committed to an outbox past the ORM, which tells it by itself. */
  pingOutbox: (table: OutboxTable) => void;
  temporal: Client;
  links: LinkSigner;
  resolveTxt: ResolveTxt;
  /** Fetches what other services offer to all (a certificate); the caller judges the address. */
  fetchText: (url: URL) => Promise<string>;
}

/** The login must be one that row-level security holds for. */
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

/** SQLSTATEs of a table, a role or a grant that is not there. */
const NOT_MIGRATED = new Set(['42P01', '42501', '42704', '22023']);

/** The tables must be there, and the login must be one that migrations have prepared. */
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

export interface DepsOptions {
  /** Given by a worker, which shares its native connection. */
  temporal?: Client | undefined;
  /** As of `ConnectOptions`: given by what somebody waits for. Work in the background waits for its turn. */
  poolWaitMs?: number;
}

/**
 * Connects to Postgres, NATS and Temporal, waiting for those that are not there yet. Whatever connects is closed again when
 * another part can not be reached.
 */
export async function createDeps(
  env: Env,
  name: string,
  { temporal, poolWaitMs = 0 }: DepsOptions = {},
): Promise<Deps & { close: () => Promise<void> }> {
  const log = createLogger(env.LOG_LEVEL, name);
  const closers: (() => Promise<unknown>)[] = [];
  const close = async (): Promise<void> => {
    for (const closer of closers.reverse())
      await closer().catch((error: unknown) => log.warn({ err: error }, 'error while closing'));
  };
  try {
    const tracing = startTracing(env.OTEL_EXPORTER_OTLP_ENDPOINT, name);
    if (tracing) closers.push(() => tracing.stop());
    const postgres = createPostgresSockets();
    const orm = await bySetting('DATABASE_URL', () =>
      connect(env.DATABASE_URL, { poolMax: env.DATABASE_POOL_MAX, poolWaitMs, line: postgres }),
    );
    closers.push(() => orm.close());
    const pipelined = createPipelinedTransactions(env.DATABASE_URL, postgres);
    closers.push(() => pipelined.close());
    await bySetting('DATABASE_URL', () =>
      whenThere(
        log,
        'Postgres',
        async () => {
          await assertNoBypass(orm);
          await assertMigrated(orm);
        },
        isConnectionLost,
      ),
    );
    const nats = await bySetting('NATS_URL', () =>
      whenThere(log, 'NATS', () => connectNats(env.NATS_URL, name), isAway),
    );
    closers.push(() => nats.connection.drain());
    const pingOutbox = (table: OutboxTable): void => {
      try {
        nats.connection.publish(OUTBOX_PING, table);
      } catch (error) {
        // What has been committed has been: the relay looks by itself too.
        log.debug({ err: error }, 'could not wake the relay');
      }
    };
    orm.em.getEventManager().registerSubscriber(outboxSubscriber(pingOutbox));
    const client =
      temporal ??
      (await bySetting('TEMPORAL_ADDRESS', () =>
        whenThere(log, 'Temporal', () => connectTemporal(env.TEMPORAL_ADDRESS, env.TEMPORAL_NAMESPACE)),
      ));
    if (!temporal) closers.push(() => client.connection.close());
    if (!(await hasNamespace(client)))
      throw new EnvError('TEMPORAL_NAMESPACE must be an existing Temporal namespace: create it first');
    return {
      env,
      log,
      metrics: createMetrics(),
      tracing,
      postgres,
      orm,
      pipelined,
      nats,
      pingOutbox,
      temporal: client,
      close,
      fetchText,
      links: createLinkSigner({ secret: env.LINK_SECRET, previous: env.LINK_SECRET_PREVIOUS || undefined }),
      resolveTxt: createTxtResolver(),
    };
  } catch (error) {
    await close();
    throw error;
  }
}
