import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { afterAll, beforeAll, test } from '@jest/globals';
import { promisify } from 'node:util';
import pg from 'pg';
import { asService } from '../../../domain/audit/audit.ts';
import { createImport, inspectImport } from '../../../domain/contacts/import/create-import.ts';
import { HEAD_BYTES } from '../../../domain/contacts/import/csv/detect.ts';
import { CHUNK_ROWS } from '../../../domain/contacts/import/csv/read-csv.ts';
import { runImport } from '../../../domain/contacts/import/run-import.ts';
import { tenantEm } from '../../../db/orm.ts';
import { startService, type Service } from '../../support/service.ts';

const ROWS = 2.5 * CHUNK_ROWS;
/** Above the 16 MiB of a file of the write-ahead log. */
const QUOTA = 17 * 2 ** 20;
let service: Service;
let owner: pg.Client;
beforeAll(async () => {
  service = await startService();
  owner = new pg.Client({ connectionString: service.deps.env.DATABASE_MIGRATION_URL });
  await owner.connect();
});
afterAll(async () => {
  await owner.end();
  await service.stop();
});

/** Limits how long a file may become by the hand of the service's connections that there are: the quota of a full disk. */
async function limitFiles(bytes: number | 'unlimited'): Promise<void> {
  const { rows } = await owner.query<{ pid: number }>(
    `select pid from pg_stat_activity where datname = current_database() and application_name = 'perennial'`,
  );
  assert.ok(rows.length > 0);
  for (const { pid } of rows) {
    // Only its own user may do that, and root not everywhere.
    const { uid, gid } = await stat(`/proc/${pid}`);
    const limit = ['prlimit', `--fsize=${bytes}:`, '--pid', String(pid)];
    const as =
      uid === process.getuid!() ? limit : ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', ...limit];
    await promisify(execFile)(as[0]!, as.slice(1));
  }
}

test('a full disk interrupts an import; when there is room again it goes on, with nothing lost or half done', async () => {
  // The table reaches beyond the quota already, so that it can not grow.
  await owner.query(`
    insert into contacts (tenant_id, first_name, last_name, email, email_key, custom_fields)
    select 'filler', 'F', 'L', n || '@example.com', n || '@example.com', jsonb_build_object('x', (select string_agg(md5(n::text || m), '') from generate_series(1, 30) m))
    from generate_series(1, 20000) n`);
  const {
    rows: [table],
  } = await owner.query<{ bytes: string }>(`select pg_relation_size('contacts') as bytes`);
  assert.ok(Number(table!.bytes) > QUOTA, table!.bytes);

  const file = Buffer.from(
    `firstName,lastName,email\n${Array.from({ length: ROWS }, (_, n) => `F,L,full${n}@example.com`).join('\n')}\n`,
  );
  const em = tenantEm(service.deps.orm, 'default');
  const request = { mode: 'upsert', runTriggers: false, dryRun: false } as const;
  const inspection = await inspectImport(
    em,
    'default',
    { bytes: file.subarray(0, HEAD_BYTES), complete: false },
    request,
  );
  const { id } = await createImport(
    em,
    asService('default'),
    { fileName: 'full.csv', objectKey: 'full' },
    request,
    inspection,
  );
  const run = (quota: number | null, onlyOneChunk = false) =>
    runImport({
      orm: service.deps.orm,
      tenantId: 'default',
      importId: id,
      progress() {},
      isSliceOver: () => onlyOneChunk,
      open: (_key, offset) => ({
        inputOffset: offset,
        content: (async function* () {
          // The connection that will import is there by now.
          if (quota !== null) await limitFiles(quota);
          yield file.subarray(offset);
        })(),
      }),
    });
  const job = async () => (await service.api('GET', `/contacts/imports/${id}`)).body;
  const counted = async () =>
    (await owner.query<{ n: number }>(`select count(*)::int as n from contacts where tenant_id = 'default'`)).rows[0]!
      .n;
  const left = async () => ({
    counted: await counted(),
    created: (await job()).created,
    events: (
      await owner.query<{ n: number }>(`
    select sum(jsonb_array_length(events))::int as n from outbox_events where type = 'CONTACT_CREATED'`)
    ).rows[0]!.n,
  });
  await run(null, true);
  assert.deepEqual(await left(), { counted: CHUNK_ROWS, created: CHUNK_ROWS, events: CHUNK_ROWS });
  const error = await run(QUOTA).then(
    () => assert.fail('the disk was not full'),
    (caught: Error) => caught,
  );
  console.log(error.message);
  assert.match(error.message, /could not extend file/);
  assert.deepEqual(await left(), { counted: CHUNK_ROWS, created: CHUNK_ROWS, events: CHUNK_ROWS });
  await limitFiles('unlimited');
  const { over } = await run(null);
  assert.ok(over);
  assert.deepEqual(await left(), { counted: ROWS, created: ROWS, events: ROWS });
});
