/**
 * `npm run bench:http -- --pairs 3 --seconds 5`: reads of the API beside bare Koa with one prepared select; a list's page 10,000
 * beside its first; the answer times at half of the peak rate; and what is left of the peak when three times as much is asked for.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import autocannon from 'autocannon';
import pg from 'pg';
import { freePorts } from '../dev/ports.ts';
import { startService, type Service } from '../test/support/service.ts';
import { until } from '../test/support/until.ts';
import { median, onStack, printPairs } from './stack.ts';

const { values } = parseArgs({ options: { pairs: { type: 'string', default: '3' }, seconds: { type: 'string', default: '5' } } });
const seconds = Number(values.seconds);
const CONNECTIONS = 32;
const CONTACTS = 510_000;
const PAGE = 50;

/** Starts a server of its own process and waits until it answers at all. */
async function startServer(file: string, port: number, env: Record<string, string>): Promise<ChildProcess> {
  const child = spawn(process.execPath, [fileURLToPath(new URL(file, import.meta.url))], { env: { ...process.env, ...env, PORT: String(port) }, stdio: ['ignore', 'ignore', 'inherit'] });
  await until(`${file} answers`, () => fetch(`http://127.0.0.1:${port}/`).then(() => true, () => false), 60_000);
  return child;
}

async function stopServer(child: ChildProcess): Promise<void> {
  child.kill('SIGTERM');
  if (child.exitCode === null) await once(child, 'exit');
}

interface Load {
  paths: string[];
  rate?: number;
  connections?: number;
}

/** Sends reads for the bench's seconds: as fast as they are answered, or at a rate. */
async function load(port: number, token: string, { paths, rate, connections = CONNECTIONS }: Load): Promise<autocannon.Result> {
  return autocannon({
    url: `http://127.0.0.1:${port}`, connections, duration: seconds, ...(rate ? { overallRate: rate } : {}),
    requests: paths.map((path) => ({ method: 'GET' as const, path, headers: { authorization: `Bearer ${token}` } })),
  });
}

async function peak(port: number, token: string, paths: string[]): Promise<number> {
  const result = await load(port, token, { paths });
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${result.non2xx} answers were no 2xx, ${result.errors} errors`);
  return result['2xx'] / result.duration;
}

/** The value below which a share of the sorted values are. */
const at = (sorted: number[], share: number): string => (sorted[Math.floor((sorted.length - 1) * share)] ?? NaN).toFixed(1);

/** Asks for `rate` reads a second over many connections; answers good answers a second, and how long each refusal took (ms). */
async function overload(port: number, token: string, paths: string[], rate: number): Promise<{ goodput: number; refused: number[] }> {
  const refused: number[] = [];
  // Its types leave out that the promise is the instance too.
  const run = autocannon({
    url: `http://127.0.0.1:${port}`, connections: 400, duration: seconds, overallRate: Math.round(rate),
    requests: paths.map((path) => ({ method: 'GET' as const, path, headers: { authorization: `Bearer ${token}` } })),
  }) as Promise<autocannon.Result> & autocannon.Instance;
  void run.on('response', (_client, status, _bytes, ms) => {
    if (status === 503) refused.push(ms);
  });
  const result = await run;
  if (result.errors > 0 || result.non2xx !== refused.length) throw new Error(`${result.errors} errors, ${result.non2xx - refused.length} answers neither 2xx nor 503`);
  return { goodput: result['2xx'] / result.duration, refused };
}

async function fill(service: Service): Promise<number[]> {
  const client = new pg.Client({ connectionString: service.deps.env.DATABASE_MIGRATION_URL });
  await client.connect();
  await client.query(`
    insert into contacts (tenant_id, first_name, last_name, email, email_key, job_title)
    select 'default', 'Given' || n, 'Family', 'bench' || n || '@example.com', 'bench' || n || '@example.com', 'Engineer' from generate_series(1, ${CONTACTS}) n`);
  await client.query('vacuum analyze contacts');
  const { rows } = await client.query<{ id: string }>(`select id from contacts where id % ${Math.floor(CONTACTS / 200)} = 1 order by id`);
  await client.end();
  return rows.map((row) => Number(row.id));
}

/** The path of a list's first page, and of its 10,000th by its cursor. */
async function listPaths(service: Service): Promise<[string, string]> {
  const first = `/api/v1/contacts?limit=${PAGE}`;
  // A cursor is opaque: it comes from a walk, in large pages.
  let cursor: string | null = null;
  for (let seen = 0; seen < 10_000 * PAGE; seen += 200) {
    const page: { body: { page: { nextCursor: string | null } } } = await service.api('GET', `/contacts?limit=200${cursor ? `&cursor=${cursor}` : ''}`);
    cursor = page.body.page.nextCursor;
  }
  return [first, `${first}&cursor=${cursor}`];
}

await onStack(2, async () => {
  const service = await startService({ env: { ENABLE_RATE_LIMITING: 'false' } });
  const ids = await fill(service);
  const [apiPort, barePort] = await freePorts(2);
  const env = { ...service.slot.env, SMTP_URL: service.sink.url, LOG_LEVEL: 'info', RATE_LIMIT_PER_MINUTE: '100000000', RATE_LIMIT_BURST: '100000000' };
  const api = await startServer('../api/server.ts', apiPort!, env);
  const bare = await startServer('./bare-koa.ts', barePort!, env);
  const { token } = service.admin;
  const contacts = ids.map((id) => `/api/v1/contacts/${id}`);
  await Promise.all([peak(apiPort!, token, contacts), peak(barePort!, token, contacts)]);

  const pairs: [number, number][] = [];
  for (let pair = 0; pair < Number(values.pairs); pair += 1) {
    const reference = await peak(barePort!, token, contacts);
    pairs.push([await peak(apiPort!, token, contacts), reference]);
  }
  console.log('GET /contacts/{id}, authenticated, beside bare Koa with one prepared select of the row');
  printPairs('/s', 'api', 'bare', pairs);
  await stopServer(bare);

  const [first, far] = await listPaths(service);
  const pages: [number, number][] = [];
  for (let pair = 0; pair < Number(values.pairs); pair += 1) {
    const reference = await peak(apiPort!, token, [first]);
    pages.push([reference, await peak(apiPort!, token, [far])]);
  }
  console.log('time of page 10,000 of a list beside its first page');
  printPairs('/s', 'page 1', 'page 10,000', pages);

  const most = median(pairs.map(([ours]) => ours));
  const half = await load(apiPort!, token, { paths: contacts, rate: Math.round(most / 2) });
  console.log(`at half of the peak (${Math.round(most / 2)} /s): p50 ${half.latency.p50} ms, p97.5 ${half.latency.p97_5} ms, p99 ${half.latency.p99} ms`);

  const overloads: [number, number][] = [];
  const refusals: number[] = [];
  for (let pair = 0; pair < Number(values.pairs); pair += 1) {
    const reference = await peak(apiPort!, token, contacts);
    const { goodput, refused } = await overload(apiPort!, token, contacts, 3 * reference);
    overloads.push([goodput, reference]);
    refusals.push(...refused);
  }
  console.log('answers when three times the peak is asked for, beside the peak');
  printPairs('/s', 'goodput', 'peak', overloads);
  refusals.sort((a, b) => a - b);
  console.log(`  ${refusals.length} refusals, each 503: p50 ${at(refusals, 0.5)} ms, p99 ${at(refusals, 0.99)} ms`);
  await stopServer(api);
  await service.stop();
});
