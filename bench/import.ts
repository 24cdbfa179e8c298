/** `npm run bench:import -- --rows 100000 --pairs 3`: rows a second of an import beside `COPY` of the same file into the same table. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { startService, type Service } from '../test/support/service.ts';
import { until } from '../test/support/until.ts';
import { onStack, printPairs } from './stack.ts';

const { values } = parseArgs({ options: { rows: { type: 'string', default: '100000' }, pairs: { type: 'string', default: '3' } } });
const rows = Number(values.rows);

function makeFile(pair: number): Buffer {
  const lines = Array.from({ length: rows }, (_, n) => `Given${n % 997},Family${n % 1009},person.${pair}.${n}@example.com,+1 555 01${String(n % 100).padStart(2, '0')},Engineer`);
  return Buffer.from(`firstName,lastName,email,phone,jobTitle\n${lines.join('\n')}\n`);
}

/** COPY as the owner into a table with the columns, constraints and indexes of `contacts`. */
async function copyRate(client: pg.Client, file: Buffer): Promise<number> {
  await client.query('truncate copied');
  const begin = performance.now();
  await pipeline(Readable.from([file]), client.query(copyFrom('copy copied (first_name, last_name, email, phone, job_title) from stdin with (format csv, header)')));
  return rows / ((performance.now() - begin) / 1000);
}

async function importRate(service: Service, file: Buffer): Promise<number> {
  const form = new FormData();
  form.set('file', new Blob([Uint8Array.from(file)]), 'bench.csv');
  const begin = performance.now();
  const { status, body } = await service.api('POST', '/contacts/import', form);
  if (status !== 202) throw new Error(JSON.stringify(body));
  const job = await until('the import is over', async () => {
    const answer = await service.api('GET', `/contacts/imports/${body.id}`);
    return answer.body.finishedAt && answer.body;
  }, 600_000);
  if (job.created !== rows) throw new Error(`imported ${JSON.stringify(job)}`);
  return rows / ((performance.now() - begin) / 1000);
}

await onStack(2, async () => {
  const service = await startService({ worker: ['temporal', 'relay'] });
  const client = new pg.Client({ connectionString: service.deps.env.DATABASE_MIGRATION_URL });
  await client.connect();
  await client.query(`
    create table copied (like contacts including all);
    alter table copied drop column email_key, alter column tenant_id set default 'default';
    alter table copied add column email_key varchar(320) generated always as (lower(email)) stored;
    create unique index on copied (tenant_id, email_key)`);
  const pairs: [number, number][] = [];
  for (let pair = 0; pair < Number(values.pairs); pair += 1) {
    const file = makeFile(pair);
    const reference = await copyRate(client, file);
    pairs.push([await importRate(service, file), reference]);
  }
  console.log(`import of ${rows} rows, events on, beside COPY into a table with the same indexes`);
  printPairs('rows/s', 'import', 'copy', pairs);
  await client.end();
  await service.stop();
});
