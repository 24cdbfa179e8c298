/**
 * `npm run bench:http -- --pairs 3 --seconds 5`: reads of the API compared to bare Koa with one prepared select; a
 * list's page 10,000 compared to its first; response times at half the peak rate; and the share of the peak that
 * remains when three times as much is requested.
 */
import { parseArgs } from 'node:util';
import pg from 'pg';
import { freePorts } from '../dev/stack/ports.ts';
import { startService, type Service } from '../test/support/service.ts';
import { at, sendLoad } from './support/load.ts';
import { startServer, stopServer } from './support/server.ts';
import { median, onStack, printPairs } from './support/stack.ts';

const { values } = parseArgs({
  options: { pairs: { type: 'string', default: '3' }, seconds: { type: 'string', default: '5' } },
});
const seconds = Number(values.seconds);
const CONTACTS = 510_000;
const PAGE = 50;

async function peak(port: number, token: string, paths: string[]): Promise<number> {
  const { times, seconds: took } = await sendLoad({ port, token, paths, seconds, connections: 32 });
  assertOnly(times, [200]);
  return times.get(200)!.length / took;
}

/**
 * Requests three times `rate` over many connections, as far as a machine that also generates the load can; returns the
 * requested and the successfully answered rate per second, and the time of each refusal (ms).
 */
async function overload(
  port: number,
  token: string,
  paths: string[],
  rate: number,
): Promise<{ asked: number; goodput: number; refusals: number[] }> {
  const { times, seconds: took } = await sendLoad({ port, token, paths, seconds, connections: 600, rate: 3 * rate });
  assertOnly(times, [200, 503]);
  const [good, refusals] = [times.get(200)!, times.get(503) ?? []];
  return { asked: (good.length + refusals.length) / took, goodput: good.length / took, refusals };
}

function assertOnly(times: ReadonlyMap<number, unknown>, statuses: readonly number[]): void {
  const others = [...times.keys()].filter((status) => !statuses.includes(status));
  if (others.length > 0) throw new Error(`answers with status ${others.join(', ')}`);
}

async function fill(service: Service): Promise<number[]> {
  const client = new pg.Client({ connectionString: service.deps.env.DATABASE_MIGRATION_URL });
  await client.connect();
  await client.query(`
    insert into contacts (tenant_id, first_name, last_name, email, email_key, job_title)
    select 'default', 'Given' || n, 'Family', 'bench' || n || '@example.com', 'bench' || n || '@example.com', 'Engineer' from generate_series(1, ${CONTACTS}) n`);
  await client.query('vacuum analyze contacts');
  const { rows } = await client.query<{ id: string }>(
    `select id from contacts where id % ${Math.floor(CONTACTS / 200)} = 1 order by id`,
  );
  await client.end();
  return rows.map((row) => Number(row.id));
}

/** The paths of a list's first page and of its 10,000th, by cursor. */
async function listPaths(service: Service): Promise<[string, string]> {
  const first = `/api/v1/contacts?limit=${PAGE}`;
  // Cursors are opaque, so get it by paging through the list in large pages.
  let cursor: string | null = null;
  for (let seen = 0; seen < 10_000 * PAGE; seen += 200) {
    const page: { body: { page: { nextCursor: string | null } } } = await service.api(
      'GET',
      `/contacts?limit=200${cursor ? `&cursor=${cursor}` : ''}`,
    );
    cursor = page.body.page.nextCursor;
  }
  return [first, `${first}&cursor=${cursor}`];
}

await onStack(2, async () => {
  const service = await startService({ env: { ENABLE_RATE_LIMITING: 'false' } });
  const ids = await fill(service);
  const [apiPort, barePort] = await freePorts(2);
  const env = {
    ...service.slot.env,
    SMTP_URL: service.sink.url,
    LOG_LEVEL: 'info',
    RATE_LIMIT_PER_MINUTE: '100000000',
    RATE_LIMIT_BURST: '100000000',
  };
  const api = await startServer('api/server.ts', apiPort!, env);
  const bare = await startServer('bench/references/bare-koa.ts', barePort!, env);
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
  const half = (
    await sendLoad({ port: apiPort!, token, paths: contacts, seconds, connections: 200, rate: most / 2 })
  ).times.get(200)!;
  console.log(
    `at half of the peak (${Math.round(most / 2)} /s): p50 ${at(half, 0.5).toFixed(1)} ms, p95 ${at(half, 0.95).toFixed(1)} ms, p99 ${at(half, 0.99).toFixed(1)} ms`,
  );

  const overloads: [number, number][] = [];
  const refusals: number[] = [];
  const asked: number[] = [];
  for (let pair = 0; pair < Number(values.pairs); pair += 1) {
    const reference = await peak(apiPort!, token, contacts);
    const outcome = await overload(apiPort!, token, contacts, reference);
    overloads.push([outcome.goodput, reference]);
    asked.push(outcome.asked / reference);
    refusals.push(...outcome.refusals);
  }
  console.log(
    `good answers when three times the peak is asked for (${asked.map((times) => times.toFixed(1)).join(', ')} times it came), beside the peak`,
  );
  printPairs('/s', 'goodput', 'peak', overloads);
  refusals.sort((a, b) => a - b);
  console.log(
    `  ${refusals.length} refusals, each 503: p50 ${at(refusals, 0.5).toFixed(1)} ms, p99 ${at(refusals, 0.99).toFixed(1)} ms`,
  );
  await stopServer(api);
  await service.stop();
});
