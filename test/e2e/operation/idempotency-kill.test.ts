import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from '@jest/globals';
import pg from 'pg';
import { routes } from '../../../api/routes.ts';
import { startApiProcess, type ApiProcess } from '../../support/api-process.ts';
import { commitLine, type CommitLine } from '../../support/database/commit-line.ts';
import { keyedRequests, type KeyedRequest } from '../../support/keyed-requests.ts';
import { startService, type Answer, type Service } from '../../support/service.ts';
import type { Api } from '../../support/call-api.ts';
import { takesIdempotencyKey } from '../../../api/route/route.ts';

const keyed = routes.filter(takesIdempotencyKey);
/** They read, call somebody, or are refused: nothing changes but that their answer is kept. */
const CHANGES_NOTHING = new Set([
  'checkMessage',
  'previewChannelTemplate',
  'previewSegment',
  'previewTemplate',
  'rebuildSegment',
  'rebuildList',
  'rebuildSegmentOrList',
  'simulateCampaign',
  'testWebhook',
  'verifySender',
]);

let service: Service;
let owner: pg.Client;
let line: CommitLine;
let requests: Record<string, () => Promise<KeyedRequest>>;
/** The next process: it starts while the one before it works. */
let next: Promise<ApiProcess>;
/** So many requests of one process wait for the word of Postgres when it is killed. Each holds a database connection. */
const AT_ONCE = 23;

/** A process whose way to Postgres is the line. */
const onLine = (): Promise<ApiProcess> => {
  const url = new URL(service.deps.env.DATABASE_URL);
  url.port = String(line.port);
  return startApiProcess(service, { DATABASE_URL: url.href, DATABASE_POOL_MAX: String(AT_ONCE + 7) });
};
beforeAll(async () => {
  // No worker: what the requests have done is all that changes.
  service = await startService();
  owner = new pg.Client({ connectionString: service.slot.env['DATABASE_MIGRATION_URL']! });
  await owner.connect();
  const { hostname, port } = new URL(service.deps.env.DATABASE_URL);
  line = await commitLine(hostname, Number(port));
  requests = keyedRequests(service, owner);
  next = onLine();
});
afterAll(async () => {
  await (await next).end('SIGKILL');
  await line.close();
  await owner.end();
  await service.stop();
});

/** Every row of the database, by a hash of each table. */
async function contents(): Promise<Record<string, string>> {
  const { rows: tables } = await owner.query<{ name: string }>(`
    select format('%I', relname) as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
      -- Its counter moves by itself.
      and relname <> 'installation'`);
  const hashes = tables.map(
    ({ name }) =>
      `select '${name}' as name, md5(coalesce(string_agg(t::text, e'\\n' order by t::text), '')) as hash from ${name} t`,
  );
  const { rows } = await owner.query<{ name: string; hash: string }>(hashes.join(' union all '));
  return Object.fromEntries(rows.map(({ name, hash }) => [name, hash]));
}

const changed = (before: Record<string, string>, now: Record<string, string>): string[] =>
  Object.keys(now).filter((table) => now[table] !== before[table]);
const post = (api: Api, { path, body }: KeyedRequest, key: string): Promise<Answer> =>
  api('POST', path, body ?? {}, { headers: { 'idempotency-key': key } });
const replayed = (answer: Answer): boolean => answer.headers.get('idempotency-replayed') === 'true';
const seen = ({ status, body, headers }: Answer) => [status, body, headers.get('location'), headers.get('etag')];

/** Posts to a process that never hears of the commit: answers, once Postgres has committed, what the client will get. */
async function committedUnheard(
  { api }: ApiProcess,
  request: KeyedRequest,
  key: string,
): Promise<{ answer: Promise<unknown> }> {
  const committed = new Promise<void>((resolve) => {
    line.fault = { lose: 'reply', onCommitted: resolve };
  });
  const answer = post(api, request, key).catch((error: unknown) => error);
  await Promise.race([
    committed,
    answer.then((early) => assert.fail(`answered before the commit: ${JSON.stringify(early)}`)),
  ]);
  return { answer };
}

test('every operation that takes a key is tried here', () => {
  assert.deepEqual(Object.keys(requests).sort(), keyed.map(({ operationId }) => operationId).sort());
});

for (let first = 0; first < keyed.length; first += AT_ONCE) {
  const operations = keyed.slice(first, first + AT_ONCE).map(({ operationId }) => operationId);
  describe(`killed between commit and answer: ${operations.join(', ')}`, () => {
    let doomed: ApiProcess;
    const sent = new Map<string, { request: KeyedRequest; answer: Promise<unknown> }>();
    beforeAll(async () => {
      doomed = await next;
      next = onLine();
    });
    for (const operationId of operations) {
      test(`${operationId} commits what it does with its answer`, async () => {
        const request = await requests[operationId]!();
        const before = await contents();
        sent.set(operationId, { request, ...(await committedUnheard(doomed, request, operationId)) });
        const tables = changed(before, await contents());
        assert.ok(tables.includes('idempotent_answers'), 'the answer is kept');
        assert.equal(tables.length > 1, !CHANGES_NOTHING.has(operationId), `changed: ${tables.join()}`);
      });
    }
    describe('after the kill', () => {
      beforeAll(() => doomed.end('SIGKILL'));
      for (const operationId of operations) {
        test(`${operationId}: nobody was answered; a retry gets the first answer and does nothing`, async () => {
          const { request, answer } = sent.get(operationId)!;
          assert.ok((await answer) instanceof Error, 'the connection ended without an answer');
          const done = await contents();
          const retry = await post(service.api, request, operationId);
          assert.equal(replayed(retry), true);
          assert.equal(retry.status < 300, operationId !== 'verifySender', JSON.stringify(retry.body));
          assert.deepEqual(changed(done, await contents()), []);
          assert.deepEqual(seen(await post(service.api, request, operationId)), seen(retry));
        });
      }
    });
  });
}

describe('a connection that breaks at the commit: nothing was done, and a retry does it once', () => {
  let alive: ApiProcess;
  beforeAll(async () => {
    alive = await next;
  });
  for (const { operationId, repeatable } of keyed) {
    test(operationId, async () => {
      const request = await requests[operationId]!();
      const before = await contents();
      line.fault = { lose: 'commit' };
      const failed = await post(alive.api, request, `lost ${operationId}`);
      assert.deepEqual([failed.status, failed.body.code, failed.headers.get('location')], [503, 'unavailable', null]);
      assert.equal(line.fault, null, 'the connection was broken');
      if (!repeatable) assert.deepEqual(changed(before, await contents()), []);
      const retry = await post(alive.api, request, `lost ${operationId}`);
      assert.deepEqual(
        [replayed(retry), retry.status < 300],
        [false, operationId !== 'verifySender'],
        JSON.stringify(retry.body),
      );
      const done = await contents();
      const again = await post(alive.api, request, `lost ${operationId}`);
      assert.deepEqual([seen(again), replayed(again)], [seen(retry), true]);
      assert.deepEqual(changed(done, await contents()), []);
    });
  }
});
