import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { after, before, test } from 'node:test';
import Koa from 'koa';
import { Type } from 'typebox';
import { guard, route, type Reply } from '../../api/guard.ts';
import { problems } from '../../api/middleware/problem.ts';
import type { Actor } from '../../domain/auth/principal.ts';
import { AppError } from '../../domain/errors.ts';
import { engineEm, rows, sql } from '../../db/orm.ts';
import { strict } from '../../api/schemas.ts';
import { startService, type Service } from '../support/service.ts';
import { until } from '../support/until.ts';

let service: Service;
let url: string;
let stop: () => Promise<void>;
/** What the one route does next. */
let work: () => Promise<Reply>;
let runs = 0;
let actor: Actor = { type: 'user', id: 1, name: 'a' };

before(async () => {
  service = await startService();
  const handle = guard(route({
    method: 'POST', path: '/things', operationId: 'makeThing', summary: 'Make a thing', access: 'things:write', body: strict({ n: Type.Optional(Type.Integer()) }),
    responses: { 201: { schema: strict({ text: Type.String() }) }, 200: { contentType: 'text/plain', description: 'Text' }, 204: { description: 'Nothing' } },
    handler: async () => { runs += 1; return work(); },
  }), service.deps);
  const app = new Koa();
  app.use(problems(service.deps.log));
  app.use(async (ctx) => {
    ctx.state['principal'] = { actor, tenantId: 'default', permissions: new Set(), sessionId: null };
    ctx.state['requestId'] = 'r';
    await handle(Object.assign(ctx, { params: {} }) as never);
  });
  const listener = app.callback();
  const server = createServer((request, response) => void listener(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
  stop = async () => { server.close(); server.closeAllConnections(); await service.stop(); };
});
after(() => stop());

const engine = <T>(query: Parameters<typeof rows>[1]) => engineEm(service.deps.orm).transactional((tx) => rows<T>(tx, query));
async function post(key: string, body: object = {}) {
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json', 'idempotency-key': key }, body: JSON.stringify(body) });
  return { status: response.status, text: await response.text(), headers: response.headers, replayed: response.headers.get('idempotency-replayed') === 'true' };
}
const thing = (text: string, headers = {}): Reply => ({ status: 201, body: { text }, headers });
/** A piece of work that ends when told to. */
function held(text: string) {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { end: resolve, work: async () => { await promise; return thing(text); } };
}

test('401, 429 and 5xx free the key; other refusals are kept', async () => {
  for (const [code, isKept] of [
    ['unauthorized', false], ['too_many_requests', false], ['internal', false], ['unavailable', false],
    ['validation_failed', true], ['forbidden', true], ['not_found', true], ['conflict', true], ['precondition_failed', true], ['template_limit', true],
  ] as const) {
    work = async () => { throw new AppError(code); };
    const first = await post(code);
    work = async () => thing('done');
    const second = await post(code);
    assert.deepEqual([second.status, second.replayed], isKept ? [first.status, true] : [201, false], code);
    if (isKept) assert.equal(second.text, first.text);
  }
});

test('texts and empty answers come again as they were', async () => {
  for (const [key, reply] of [
    ['text', { status: 200, body: 'línea', headers: { 'Content-Type': 'text/plain; charset=utf-8' } }], ['nothing', { status: 204 }], ['thing', thing('x', { Location: '/x' })],
  ] as const) {
    work = async () => reply;
    const [first, second] = [await post(key), await post(key)];
    const seen = ({ status, text, headers }: typeof first) => [status, text, headers.get('content-type'), headers.get('location'), headers.get('content-length')];
    assert.deepEqual([seen(second), first.replayed, second.replayed], [seen(first), false, true], key);
  }
});

test('an answer that is too large or a stream is not kept, and its work not done again', async () => {
  const kept = thing('x'.repeat(1024 * 1024 - 50), { Location: '/big' });
  for (const [key, reply, status] of [
    ['fits', kept, 201], ['large', thing('x'.repeat(1024 * 1024), { Location: '/big' }), 409],
    ['stream', { status: 200, body: Readable.from(['a', 'b']), headers: { 'Content-Type': 'text/plain' } }, 409],
  ] as const) {
    work = async () => reply;
    const before = runs;
    const first = await post(key);
    assert.ok(first.status < 300);
    const second = await post(key);
    assert.deepEqual([second.status, second.headers.get('location'), runs], [status, first.headers.get('location'), before + 1], key);
    if (status === 409) assert.equal(JSON.parse(second.text).code, 'idempotency_conflict');
  }
});

test('a user and an API key of one id are two callers', async () => {
  work = async () => thing('mine');
  await post('caller');
  actor = { type: 'api_key', id: 1, name: 'k' };
  const theirs = await post('caller');
  assert.deepEqual([theirs.status, theirs.replayed], [201, false]);
  assert.equal((await post('caller')).replayed, true);
  actor = { type: 'user', id: 1, name: 'a' };
  assert.deepEqual((await engine<{ caller: string }>(sql`select caller from idempotent_answers where key = 'caller' order by 1`)).map((row) => row.caller), ['api_key/1', 'user/1']);
});

test('work that goes on keeps its key, and a twin that has waited long gets a 409', async () => {
  const lock = async () => (await engine<{ until: Date }>(sql`select locked_until as until from idempotent_answers where key = 'long'`))[0]?.until;
  const { end, work: long } = held('at last');
  work = long;
  const before = runs;
  const runner = post('long');
  const first = await until('it runs', lock);
  const twin = await post('long');
  assert.deepEqual([twin.status, JSON.parse(twin.text).code, twin.headers.get('retry-after')], [409, 'idempotency_conflict', '1']);
  await until('the lock is extended', async () => (await lock())! > first);
  end();
  assert.deepEqual([(await runner).status, (await post('long')).text, runs], [201, (await runner).text, before + 1]);
});

test('who has lost its key to another does not overwrite the other\'s answer', async () => {
  const [slow, quick] = [held('slow'), held('quick')];
  work = slow.work;
  const loser = post('lost');
  await until('it runs', async () => (await engine(sql`select 1 from idempotent_answers where key = 'lost'`)).length);
  // As if it had been silent for as long.
  await engine(sql`update idempotent_answers set locked_until = now() where key = 'lost'`);
  assert.equal((await post('lost', { n: 2 })).status, 422);
  work = quick.work;
  const before = runs;
  const winner = post('lost');
  await until('it has taken the key', () => runs === before + 1);
  slow.end();
  assert.match((await loser).text, /slow/);
  quick.end();
  assert.match((await winner).text, /quick/);
  const again = await post('lost');
  assert.deepEqual([again.text, again.replayed], [(await winner).text, true]);
});

test('the answer is given though it can not be kept', async () => {
  const { end, work: slow } = held('kept by nobody');
  work = slow;
  const runner = post('unkept');
  await until('it runs', async () => (await engine(sql`select 1 from idempotent_answers where key = 'unkept'`)).length);
  await engine(sql`delete from idempotent_answers where key = 'unkept'`);
  end();
  assert.equal((await runner).status, 201);
});
