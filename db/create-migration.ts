/**
 * `npm run migration:create -- name`: writes the difference between the entities and the committed snapshot as a
 * migration.
 */
import { MikroORM } from '@mikro-orm/postgresql';
import { readMigrationEnv } from '../config/env.ts';
import { startOrExit } from '../config/start-problems.ts';
import { ormOptions } from './orm.ts';

const env = await startOrExit(readMigrationEnv);
const options = ormOptions(env.DATABASE_MIGRATION_URL, { poolMax: 1 });
const orm = await MikroORM.init({
  ...options,
  migrations: { ...options.migrations, snapshot: true, snapshotName: '.snapshot' },
});
const created = await orm.migrator.create(undefined, false, false, process.argv[2]);
process.stdout.write(`${created.fileName || 'no difference'}\n`);
await orm.close();
