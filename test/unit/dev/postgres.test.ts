import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from '@jest/globals';
import { freePorts } from '../../../dev/stack/ports.ts';
import { postgresUrls, startPostgres, withClient } from '../../../dev/stack/postgres.ts';
import { signal } from '../../../dev/process.ts';
import { tempDir } from './temp-dir.ts';
import { onTestFinished } from '../../support/on-test-finished.ts';

async function start(dataDir: string) {
  const [port = 0] = await freePorts(1);
  const service = await startPostgres({ dataDir, port, volatile: true });
  onTestFinished(() => service.stop());
  return { service, ...postgresUrls(port) };
}

test('the owner owns, the service login does not pass row security, and data outlives a kill', async () => {
  const dataDir = tempDir();
  const first = await start(dataDir);
  await withClient(first.owner, (client) =>
    client.query('CREATE TABLE kept AS SELECT 7 AS n; GRANT SELECT ON kept TO perennial_app'),
  );
  const roles = await withClient(first.app, (client) =>
    client.query<{ rolsuper: boolean; rolbypassrls: boolean; rolcreatedb: boolean; rolcreaterole: boolean }>(
      'SELECT rolsuper, rolbypassrls, rolcreatedb, rolcreaterole FROM pg_roles WHERE rolname = current_user',
    ),
  );
  assert.deepEqual(roles.rows, [{ rolsuper: false, rolbypassrls: false, rolcreatedb: false, rolcreaterole: false }]);
  signal(first.service.pid, 'SIGKILL');
  await first.service.ended;
  const pidFile = join(dataDir, 'postgres', 'postmaster.pid');
  assert.ok(existsSync(pidFile));
  // The pid of the killed one now belongs to another program.
  writeFileSync(pidFile, readFileSync(pidFile, 'utf8').replace(/^\d+/, String(process.pid)));
  const second = await start(dataDir);
  const kept = await withClient(second.app, (client) => client.query<{ n: number }>('SELECT n FROM kept'));
  assert.deepEqual(kept.rows, [{ n: 7 }]);
  await second.service.stop();
  assert.equal(await second.service.ended, 'exit code 0');
  assert.ok(!existsSync(pidFile));
});

test('it listens on loopback only, and on no socket file', async () => {
  const { owner } = await start(tempDir());
  const settings = await withClient(owner, (client) =>
    client.query(
      "SELECT current_setting('listen_addresses') AS addresses, current_setting('unix_socket_directories') AS sockets",
    ),
  );
  assert.deepEqual(settings.rows, [{ addresses: '127.0.0.1', sockets: '' }]);
});
