import assert from 'node:assert/strict';
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { afterAll, beforeAll, test } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { seededRandom } from '../../../dev/demo/random.ts';
import { asService } from '../../../domain/audit/audit.ts';
import { createImport, inspectImport } from '../../../domain/contacts/import/create-import.ts';
import { HEAD_BYTES } from '../../../domain/contacts/import/csv/detect.ts';
import { runImport } from '../../../domain/contacts/import/run-import.ts';
import { engineEm, rows, sql, tenantEm } from '../../../db/orm.ts';
import { putFile } from '../../../transport/file-store.ts';
import { workflowId } from '../../../registry/workflows.ts';
import { holding } from '../../support/accounts.ts';
import { missHeartbeats } from '../../support/lost-activities.ts';
import { startService, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { childEnv, killWorkerProcesses, startWorkerProcess } from '../../support/worker-process.ts';
import { SEED } from '../../support/seed.ts';

const ROWS = 50_000;
let service: Service;
let owner: pg.Client;
const children = new Set<ChildProcess>();
beforeAll(async () => {
  service = await startService();
  owner = new pg.Client({ connectionString: service.deps.env.DATABASE_MIGRATION_URL });
  await owner.connect();
});
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await killWorkerProcesses();
  await owner.end();
  await service.stop();
});

/** Sound rows, among them repeated addresses, rows without names, companies, opt-outs and rows that are rejected. */
function makeFile(): Buffer {
  const lines = Array.from({ length: ROWS }, (_, n) => {
    const email = n % 50 === 49 ? `person${n - 37}@example.com` : n % 211 === 0 ? 'nobody' : `person${n}@example.com`;
    return `${n % 97 === 0 ? '' : `First${n}`},Last${n % 1009},${email},${n % 10 === 0 ? `Company ${n % 300}` : ''},${n % 400 === 1 ? 'unsubscribed' : ''}`;
  });
  return Buffer.from(`firstName,lastName,email,company,status\n${lines.join('\n')}\n`);
}

async function makeImport(tenantId: string, file: Buffer): Promise<number> {
  const em = tenantEm(service.deps.orm, tenantId);
  const request = { mode: 'upsert', runTriggers: false, dryRun: false } as const;
  const inspection = await inspectImport(
    em,
    tenantId,
    { bytes: file.subarray(0, HEAD_BYTES), complete: false },
    request,
  );
  await putFile(
    service.deps.nats,
    tenantId,
    (async function* () {
      yield file;
    })(),
  );
  return (
    await createImport(em, asService(tenantId), { fileName: 'kill.csv', objectKey: tenantId }, request, inspection)
  ).id;
}

/** Runs an import in a process of its own; resolves when that is in the middle. */
async function startRunner(
  tenantId: string,
  importId: number,
): Promise<{ child: ChildProcess; exited: Promise<unknown[]> }> {
  const child = fork(resolve('test/support/import-runner.ts'), [tenantId, String(importId)], {
    env: childEnv(service),
    stdio: 'ignore',
  });
  children.add(child);
  const exited = once(child, 'exit').finally(() => children.delete(child));
  await once(child, 'message');
  return { child, exited };
}

/** All that an import has left behind in a tenant, ids and times apart. */
async function outcome(tenantId: string): Promise<unknown[]> {
  return engineEm(service.deps.orm).transactional(async (tx) => [
    await rows(
      tx,
      sql`
      select count(*) as n, md5(string_agg(concat_ws('|', c.email_key, c.first_name, c.last_name, k.name, c.status, c.version), ',' order by c.email_key)) as sum
      from contacts c left join companies k on k.tenant_id = c.tenant_id and k.id = c.company_id where c.tenant_id = ${tenantId}`,
    ),
    await rows(
      tx,
      sql`
      select o.type, count(*) as n, count(distinct v -> 'id') as ids, md5(string_agg(c.email_key, ',' order by c.email_key)) as sum
      from outbox_events o cross join jsonb_array_elements(o.events) v left join contacts c on c.tenant_id = o.tenant_id and c.id = (v -> 'data' ->> 'contactId')::bigint
      where o.tenant_id = ${tenantId} group by 1 order by 1`,
    ),
    await rows(
      tx,
      sql`select count(*) as n, md5(string_agg(concat(row, errors, cells), ',' order by row)) as sum from contact_import_rejects where tenant_id = ${tenantId}`,
    ),
    await rows(
      tx,
      sql`select count(*) as n, md5(string_agg(email_key, ',' order by email_key)) as sum from suppressions where tenant_id = ${tenantId}`,
    ),
    await rows(
      tx,
      sql`select total_rows, processed_rows, created, updated, unchanged, duplicates, rejected from contact_imports where tenant_id = ${tenantId}`,
    ),
    await rows(tx, sql`select count(*) as n from companies where tenant_id = ${tenantId}`),
  ]);
}

