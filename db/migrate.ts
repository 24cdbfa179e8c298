/** `npm run migrate`: brings the schema up to date and sees to the roles. Reads DATABASE_MIGRATION_URL and DATABASE_URL. */
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { readMigrationEnv } from '../config/env.ts';
import { bySetting, doesNotWork, startOrExit } from '../config/start-problems.ts';
import { ENGINE_ROLE } from './entities/base.ts';
import { isConnectionLost, pgError } from './errors.ts';
import { connect } from './orm.ts';

const INSUFFICIENT_PRIVILEGE = '42501';

/** Makes the roles that are missing: the application's login, and the engine role that it may take by SET ROLE only. */
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
      // A name that is reserved, a password that is too weak: what is wrong is what was to be made.
      throw doesNotWork('DATABASE_URL', error);
    }
  }
  // Grants name this role, whatever login the service uses.
  if (!(await exists('perennial_app'))) await client.query('create role perennial_app nologin');
  if (app.user !== 'perennial_app') await client.query(`grant perennial_app to ${login}`);
  if (!(await exists(ENGINE_ROLE))) await client.query(`create role ${ENGINE_ROLE} nologin nobypassrls`);
  // A plain GRANT would open every row to the application without SET ROLE.
  await client.query(`grant ${ENGINE_ROLE} to ${login} with inherit false, set true`);
}

/** Runs under one advisory lock, so that processes that start together do not migrate twice. Returns the names applied. */
export async function migrate(migrationUrl: string, databaseUrl: string): Promise<string[]> {
  const app = new URL(databaseUrl);
  const client = await bySetting('DATABASE_MIGRATION_URL', async () => {
    // It reads the files that the URL names, such as certificates.
    const made = new pg.Client({ connectionString: migrationUrl });
    await made.connect();
    return made;
  });
  try {
    await client.query(`select pg_advisory_lock(hashtext('perennial-migrate'))`);
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
