import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { takesIdempotencyKey } from '../../api/middleware/idempotency.ts';
import type { RouteSpec } from '../../api/guard.ts';
import { routes } from '../../api/routes.ts';
import { startApiProcess, type ApiProcess } from '../support/api-process.ts';
import { commitLine, type CommitLine } from '../support/commit-line.ts';
import { keyedRequests, type KeyedRequest } from '../support/keyed-requests.ts';
import { startService, type Answer, type Service } from '../support/service.ts';
import type { Api } from '../support/call-api.ts';

const keyed = routes.filter(takesIdempotencyKey);
/** They read, or are refused: nothing changes but that their answer is kept. */
const CHANGES_NOTHING = new Set(['previewSegment', 'previewTemplate', 'rebuildSegment', 'rebuildList', 'verifySender']);

let service: Service;
let owner: pg.Client;
let line: CommitLine;
let requests: Record<string, () => Promise<KeyedRequest>>;
/** The next process to be killed: it starts while the one before it is at work. */
let next: Promise<ApiProcess>;

/** A process whose way to Postgres is the line. */
const onLine = (): Promise<ApiProcess> => {
  const url = new URL(service.deps.env.DATABASE_URL);
  url.port = String(line.port);
  return startApiProcess(service, { DATABASE_URL: url.href });
};
before(async () => {
  // No worker: what the requests have done is all that changes.
  service = await startService();
  owner = new pg.Client({ connectionString: service.slot.env['DATABASE_MIGRATION_URL']! });
  await owner.connect();
  const { hostname, port } = new URL(service.deps.env.DATABASE_URL);
  line = await commitLine(hostname, Number(port));
  requests = keyedRequests(service, owner);
  next = onLine();
});
after(async () => {
  await (await next).end('SIGKILL');
  await line.close();
  await owner.end();
  await service.stop();
});

/** Every row of the database, by a hash of each table. */
async function contents(): Promise<Record<string, string>> {
  const { rows: tables } = await owner.query<{ name: string }>(`
    select format('%I', relname) as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition`);
  const hashes = tables.map(({ name }) => `select '${name}' as name, md5(coalesce(string_agg(t::text, e'\\n' order by t::text), '')) as hash from ${name} t`);
  const { rows } = await owner.query<{ name: string; hash: string }>(hashes.join(' union all '));
  return Object.fromEntries(rows.map(({ name, hash }) => [name, hash]));
}

const changed = (before: Record<string, string>, now: Record<string, string>): string[] => Object.keys(now).filter((table) => now[table] !== before[table]);
const post = (api: Api, { path, body }: KeyedRequest, key: string): Promise<Answer> => api('POST', path, body ?? {}, { headers: { 'idempotency-key': key } });
const replayed = (answer: Answer): boolean => answer.headers.get('idempotency-replayed') === 'true';
const seen = ({ status, body, headers }: Answer) => [status, body, headers.get('location'), headers.get('etag')];

/** Posts to a process that is killed once Postgres has committed the answer, before the process hears of it. */
async function killedAfterCommit(request: KeyedRequest, key: string): Promise<void> {
  const doomed = await next;
  const killed = new Promise<void>((resolve) => {
    line.fault = { lose: 'reply', onCommitted: () => { process.kill(doomed.pid, 'SIGKILL'); resolve(); } };
  });
  next = onLine();
  await assert.rejects(post(doomed.api, request, key), 'nobody was answered');
  await killed;
  await doomed.end('SIGKILL');
}

test('every operation that takes a key is tried here', () => {
  assert.deepEqual(Object.keys(requests).sort(), keyed.map(({ operationId }) => operationId).sort());
});

for (const { operationId } of keyed) {
  test(`${operationId}: killed between commit and answer, a retry gets the first answer and does nothing`, async () => {
    const request = await requests[operationId]!();
    const before = await contents();
    await killedAfterCommit(request, operationId);
    const done = await contents();
    assert.ok(changed(before, done).includes('idempotent_answers'), 'the answer is kept');
    assert.equal(changed(before, done).length > 1, !CHANGES_NOTHING.has(operationId), `changed: ${changed(before, done).join()}`);

    const retry = await post(service.api, request, operationId);
    assert.equal(replayed(retry), true);
    assert.equal(retry.status < 300, operationId !== 'verifySender', JSON.stringify(retry.body));
    assert.deepEqual(changed(done, await contents()), []);
    assert.deepEqual(seen(await post(service.api, request, operationId)), seen(retry));
  });
}

test('a connection that breaks at the commit: nothing was done, and a retry does it once', async (t) => {
  const alive = await next;
  for (const { operationId, repeatable } of keyed as RouteSpec[]) {
    await t.test(operationId, async () => {
      const request = await requests[operationId]!();
      const before = await contents();
      line.fault = { lose: 'commit' };
      const failed = await post(alive.api, request, `lost ${operationId}`);
      assert.deepEqual([failed.status, failed.body.code, failed.headers.get('location')], [503, 'unavailable', null]);
      assert.equal(line.fault, null, 'the connection was broken');
      if (!repeatable) assert.deepEqual(changed(before, await contents()), []);
      const retry = await post(alive.api, request, `lost ${operationId}`);
      assert.deepEqual([replayed(retry), retry.status < 300], [false, operationId !== 'verifySender'], JSON.stringify(retry.body));
      const done = await contents();
      const again = await post(alive.api, request, `lost ${operationId}`);
      assert.deepEqual([seen(again), replayed(again)], [seen(retry), true]);
      assert.deepEqual(changed(done, await contents()), []);
    });
  }
});
