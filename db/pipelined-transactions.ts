import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
import type pg from 'pg';
import { ENGINE_ROLE } from './entities/base.ts';
import { isConnectionLost } from './errors.ts';
import type { PostgresSockets } from './postgres-sockets.ts';
import { session, types, type RawBuilder } from './orm.ts';
import { PreparingClient } from './preparing-client.ts';

/** A statement that is prepared once per connection. */
export interface Statement {
  name: string;
  text: string;
}

/** Which rows a transaction sees: a tenant's, or all (every key must then include the tenant). */
export type Scope = { tenantId: string } | 'engine';

/** A statement with its values. */
export type Asked = readonly [Statement, unknown[]];

/**
 * Short transactions in one round trip each, many at once on a connection (pipelining). Returns the rows of each
 * statement.
 */
export interface PipelinedTransactions {
  /**
   * For the few statements that every request runs. Statements for the same scope in the same turn of the event loop
   * share a transaction. They must be safe to run twice: they are repeated separately if their connection breaks or
   * another statement in their transaction fails.
   */
  run: (scope: Scope, statements: readonly Asked[]) => Promise<Record<string, unknown>[][]>;
  /**
   * A separate transaction, run once. If this throws because the connection broke, it may have been committed
   * nevertheless.
   */
  once: (scope: Scope, statements: readonly RawBuilder<unknown>[]) => Promise<Record<string, unknown>[][]>;
  close: () => Promise<void>;
}

/** Runs statements in one engine transaction; returns the rows of each. */
export type Transact = (statements: readonly RawBuilder<unknown>[]) => Promise<unknown[][]>;

/** The timeout of a query. */
const QUERY_TIMEOUT_MS = 60_000;
const setTenant: Statement = { name: 'set-tenant', text: `select set_config('app.tenant_id', $1, true)` };

/** Compiles queries to SQL text; it never connects. */
const compiler = new Kysely<unknown>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});

type Query = (client: PreparingClient) => Promise<pg.QueryResult<Record<string, unknown>>>;
const named =
  ([statement, values]: Asked): Query =>
  (client) =>
    client.query({ ...statement, values }) as ReturnType<Query>;
const built = (statement: RawBuilder<unknown>): Query => {
  const { sql, parameters } = statement.compile(compiler);
  return (client) => client.query(sql, parameters) as ReturnType<Query>;
};

class Pipeline {
  readonly #url: string;
  readonly #sockets: PostgresSockets;
  #client: Promise<PreparingClient> | null = null;
  #current: PreparingClient | null = null;
  /** How many transactions are under way. */
  pending = 0;

  constructor(url: string, sockets: PostgresSockets) {
    this.#url = url;
    this.#sockets = sockets;
  }

  async run(scope: Scope, queries: readonly Query[]): Promise<Record<string, unknown>[][]> {
    this.pending += 1;
    try {
      return await this.#run(scope, queries);
    } finally {
      this.pending -= 1;
    }
  }

  async #run(scope: Scope, queries: readonly Query[]): Promise<Record<string, unknown>[][]> {
    const client = await this.#connected();
    // What is submitted in one turn stays together, without another transaction in between. A failed statement aborts
    // the rest of its transaction, so none runs for the wrong tenant.
    const { stream } = (
      client as unknown as { connection: { stream: NodeJS.WritableStream & { cork: () => void; uncork: () => void } } }
    ).connection;
    stream.cork();
    const parts = [
      client.query('begin'),
      scope === 'engine'
        ? client.query(`set local role ${ENGINE_ROLE}`)
        : client.query({ ...setTenant, values: [scope.tenantId] }),
      ...queries.map((query) => query(client)),
      client.query('commit'),
    ];
    stream.uncork();
    const done = await Promise.allSettled(parts);
    const failed = done.find((part) => part.status === 'rejected');
    if (failed) throw failed.reason;
    return done
      .slice(2, -1)
      .map((part) => (part as PromiseFulfilledResult<pg.QueryResult<Record<string, unknown>>>).value.rows);
  }

  #connected(): Promise<PreparingClient> {
    this.#client ??= this.#connect();
    return this.#client;
  }

  async #connect(): Promise<PreparingClient> {
    const client = new PreparingClient({
      connectionString: this.#url,
      ...session,
      types,
      pipeline: true,
      stream: this.#sockets.stream,
      // Detects a dead peer: these connections are never closed for being idle.
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      query_timeout: QUERY_TIMEOUT_MS,
    });
    const forget = (): void => {
      if (this.#current === client) this.#client = this.#current = null;
    };
    this.#current = client;
    client.on('error', forget);
    client.on('end', forget);
    try {
      await client.connect();
      await this.#sockets.check(client);
    } catch (error) {
      forget();
      void client.end().catch(() => undefined);
      throw error;
    }
    return client;
  }

  async close(): Promise<void> {
    await (await this.#client?.catch(() => null))?.end();
  }
}

/** One caller's statements, and its promise. */
interface Run {
  scope: Scope;
  statements: readonly Asked[];
  resolve: (rows: Record<string, unknown>[][]) => void;
  reject: (error: unknown) => void;
}

/** Connects on first use. */
export function createPipelinedTransactions(
  databaseUrl: string,
  sockets: PostgresSockets,
  connections = 2,
): PipelinedTransactions {
  const pipelines = Array.from({ length: connections }, () => new Pipeline(databaseUrl, sockets));
  let gathered: Run[] = [];

  // The first of equals: what runs one transaction after the other stays with a backend that has its plans and catalogs
  // cached.
  const leastBusy = () => pipelines.reduce((least, one) => (one.pending < least.pending ? one : least));
  const submit = (scope: Scope, queries: readonly Query[]) => leastBusy().run(scope, queries);
  const attempt = (scope: Scope, statements: readonly Asked[]) => submit(scope, statements.map(named));
  const alone = async ({ scope, statements, resolve, reject }: Run): Promise<void> => {
    try {
      // A restart of Postgres breaks connections, including idle ones.
      resolve(
        await attempt(scope, statements).catch((error: unknown) =>
          isConnectionLost(error) ? attempt(scope, statements) : Promise.reject(error as Error),
        ),
      );
    } catch (error) {
      reject(error);
    }
  };
  const together = async (runs: readonly Run[]): Promise<void> => {
    try {
      const found = await attempt(
        runs[0]!.scope,
        runs.flatMap((run) => run.statements),
      );
      let from = 0;
      for (const { statements, resolve } of runs) resolve(found.slice(from, (from += statements.length)));
    } catch {
      await Promise.all(runs.map(alone));
    }
  };
  const flush = (): void => {
    const groups = Map.groupBy(gathered, ({ scope }) => (scope === 'engine' ? '' : scope.tenantId));
    gathered = [];
    for (const runs of groups.values()) void (runs.length === 1 ? alone(runs[0]!) : together(runs));
  };

  return {
    run: (scope, statements) =>
      new Promise((resolve, reject) => {
        if (gathered.push({ scope, statements, resolve, reject }) === 1) setImmediate(flush);
      }),
    once: (scope, statements) => submit(scope, statements.map(built)),
    async close() {
      await Promise.all(pipelines.map((one) => one.close()));
    },
  };
}
