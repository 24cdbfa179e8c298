/** `npm run migrate`: migrates the schema and creates the roles. Reads DATABASE_MIGRATION_URL and DATABASE_URL. */
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { readMigrationEnv } from '../config/env.ts';
import { bySetting, doesNotWork, startOrExit } from '../config/start-problems.ts';
import { ENGINE_ROLE } from './entities/base.ts';
import { isConnectionLost, pgError } from './errors.ts';
import { connect } from './orm.ts';

const LOCK_MS = 100;
const INSUFFICIENT_PRIVILEGE = '42501';

/**
 * Creates missing roles: the application's login, and the engine role, which the login can use only through SET ROLE.
 */
async function ensureRoles(client: pg.Client, app: { user: string; password: string }): Promise<void> {
  const login = client.escapeIdentifier(app.user);
  const exists = async (role: string) =>
    (await client.query('select 1 from pg_roles where rolname = $1', [role])).rowCount === 1;
  if (!(await exists(app.user))) {
    try {
      await client.query(
        `create role ${login} login nosuperuser nobypassrls nocreatedb password ${client.escapeLiteral(app.password)}`,
      );
    } catch (error) {
      if (pgError(error)?.code === INSUFFICIENT_PRIVILEGE || isConnectionLost(error)) throw error;
      // For example a reserved name or a weak password: the fault is in the login to be created.
      throw doesNotWork('DATABASE_URL', error);
    }
  }
  // Grants refer to this role, whatever the service's login is.
  if (!(await exists('perennial_app'))) await client.query('create role perennial_app nologin');
  if (app.user !== 'perennial_app') await client.query(`grant perennial_app to ${login}`);
  if (!(await exists(ENGINE_ROLE))) await client.query(`create role ${ENGINE_ROLE} nologin nobypassrls`);
  // A plain GRANT would show every row to the application without SET ROLE.
  await client.query(`grant ${ENGINE_ROLE} to ${login} with inherit false, set true`);
}

/**
 * Waits until no other process migrates. Asks again and again, because a statement that waits for a lock has a snapshot,
 * and an index that the other process builds concurrently waits for all snapshots.
 */
async function takeLock(client: pg.Client): Promise<void> {
  const isTaken = async () =>
    (await client.query<{ taken: boolean }>(`select pg_try_advisory_lock(hashtext('perennial-migrate')) as taken`))
      .rows[0]!.taken;
  while (!(await isTaken())) await delay(LOCK_MS);
}

/**
 * Runs under an advisory lock, so that processes started together do not migrate twice. Returns the applied migrations.
 */
export async function migrate(migrationUrl: string, databaseUrl: string): Promise<string[]> {
  const app = new URL(databaseUrl);
  const client = await bySetting('DATABASE_MIGRATION_URL', async () => {
    // The constructor reads the files in the URL, such as certificates, so it may throw too.
    const made = new pg.Client({ connectionString: migrationUrl });
    await made.connect();
    return made;
  });
  try {
    await takeLock(client);
    await bySetting('DATABASE_MIGRATION_URL', () =>
      ensureRoles(client, { user: decodeURIComponent(app.username), password: decodeURIComponent(app.password) }),
    );
    const orm = await connect(migrationUrl, { poolMax: 2 });
    try {
      return (await orm.migrator.up()).map((migration) => migration.name);
    } finally {
      await orm.close();
    }
  } finally {
    await client.end();
  }
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const applied = await startOrExit(async () => {
    const env = readMigrationEnv();
    return migrate(env.DATABASE_MIGRATION_URL, env.DATABASE_URL);
  });
  process.stdout.write(applied.length > 0 ? `applied ${applied.join(', ')}\n` : 'the schema is up to date\n');
}
