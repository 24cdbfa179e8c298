import type { Configuration, Transaction } from '@mikro-orm/core';
import {
  isRaw,
  NativeQueryBuilder,
  PostgreSqlConnection,
  PostgreSqlDriver,
  PostgreSqlPlatform,
  raw,
} from '@mikro-orm/postgresql';
import { CompiledQuery, type Kysely } from 'kysely';
import type pg from 'pg';
import { TENANT_VARIABLE } from './entities/base.ts';
import { ConnectionTurns } from './connection-turns.ts';

/** The text of a statement, and the values of its parameters $1, $2, … */
interface Statement {
  text: string;
  values: unknown[];
}

/** The maximum of parameters in one message to Postgres (an int16). */
const MAX_VALUES = 65_535;

/**
 * MikroORM writes values into the text of its statements. Postgres then logs them when a statement fails or is slow,
 * and shows them while it runs: addresses, names, password hashes. This platform passes each value that would be a
 * quoted literal as a parameter instead; Postgres infers the type of both from the context. Numbers, booleans and null
 * stay literals.
 */
class Platform extends PostgreSqlPlatform {
  /** Set while a statement that is about to run is formatted; parts of it may be formatted before. */
  #values: unknown[] | null = null;

  statement(text: string, params: readonly unknown[]): Statement {
    this.#values = [];
    try {
      const made = { text: this.formatQuery(text, params), values: this.#values };
      if (made.values.length <= MAX_VALUES) return made;
    } finally {
      this.#values = null;
    }
    return { text: this.formatQuery(text, params), values: [] };
  }

  override escape(value: unknown): string {
    if (!this.#values) return super.escape(value);
    if (typeof value === 'string' || typeof value === 'bigint') return `$${this.#values.push(String(value))}`;
    if (value instanceof Date) return `$${this.#values.push(this.formatDate(value))}`;
    if (ArrayBuffer.isView(value)) return `$${this.#values.push(value)}`;
    return super.escape(value);
  }
}

/** Statements with parameters, and transactions of tenants in turn. */
export class ParameterConnection extends PostgreSqlConnection {
  readonly turns: ConnectionTurns;

  constructor(config: Configuration) {
    super(config);
    const { connectionTimeoutMillis = 0 }: pg.PoolConfig = config.get('driverOptions');
    this.turns = new ConnectionTurns(config.get('pool').max ?? 10, connectionTimeoutMillis);
  }

  override transactional<T>(
    work: (trx: Transaction) => Promise<T>,
    options: Parameters<PostgreSqlConnection['transactional']>[1] = {},
  ): Promise<T> {
    const begin = (): Promise<T> => super.transactional(work, options);
    const tenantId = options.sessionContext?.variables?.[TENANT_VARIABLE];
    return options.ctx ? begin() : this.turns.run(typeof tenantId === 'string' ? tenantId : null, begin);
  }

  override async execute<T>(
    ...[query, params = [], method = 'all', ctx, loggerContext]: Parameters<PostgreSqlConnection['execute']>
  ): Promise<T> {
    await this.ensureConnection();
    const made =
      query instanceof NativeQueryBuilder
        ? query.toRaw()
        : typeof query === 'string' && !Array.isArray(params)
          ? raw(query, params)
          : query;
    const [sql, given] = isRaw(made) ? [made.sql, made.params] : [made, params as unknown[]];
    const { text, values } = (this.platform as Platform).statement(sql, given);
    const connection = (ctx ?? this.getClient()) as Pick<Kysely<unknown>, 'executeQuery'>;
    return this.executeQuery(
      text,
      async () => this.transformRawResult(await connection.executeQuery(CompiledQuery.raw(text, values)), method),
      loggerContext,
    );
  }
}

/** MikroORM's driver with parameters instead of literals. */
export class ParameterDriver extends PostgreSqlDriver {
  constructor(config: Configuration) {
    super(config);
    // The constructor of the base class does not accept other implementations of these.
    Object.assign(this, { platform: new Platform(), connection: new ParameterConnection(config) });
  }
}
