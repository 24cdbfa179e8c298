import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { rows, sql, tenantEm } from '../../../db/orm.ts';
import { claimFiles, removeFormFiles } from '../../../domain/common/kept-files.ts';
import { KEPT, readFile } from '../../../transport/file-store.ts';
import { KEPT_FILES } from '../../../transport/streams.ts';
import { discardFiles, keepFiles, removeFiles } from '../../../runtime/kept-files.ts';
import { startUpkeep } from '../../../worker/upkeep.ts';
import { holding, waiting as waitingFor } from '../../support/accounts.ts';
import { startApiProcess } from '../../support/api-process.ts';
import { PDF } from '../../support/sample-files.ts';
import { startService, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const TENANT = 'default';
const em = () => tenantEm(service.deps.orm, TENANT);
const query = <T>(statement: ReturnType<typeof sql>): Promise<T[]> =>
  em().transactional((tx) => rows<T>(tx, statement));
async function* text(...pieces: string[]): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) yield Buffer.from(piece);
}
const keep = async (): Promise<string> =>
  (await keepFiles(service.deps, TENANT, [text('some ', 'x'.repeat(600_000), ' text')]))[0]!;
const isThere = async (key: string): Promise<boolean> => {
  const { state } = await service.deps.nats.jsm.streams.info(KEPT_FILES, { subjects_filter: `kept-files.${key}.*` });
  return Object.keys(state.subjects ?? {}).length > 0;
};
const claim = (key: string): Promise<void> => em().transactional((tx) => claimFiles(tx, TENANT, [key]));
/** How many sessions of the service wait for a lock. */
const waiting = async (): Promise<number> =>
  (
    await query<{ n: number }>(
      sql`select count(*) as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    )
  )[0]!.n;
const expire = () => query(sql`update file_removals set remove_after = now() - interval '1 second'`);

test('a file that is claimed stays, and is read as it came', async () => {
  const key = await keep();
  await claim(key);
  await expire();
  await removeFiles(service.deps);
  let read = '';
  for await (const piece of readFile(service.deps.nats, key, 0, KEPT).content) read += Buffer.from(piece).toString();
  assert.equal(read, `some ${'x'.repeat(600_000)} text`);
  assert.deepEqual(await query(sql`select 1 from file_removals`), []);
});

test('what is left of a process that was killed between storing and claiming is removed, and not before', async () => {
  const key = await keep();
  await removeFiles(service.deps);
  assert.ok(await isThere(key), 'somebody may be about to claim it');
  await expire();
  await removeFiles(service.deps);
  assert.equal(await isThere(key), false);
  assert.deepEqual(await query(sql`select 1 from file_removals`), []);
  await assert.rejects(claim(key), { code: 'unavailable' });
});

test('a removal that was killed half-way is done by the next one', async () => {
  const key = await keep();
  await query(sql`update file_removals set removing = true`);
  await service.deps.nats.jsm.streams.purge(KEPT_FILES, { filter: `kept-files.${key}.0` });
  assert.ok(await isThere(key));
  await assert.rejects(claim(key), { code: 'unavailable' });
  await removeFiles(service.deps);
  assert.equal(await isThere(key), false);
});

test('who discards waits for a transaction that is about to claim, and leaves what it has claimed', async () => {
  const key = await keep();
  const claimed = Promise.withResolvers<void>();
  const commit = Promise.withResolvers<void>();
  const transaction = em().transactional(async (tx) => {
    await claimFiles(tx, TENANT, [key]);
    claimed.resolve();
    await commit.promise;
  });
  await claimed.promise;
  discardFiles(service.deps, TENANT, [key]);
  await until('the discard waits', async () => (await waiting()) > 0);
  commit.resolve();
  await transaction;
  await until('the discard is over', async () => (await waiting()) === 0);
  await removeFiles(service.deps);
  assert.ok(await isThere(key));
});

test('a transaction that fails releases nothing', async () => {
  const key = await keep();
  await claim(key);
  const { id } = (
    await service.api('POST', '/forms', { name: 'F', fields: [{ name: 'email', label: 'E', type: 'email' }] })
  ).body;
  await query(sql`
    with s as (insert into form_submissions (tenant_id, form_id, submission_data, submitted_at) values (${TENANT}, ${id}, '{}', now()) returning id)
    insert into form_files (tenant_id, form_id, submission_id, field, file_name, media_type, size, sha256, object_key)
    select ${TENANT}, ${id}, s.id, 'f', 'f', 'text/plain', 1, '', ${key} from s`);
  await assert.rejects(
    em().transactional(async (tx) => {
      assert.equal(await removeFormFiles(tx, TENANT, sql`form_id = ${id}`), 1);
      throw new Error('no');
    }),
    /no/,
  );
  await removeFiles(service.deps);
  assert.ok(await isThere(key));
  await em().transactional((tx) => removeFormFiles(tx, TENANT, sql`form_id = ${id}`));
  await removeFiles(service.deps, 'other');
  assert.ok(await isThere(key), 'it is not theirs');
  await removeFiles(service.deps, TENANT);
  assert.equal(await isThere(key), false);
});

test('an API process that is killed before a submission is committed leaves no file', async () => {
  const { id } = (
    await service.api('POST', '/forms', {
      name: 'F',
      fields: [
        { name: 'email', label: 'E', type: 'email' },
        { name: 'cv', label: 'CV', type: 'file' },
      ],
    })
  ).body;
  const api = await startApiProcess(service);
  const form = new FormData();
  form.set('email', 'killed@example.com');
  form.set('_token', (await service.api('GET', `/forms/${id}/token`)).body.token as string);
  form.set('cv', new Blob([new Uint8Array(PDF)]), 'a.pdf');
  const announced = () => query<{ key: string }>(sql`select object_key as key from file_removals`);
  let key = '';
  await holding(service, `select 1 from forms where id = ${id} for update`, async (client) => {
    const answer = api.api('POST', `/forms/${id}/submit`, form, { token: null, headers: { accept: '*/*' } });
    const lost = assert.rejects(answer);
    await until('the submission waits to be inserted', async () => (await waitingFor(client)) > 0);
    ({ key } = (await announced())[0]!);
    assert.ok(await isThere(key), 'its file is stored');
    await api.end('SIGKILL');
    await lost;
  });
  await until('its transaction is rolled back', async () => (await waiting()) === 0);
  assert.deepEqual((await service.api('GET', `/forms/${id}/submissions`)).body.data, []);
  assert.deepEqual(await announced(), [{ key }]);
  await expire();
  const upkeep = startUpkeep(service.deps);
  await until('a worker has removed it', async () => (await announced()).length === 0);
  await upkeep.stop();
  assert.equal(await isThere(key), false);
});
