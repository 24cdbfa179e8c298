import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from '@jest/globals';
import { promisify } from 'node:util';
import { freePorts } from '../../../dev/stack/ports.ts';
import { placeData, placePrograms, removeData } from '../../../dev/stack/postgres-place.ts';
import { packagedPrograms, postgresUrls, startPostgres, withClient } from '../../../dev/stack/postgres.ts';
import { postgresUser } from '../../../dev/stack/postgres-user.ts';
import { signal } from '../../../dev/process.ts';
import { tempDir } from './temp-dir.ts';
import { onTestFinished } from '../../support/on-test-finished.ts';

const root = process.getuid?.() === 0;

/** A data folder below one that others can not enter, as in a home of root's. */
function closedDataDir(parent?: string): string {
  const dataDir = join(tempDir(parent), 'checkout', '.data');
  mkdirSync(dataDir, { recursive: true });
  onTestFinished(() => removeData(dataDir));
  return dataDir;
}

async function start(dataDir: string) {
  const [port = 0] = await freePorts(1);
  const service = await startPostgres({ dataDir, port, volatile: true });
  onTestFinished(() => service.stop());
  return { service, ...postgresUrls(port) };
}

const keep = (url: string) => withClient(url, (client) => client.query('CREATE TABLE kept AS SELECT 7 AS n'));
const kept = (url: string) =>
  withClient(url, async (client) => (await client.query<{ n: number }>('SELECT n FROM kept')).rows);

test('Postgres runs in a folder that only its owner may enter, and its data outlives a kill', async () => {
  const dataDir = closedDataDir();
  const first = await start(dataDir);
  await keep(first.owner);
  signal(first.service.pid, 'SIGKILL');
  await first.service.ended;
  assert.ok(existsSync(join(dataDir, 'postgres', 'postmaster.pid')));
  const second = await start(dataDir);
  assert.deepEqual(await kept(second.owner), [{ n: 7 }]);
  const folder = realpathSync(join(dataDir, 'postgres'));
  assert.equal(statSync(folder).mode & 0o777, 0o700);
  await second.service.stop();
  await removeData(dataDir);
  // The place that root has made for it goes too.
  assert.ok(!existsSync(root ? dirname(folder) : folder));
});

// The second is another file system than the data's new place, where there is one.
for (const parent of [tmpdir(), '/dev/shm'].filter(existsSync))
  test(`data of a folder in ${parent} that others could enter before is moved along with its owner`, async () => {
    const dataDir = closedDataDir(parent);
    const closed = dirname(dirname(dataDir));
    chmodSync(closed, 0o711);
    const first = await start(dataDir);
    await keep(first.owner);
    await first.service.stop();
    assert.ok(lstatSync(join(dataDir, 'postgres')).isDirectory());
    chmodSync(closed, 0o700);
    const second = await start(dataDir);
    assert.deepEqual(await kept(second.owner), [{ n: 7 }]);
    assert.equal(lstatSync(join(dataDir, 'postgres')).isSymbolicLink(), root);
    for (const left of ['postgres.link', 'postgres.moved']) assert.ok(!existsSync(join(dataDir, left)));
    await second.service.stop();
  });

// Only root moves data.
(root ? test : test.skip)('a move that was interrupted is finished or begun anew, and loses nothing', async () => {
  const dataDir = closedDataDir();
  const folder = join(dataDir, 'postgres');
  const user = await postgresUser(folder);
  const place = await placeData(dataDir, user);
  mkdirSync(place);
  // After the data had gone, before its link was there.
  renameSync(folder, `${folder}.link`);
  assert.equal(await placeData(dataDir, user), place);
  assert.equal(readlinkSync(folder), place);
  // While the data was being copied to another file system.
  rmSync(folder);
  mkdirSync(folder);
  symlinkSync(place, `${folder}.link`);
  const next = await placeData(dataDir, user);
  assert.notEqual(next, place);
  assert.deepEqual([existsSync(place), existsSync(next), readlinkSync(folder)], [false, true, next]);
});

test('a link whose data is gone is no reason to begin with an empty database', async () => {
  const dataDir = closedDataDir();
  symlinkSync(join(dataDir, 'gone', 'postgres'), join(dataDir, 'postgres'));
  await assert.rejects(start(dataDir), /is a link to .*gone\/postgres, which is not there/);
});

test("programs that Postgres' user can not reach are run from a copy", async () => {
  const folder = tempDir();
  const native = join(folder, 'package', 'native');
  const packaged = await packagedPrograms();
  cpSync(packaged, native, { recursive: true, verbatimSymlinks: true });
  cpSync(join(dirname(packaged), 'package.json'), join(dirname(native), 'package.json'));
  // As npm installs under the umask of a careful root.
  await promisify(execFile)('chmod', ['-R', 'go-rwx', native]);
  const user = await postgresUser(folder);
  const [command = '', ...args] = [
    ...user.prefix,
    join(await placePrograms(native, user), 'bin', 'initdb'),
    '--version',
  ];
  assert.match((await promisify(execFile)(command, args, { cwd: '/' })).stdout, /PostgreSQL\) 18/);
  assert.equal(await placePrograms(packaged, { prefix: [] }), packaged);
});
