import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { engineEm, rows, sql } from '../../../db/orm.ts';
import { startApiProcess, type ApiProcess } from '../../support/api-process.ts';
import { startService, type Answer, type Service } from '../../support/service.ts';
import { newMember } from '../../support/users.ts';
import { startVariant } from '../../support/variant.ts';
import { onTestFinished } from '../../support/on-test-finished.ts';

const BURST = 60;
let service: Service;
let one: ApiProcess;
let two: ApiProcess;
beforeAll(async () => {
  service = await startService();
  // So slow that a bucket gets next to nothing while a test runs.
  const limits = { ENABLE_RATE_LIMITING: 'true', RATE_LIMIT_PER_MINUTE: '1', RATE_LIMIT_BURST: String(BURST) };
  [one, two] = await Promise.all([startApiProcess(service, limits), startApiProcess(service, limits)]);
});
afterAll(async () => {
  await Promise.all([one.end(), two.end()]);
  await service.stop();
});

const engine = <T>(query: Parameters<typeof rows>[1]) =>
  engineEm(service.deps.orm).transactional((tx) => rows<T>(tx, query));
const statuses = (answers: Answer[]) =>
  Object.fromEntries(
    [...Map.groupBy(answers, (answer) => answer.status)].map(([status, same]) => [status, same.length]),
  );
/** A burst of requests to both processes at once. */
const burst = (count: number, token: string | null, path = '/auth/profile', method = 'GET', body?: unknown) =>
  Promise.all(Array.from({ length: count }, (_, n) => (n % 2 ? one : two).api(method, path, body, { token })));

test('of a burst to two processes, exactly the bucket passes', async () => {
  const member = await newMember(service.api);
  const begin = performance.now();
  const answers = await burst(100, member.token);
  const seconds = (performance.now() - begin) / 1000;
  assert.deepEqual(statuses(answers), { 200: BURST, 429: 100 - BURST });
  const left = answers
    .filter((answer) => answer.status === 200)
    .map((answer) => Number(answer.headers.get('ratelimit-remaining')))
    .sort((a, b) => a - b);
  assert.deepEqual(
    left,
    Array.from({ length: BURST }, (_, n) => n),
  );
  for (const answer of answers) assert.equal(answer.headers.get('ratelimit-limit'), String(BURST));
  const refused = answers.find((answer) => answer.status === 429)!;
  assert.equal(refused.body.code, 'too_many_requests');
  assert.match(refused.headers.get('content-type')!, /^application\/problem\+json/);
  // The bucket gets its next at the end of the minute that began in the burst.
  const retryAfter = Number(refused.headers.get('retry-after'));
  assert.ok(retryAfter >= Math.floor(60 - seconds) && retryAfter <= 60, `${retryAfter} after ${seconds} s`);
  assert.ok(Number(refused.headers.get('ratelimit-reset')) > (BURST - 1) * 60 - 30);
  assert.equal(refused.headers.get('ratelimit-remaining'), '0');
});

test("a bucket is one user's, and fills again with time", async () => {
  const [empty, other] = [await newMember(service.api), await newMember(service.api)];
  await burst(BURST, empty.token);
  assert.equal((await one.api('GET', '/auth/profile', undefined, { token: empty.token })).status, 429);
  assert.equal((await one.api('GET', '/auth/profile', undefined, { token: other.token })).status, 200);
  const back = await engine(
    sql`update rate_buckets set at = at - interval '3 minutes' where bucket = ${`user/${empty.user.id}`} returning 1`,
  );
  assert.equal(back.length, 1);
  assert.deepEqual(statuses(await burst(6, empty.token)), { 200: 3, 429: 3 });
});

test('API keys have buckets of their own; invented keys and wrong tokens share that of their address', async () => {
  const { status, body } = await service.api('POST', '/auth/api-keys', {
    name: 'Limited',
    permissions: ['contacts:read'],
  });
  assert.equal(status, 201);
  assert.deepEqual(statuses(await burst(BURST + 10, body.key, '/contacts?limit=1')), { 200: BURST, 429: 10 });
  const wrong = await Promise.all(
    [...Array(BURST).keys()].flatMap((n) => [burst(1, `pk_${String(n).padStart(43, 'x')}`), burst(1, 'no.such.token')]),
  );
  assert.deepEqual(statuses(wrong.flat()), { 401: BURST, 429: BURST });
  // Who has neither user nor key is that address too.
  assert.equal(
    (await one.api('POST', '/auth/login', { username: 'admin', password: 'x' }, { token: null })).status,
    429,
  );
  assert.deepEqual(
    await engine(
      sql`select bucket from rate_buckets where bucket like 'api_key/%' or bucket like 'address/%' order by 1`,
    ),
    [{ bucket: 'address/127.0.0.1' }, { bucket: `api_key/${body.id}` }],
  );
});

test('the addresses of one IPv6 client have one bucket', async () => {
  const proxied = await startVariant(service, {
    TRUST_PROXY: 1,
    ENABLE_RATE_LIMITING: true,
    RATE_LIMIT_PER_MINUTE: 1,
    RATE_LIMIT_BURST: 2,
  });
  onTestFinished(() => proxied.stop());
  const from = async (address: string) =>
    (await proxied.api('GET', '/contacts', undefined, { token: null, headers: { 'x-forwarded-for': address } })).status;
  const answers = [
    await from('2001:db8::1'),
    await from('2001:db8::2'),
    await from('2001:db8::3'),
    await from('2001:db8:0:1::1'),
  ];
  assert.deepEqual(answers, [401, 401, 429, 401]);
});

test('health, pages and tracking are not under that limit', async () => {
  for (const path of ['/health', '/emails/tracking/open/unknown', '/forms/1/page']) {
    assert.ok(!(429 in statuses(await burst(BURST + 20, null, path))), path);
  }
});