test('an import that is killed and cut off from Postgres twelve times leaves what an undisturbed one leaves', async () => {
  const file = makeFile();
  const calm = await startRunner('calm', await makeImport('calm', file));
  assert.deepEqual(await calm.exited, [0, null]);
  const importId = await makeImport('killed', file);
  const random = seededRandom(SEED);
  let cuts = 0;
  for (let kill = 1; kill <= 12; kill += 1) {
    const { child, exited } = await startRunner('killed', importId);
    const over = await Promise.race([exited.then(() => true), sleep(random() * 1_500, false)]);
    if (over) break;
    if (kill % 4 === 0) {
      // As when Postgres goes away: the connection of the chunk is gone in the middle of a statement.
      cuts += await until(
        'a transaction is cut off',
        async () => {
          const { rowCount } = await owner.query(
            `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'perennial' and xact_start is not null`,
          );
          return child.exitCode === null ? rowCount : -1;
        },
        60_000,
      );
      await exited;
    } else {
      child.kill('SIGKILL');
      await exited;
    }
  }
  const last = await startRunner('killed', importId);
  assert.deepEqual(await last.exited, [0, null]);
  console.log(`cut off in ${cuts} transactions`);
  const [contacts] = (await outcome('calm')) as [{ n: number }[]];
  assert.ok(contacts[0]!.n > 0.9 * ROWS);
  assert.deepEqual(await outcome('killed'), await outcome('calm'));
}, 600_000);

test('a worker that is killed in the middle is followed by another', async () => {
  let importId = 0;
  const job = async () => (await service.api('GET', `/contacts/imports/${importId}`)).body;
  // Somebody else is about to make one of its people: it waits for them, and so is in the middle until it is killed.
  const row = "('default', '', '', 'person20000@example.com', 'person20000@example.com')";
  const stopped = await holding(
    service,
    `insert into contacts (tenant_id, first_name, last_name, email, email_key) values ${row}`,
    async () => {
      const first = startWorkerProcess(service, ['temporal', 'relay']);
      const form = new FormData();
      form.set('file', new Blob([Uint8Array.from(makeFile())]), 'people.csv');
      const { status, body } = await service.api('POST', '/contacts/import', form);
      assert.equal(status, 202);
      importId = body.id;
      await until('some chunk is done', async () => (await job()).processedRows > 0, 120_000);
      await first.end('SIGKILL');
      return job();
    },
  );
  await missHeartbeats(service, workflowId('contactImport', { tenantId: 'default', importId }), 15);
  const second = startWorkerProcess(service, ['temporal', 'relay']);
  await until('the import is over', async () => (await job()).status === 'COMPLETED', 240_000);
  await second.end('SIGKILL');
  assert.ok(stopped.processedRows < ROWS, 'it was killed in the middle');
  const { created, rejected, duplicates, processedRows } = await job();
  const [calm] = (await outcome('calm'))[4] as { created: number; rejected: number; duplicates: number }[];
  assert.deepEqual(
    [created, rejected, duplicates, processedRows],
    [calm!.created, calm!.rejected, calm!.duplicates, ROWS],
  );
});

/** A file of two rows; with blank lines between them it is too large to be kept in memory. */
const twoRows = (blankLines: number) =>
  Buffer.from(
    `firstName,lastName,email\nA,One,a@example.com\n${`${' '.repeat(60_000)}\n`.repeat(blankLines)}B,Two,b@example.com\n`,
  );

for (const { size, blankLines, opens } of [
  { size: 'small', blankLines: 0, opens: 2 },
  { size: 'large', blankLines: 150, opens: 3 },
]) {
  test(`an attempt whose chunk another one does meanwhile goes on behind it: ${size} file`, async () => {
    const file = twoRows(blankLines);
    const tenantId = `overtaken-${size}`;
    const importId = await makeImport(tenantId, file);
    const em = tenantEm(service.deps.orm, tenantId);
    /** Waits until the first attempt waits for a lock, in a statement like this. */
    const blocked = (statement: string) =>
      until(
        `it waits in ${statement}`,
        async () =>
          (
            await owner.query(
              `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query ~ $1`,
              [statement],
            )
          ).rowCount,
      );
    /** Stops the first attempt when it has read the file, and in the chunk; writes that chunk down meanwhile. */
    const overtake = async (keysLocked: () => void): Promise<void> => {
      const keys = new pg.Client({ connectionString: service.deps.env.DATABASE_MIGRATION_URL });
      await keys.connect();
      await keys.query('begin');
      await keys.query('lock table contact_import_keys in access exclusive mode');
      keysLocked();
      await blocked('from contact_import_keys');
      await em.transactional(async (tx) => {
        await rows(tx, sql`select 1 from contact_imports where id = ${importId} for update`);
        await keys.query('commit');
        await blocked('from contact_imports where id');
        await rows(
          tx,
          sql`
          insert into contact_import_chunks (tenant_id, import_id, chunk, end_offset, last_row)
          values (${tenantId}, ${importId}, 0, ${file.indexOf('B,Two')}, ${blankLines + 2})`,
        );
      });
      await keys.end();
    };
    let opened = 0;
    let other: Promise<void> | undefined;
    await runImport({
      orm: service.deps.orm,
      tenantId,
      importId,
      progress() {},
      open: (_key, offset) => ({
        inputOffset: offset,
        content: (async function* () {
          opened += 1;
          yield file.subarray(offset);
          if (opened > 1) return;
          const { promise, resolve } = Promise.withResolvers<void>();
          other = overtake(resolve);
          await promise;
        })(),
      }),
    });
    await other;
    assert.equal(opened, opens);
    const [job] = await em.transactional((tx) =>
      rows<object>(tx, sql`select processed_rows, created from contact_imports where id = ${importId}`),
    );
    assert.deepEqual(job, { processed_rows: 1, created: 1 });
  });
}
