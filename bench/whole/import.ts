import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { from as copyFrom } from 'pg-copy-streams';
import { until } from '../../test/support/until.ts';
import { makeFile } from '../support/contacts-file.ts';
import { measureWork, printRates, type Rates } from './measure.ts';
import { withProbe } from './probe.ts';
import { onStarted, type Started } from './started.ts';

/** Imports a file whose rows are all new into a list. Resolves when the import is COMPLETED. */
export async function importFile({ client }: Started, file: Buffer, rows: number, listId: number): Promise<void> {
  const form = new FormData();
  form.set('listId', String(listId));
  form.set('file', new Blob([Uint8Array.from(file)]), 'bench.csv');
  const { id } = await client.call('POST', '/contacts/import', form);
  const job = await until(
    'the import is over',
    async () => {
      // Answering polls is work that would be measured too.
      await delay(200);
      const found = await client.call('GET', `/contacts/imports/${id}`);
      return found.finishedAt ? found : false;
    },
    3_600_000,
  );
  if (job.status !== 'COMPLETED' || job.created !== rows) throw new Error(JSON.stringify(job));
}

/** Rows per second of COPY into a table with a serial key, a unique address and an index by creation. */
async function copyRate({ database }: Started, file: Buffer, rows: number): Promise<number> {
  await database.query(`
    drop table if exists copied;
    create table copied (id bigserial primary key, first_name text, last_name text, email text unique, phone text, job_title text, created_at timestamptz not null default now());
    create index on copied (created_at, id)`);
  const begun = performance.now();
  await pipeline(
    Readable.from([file]),
    database.query(
      copyFrom('copy copied (first_name, last_name, email, phone, job_title) from stdin with (format csv, header)'),
    ),
  );
  return (rows * 1000) / (performance.now() - begun);
}

/** Imports of `rows` rows into a list; with `probe`, one, and only the API's response times meanwhile. */
export function benchImport(rows: number, pairs: number, probe: boolean): Promise<void> {
  return onStarted({}, async (started) => {
    const list = await started.client.call('POST', '/contacts/lists', { name: 'Bench' });
    await importFile(started, makeFile('first', 1000), 1000, list.id as number);
    if (probe)
      return withProbe(started, async () => {
        await importFile(started, makeFile('probe', rows), rows, list.id as number);
        await started.untilCaughtUp();
      });
    const measured: { ours: Rates; reference: number }[] = [];
    for (let pair = 0; pair < pairs; pair += 1) {
      const file = makeFile(String(pair), rows);
      const reference = await copyRate(started, file, rows);
      const work = () => importFile(started, file, rows, list.id as number);
      measured.push({ reference, ours: await measureWork(started, 'row', rows, work) });
    }
    console.log(`imports of ${rows} rows into a list, beside COPY`);
    printRates('rows', 'COPY', measured);
  });
}
