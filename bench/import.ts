/**
 * `npm run bench:import -- --rows 100000 --pairs 3 --grow 1000000`: rows per second of an import, and of a repeated
 * import of the same file, compared to `COPY` of the file into the same table. With `--grow`: imports of generated
 * files with dirt, of this size and of the larger one, each compared to an independent count (Python 3), with the API's
 * response times meanwhile, and the growth of the processes' memory from one size to the other.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { startApiProcess, type ApiProcess } from '../test/support/api-process.ts';
import { startService, type Service } from '../test/support/service.ts';
import { until } from '../test/support/until.ts';
import { makeFile } from './support/contacts-file.ts';
import { accountFor } from './support/import-account.ts';
import { memoryOf } from './support/processes.ts';
import { onStack, printPairs } from './support/stack.ts';

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '100000' },
    pairs: { type: 'string', default: '3' },
    grow: { type: 'string' },
    profile: { type: 'string' },
  },
});

/** The worker in its own process, as in production; with --profile it writes a CPU profile to that folder. */
function startWorker(service: Service): ChildProcess {
  const { PATH, HOME } = process.env;
  const profile = values.profile ? ['--cpu-prof', `--cpu-prof-dir=${values.profile}`] : [];
  return spawn(process.execPath, [...profile, resolve('worker/main.ts'), '--only', 'temporal,relay'], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { PATH, HOME, ...service.slot.env, SMTP_URL: service.sink.url, LOG_LEVEL: 'silent', PUBLIC_URL: service.url },
  });
}

/** COPY as the owner into a table with the columns, constraints and indexes of `contacts`. */
async function copySeconds(client: pg.Client, file: Buffer): Promise<number> {
  await client.query('truncate copied');
  const begin = performance.now();
  await pipeline(
    Readable.from([file]),
    client.query(
      copyFrom('copy copied (first_name, last_name, email, phone, job_title) from stdin with (format csv, header)'),
    ),
  );
  return (performance.now() - begin) / 1000;
}

/** The seconds from the upload to the end of the import; all its rows must be `how`. */
async function importSeconds(
  service: Service,
  file: Buffer,
  rows: number,
  how: 'created' | 'unchanged',
): Promise<number> {
  const form = new FormData();
  form.set('file', new Blob([Uint8Array.from(file)]), 'bench.csv');
  const begin = performance.now();
  const { status, body } = await service.api('POST', '/contacts/import', form);
  if (status !== 202) throw new Error(JSON.stringify(body));
  const job = await until(
    'the import is over',
    async () => {
      const answer = await service.api('GET', `/contacts/imports/${body.id}`);
      return answer.body.finishedAt && answer.body;
    },
    1_800_000,
  );
  if (job[how] !== rows) throw new Error(`imported ${JSON.stringify(job)}`);
  return (performance.now() - begin) / 1000;
}

/** A checksum that changes when any row of contacts is rewritten. */
async function versions(client: pg.Client): Promise<string> {
  return (
    await client.query<{ sum: string }>(
      'select sum(hashtextextended(ctid::text || xmin::text, 0)::numeric)::text as sum from contacts',
    )
  ).rows[0]!.sum;
}

const eventsLeft = async (client: pg.Client): Promise<boolean> =>
  (await client.query('select 1 from outbox_events limit 1')).rowCount !== 0;

/** Peak memory after an import of `rows`. */
async function memories(worker: ChildProcess, api: ApiProcess): Promise<Record<string, number>> {
  return { worker: (await memoryOf(worker)).most, api: (await memoryOf(api)).most };
}

/** Imports of two sizes, in fresh processes. */
async function grow(service: Service, client: pg.Client, from: number, to: number): Promise<void> {
  const worker = startWorker(service);
  const api = await startApiProcess(service);
  const empty = async (): Promise<void> => {
    await client.query('truncate contacts, companies cascade');
    // To be read, as pages and by id, before and during the import.
    await importSeconds(service, makeFile('some', 2000), 2000, 'created');
  };
  try {
    await empty();
    await accountFor(service, api, from, 1);
    await until('the events are out', async () => !(await eventsLeft(client)), 600_000);
    const before = await memories(worker, api);
    await empty();
    await accountFor(service, api, to, 2);
    await until('the events are out', async () => !(await eventsLeft(client)), 1_800_000);
    for (const [name, after] of Object.entries(await memories(worker, api))) {
      console.log(
        `memory of the ${name} at its peak: ${before[name]} MB with ${from} rows, ${after} MB with ${to}: ${after - before[name]!} MB more`,
      );
    }
  } finally {
    await stop(worker);
    await api.end();
  }
}

async function stop(worker: ChildProcess): Promise<void> {
  const exited = once(worker, 'exit');
  worker.kill('SIGTERM');
  await exited;
}

await onStack(2, async () => {
  const service = await startService();
  const worker = startWorker(service);
  const client = new pg.Client({ connectionString: service.deps.env.DATABASE_MIGRATION_URL });
  await client.connect();
  await client.query(`
    create table copied (like contacts including all);
    alter table copied drop column email_key, alter column tenant_id set default 'default';
    alter table copied add column email_key varchar(320) generated always as (lower(email)) stored;
    create unique index on copied (tenant_id, email_key)`);
  try {
    const rows = Number(values.rows);
    await importSeconds(service, makeFile('first', 1000), 1000, 'created');
    const fresh: [number, number][] = [];
    const again: [number, number][] = [];
    for (let pair = 0; pair < Number(values.pairs); pair += 1) {
      const file = makeFile(String(pair), rows);
      const reference = rows / (await copySeconds(client, file));
      const made = rows / (await importSeconds(service, file, rows, 'created'));
      fresh.push([made, reference]);
      await until('the events are out', async () => !(await eventsLeft(client)), 600_000);
      const before = await versions(client);
      again.push([rows / (await importSeconds(service, file, rows, 'unchanged')), made]);
      if ((await versions(client)) !== before) throw new Error('an import that changes nothing wrote rows anew');
    }
    if (fresh.length > 0) {
      console.log(`import of ${rows} rows, events on, beside COPY into a table with the same indexes`);
      printPairs('rows/s', 'import', 'copy', fresh);
      console.log('the same file again, which changes nothing, beside the first time');
      printPairs('rows/s', 'again', 'first', again);
    }
    await stop(worker);
    if (values.grow) await grow(service, client, rows, Number(values.grow));
  } finally {
    if (worker.exitCode === null) worker.kill('SIGKILL');
    await client.end();
    await service.stop();
  }
});
