/**
 * `npm run bench:export -- --contacts 1000000 --rows-xlsx 200000`: exports of all contacts in each format, written to a
 * file and counted by Python. Compares the time to the first byte to that of a single contact, and shows the API's
 * memory after each export.
 */
import { execFile } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { parseArgs, promisify } from 'node:util';
import pg from 'pg';
import { startApiProcess } from '../test/support/api-process.ts';
import { startService } from '../test/support/service.ts';
import { memoryOf } from './support/processes.ts';
import { median, onStack } from './support/stack.ts';

const { values } = parseArgs({
  options: { contacts: { type: 'string', default: '1000000' }, 'rows-xlsx': { type: 'string', default: '200000' } },
});
const CONTACTS = Number(values.contacts);

/** Each prints the number of contacts in a file. */
const COUNT = {
  csv: 'import csv,sys; print(sum(1 for _ in csv.DictReader(open(sys.argv[1], encoding="utf-8-sig", newline=""))))',
  ndjson: 'import json,sys; print(sum(1 for line in open(sys.argv[1]) if json.loads(line)["email"]))',
  json: 'import json,sys; print(len(json.load(open(sys.argv[1]))))',
  xlsx: 'import re,sys,zipfile; print(sum(len(re.findall(b"<row>", zipfile.ZipFile(sys.argv[1]).read(name))) for name in zipfile.ZipFile(sys.argv[1]).namelist() if "worksheets/" in name) - 1)',
};

await onStack(1, async () => {
  const service = await startService();
  const api = await startApiProcess(service);
  const owner = new pg.Client({ connectionString: service.deps.env.DATABASE_MIGRATION_URL });
  const dir = await mkdtemp(join(tmpdir(), 'perennial-export-'));
  await owner.connect();
  const get = (path: string): Promise<Response> =>
    fetch(`${api.url}/api/v1${path}`, { headers: { authorization: `Bearer ${service.admin.token}` } });
  try {
    const fill = (from: number, to: number) =>
      owner.query(
        `
      insert into contacts (tenant_id, first_name, last_name, email, email_key, tags, custom_fields, job_title)
      select 'default', 'Given' || n, 'Family, "' || n, 'person' || n || '@example.com', 'person' || n || '@example.com', array['a', 'b'], '{"plan": "pro"}', 'Poet'
      from generate_series($1::int, $2::int) n`,
        [from, to],
      );
    const few = Math.min(Number(values['rows-xlsx']), CONTACTS);
    const exported = async (format: keyof typeof COUNT, contacts: number): Promise<void> => {
      const before = await memoryOf(api);
      const file = join(dir, `contacts.${format}`);
      const begin = performance.now();
      const answer = await get(`/contacts/export?format=${format}`);
      if (answer.status !== 200) throw new Error(await answer.text());
      let first = 0;
      const body = Readable.fromWeb(answer.body as ReadableStream);
      body.once('data', () => {
        first = performance.now() - begin;
      });
      await pipeline(body, createWriteStream(file));
      const seconds = (performance.now() - begin) / 1000;
      const { stdout } = await promisify(execFile)('python3', ['-c', COUNT[format], file]);
      if (Number(stdout) !== contacts) throw new Error(`${format}: ${stdout.trim()} contacts, not ${contacts}`);
      const after = await memoryOf(api);
      console.log(
        `  ${format} of ${contacts}: first byte after ${first.toFixed(0)} ms, ${(contacts / seconds).toFixed(0)} contacts/s; memory of the API ${before.now} MB before, at most ${after.most} MB`,
      );
    };
    await fill(1, few);
    await owner.query('vacuum analyze contacts');
    const {
      data: [{ id }],
    } = (await (await get('/contacts?limit=1')).json()) as { data: [{ id: number }] };
    const single: number[] = [];
    for (let n = 0; n < 101; n += 1) {
      const begin = performance.now();
      await (await get(`/contacts/${id}`)).arrayBuffer();
      single.push(performance.now() - begin);
    }
    console.log(`exports; one contact is answered in ${median(single).toFixed(1)} ms`);
    for (const format of Object.keys(COUNT) as (keyof typeof COUNT)[]) await exported(format, few);
    await fill(few + 1, CONTACTS);
    await owner.query('vacuum analyze contacts');
    for (const format of ['csv', 'ndjson', 'json'] as const) await exported(format, CONTACTS);
  } finally {
    await owner.end();
    await api.end();
    await service.stop();
    await rm(dir, { recursive: true, force: true });
  }
});
