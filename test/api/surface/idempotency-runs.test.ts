import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { once as first } from 'node:events';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, test } from '@jest/globals';
import Koa from 'koa';
import { Type } from 'typebox';
import { guard } from '../../../api/guard/guard.ts';
import { problems } from '../../../api/middleware/problem.ts';
import type { Actor } from '../../../domain/audit/principal.ts';
import { findOrCreateCompany } from '../../../domain/contact-values/find-or-create-company.ts';
import { AppError } from '../../../lib/checks/errors.ts';
import { engineEm, rows, sql, type EntityManager } from '../../../db/orm.ts';
import { strict } from '../../../api/route/schemas.ts';
import { withClient } from '../../../dev/stack/postgres.ts';
import { startService, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { route, type Reply } from '../../../api/route/route.ts';

let service: Service;
let url: string;
let stop: () => Promise<void>;
/** What the one route does next. */
let work: (em: EntityManager) => Promise<Reply>;
let runs = 0;
/** Whether it is declared to be. */
let repeatable = false;
let actor: Actor = { type: 'user', id: 1, name: 'a' };

beforeAll(async () => {
  service = await startService();
  const made = (again: boolean) =>
    guard(
      route({
        repeatable: again,
        method: 'POST',
        path: '/things',
        operationId: 'makeThing',
        summary: 'Make a thing',
        access: 'things:write',
        body: strict({ n: Type.Optional(Type.Integer()) }),
        responses: {
          201: { schema: strict({ text: Type.String() }) },
          200: { contentType: 'text/plain', description: 'Text' },
          204: { description: 'Nothing' },
        },
        handler: async ({ em }) => {
          runs += 1;
          return work(em);
        },
      }),
      service.deps,
    );
  const [once, freely] = [made(false), made(true)];
  const app = new Koa();
  app.use(problems(service.deps.log));
  app.use(async (ctx) => {
    ctx.state['principal'] = { actor, tenantId: 'default', permissions: new Set(), sessionId: null };
    ctx.state['requestId'] = 'r';
    await (repeatable ? freely : once)(Object.assign(ctx, { params: {} }));
  });
  const listener = app.callback();
  const server = createServer((request, response) => void listener(request, response));
  server.listen(0, '127.0.0.1');
  await first(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
  stop = async () => {
    server.close();
    server.closeAllConnections();
    await service.stop();
  };
});
afterAll(() => stop());

const engine = <T>(query: Parameters<typeof rows>[1]) =>
  engineEm(service.deps.orm).transactional((tx) => rows<T>(tx, query));
const asOwner = (query: string) =>
  withClient(service.slot.env['DATABASE_MIGRATION_URL']!, (client) => client.query(query));
async function post(key: string, body: object = {}) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': key },
    body: JSON.stringify(body),
  });
  return {
    status: response.status,
    text: await response.text(),
    headers: response.headers,
    replayed: response.headers.get('idempotency-replayed') === 'true',
  };
}
const thing = (text: string, headers = {}): Reply => ({ status: 201, body: { text }, headers });
/** A piece of work that ends when told to. */
function held(text: string) {
  const { promise, resolve } = Promise.withResolvers<void>();
  return {
    end: resolve,
    work: async () => {
      await promise;
      return thing(text);
    },
  };
}

test('401, 429 and 5xx free the key; other refusals are kept', async () => {
  for (const [code, isKept] of [
    ['unauthorized', false],
    ['too_many_requests', false],
    ['internal', false],
    ['unavailable', false],
    ['validation_failed', true],
    ['forbidden', true],
    ['not_found', true],
    ['conflict', true],
    ['precondition_failed', true],
    ['template_limit', true],
  ] as const) {
    work = async () => {
      throw new AppError(code);
    };
    const first = await post(code);
    work = async () => thing('done');
    const second = await post(code);
    assert.deepEqual([second.status, second.replayed], isKept ? [first.status, true] : [201, false], code);
    if (isKept) assert.equal(second.text, first.text);
  }
});

test('a refusal undoes what the request had done, and is kept', async () => {
  const companies = async () => (await engine(sql`select 1 from companies where name = 'Undone'`)).length;
  const insert = (em: EntityManager) => em.transactional((tx) => findOrCreateCompany(tx, 'default', 'Undone'));
  for (const [code, isKept] of [
    ['conflict', true],
    ['unavailable', false],
  ] as const) {
    work = async (em) => {
      await insert(em);
      assert.equal(
        (await em.transactional((tx) => rows(tx, sql`select 1 from companies where name = 'Undone'`))).length,
        1,
      );
      throw new AppError(code);
    };
    const answers = [await post(`undone ${code}`), await post(`undone ${code}`)];
    assert.deepEqual([await companies(), answers[1]!.replayed, answers[1]!.status], [0, isKept, answers[0]!.status]);
  }
  work = async (em) => {
    await insert(em);
    return thing('done');
  };
  await post('done');
  assert.equal(await companies(), 1);
});

test('texts and empty answers come again as they were', async () => {
  for (const [key, reply] of [
    ['text', { status: 200, body: 'línea', headers: { 'Content-Type': 'text/plain; charset=utf-8' } }],
    ['nothing', { status: 204 }],
    ['thing', thing('x', { Location: '/x' })],
  ] as const) {
    work = async () => reply;
    const [first, second] = [await post(key), await post(key)];
    const seen = ({ status, text, headers }: typeof first) => [
      status,
      text,
      headers.get('content-type'),
      headers.get('location'),
      headers.get('content-length'),
    ];
    assert.deepEqual([seen(second), first.replayed, second.replayed], [seen(first), false, true], key);
  }
});

test('an answer that is too large or a stream is not kept, and its work not done again', async () => {
  const kept = thing('x'.repeat(1024 * 1024 - 50), { Location: '/big' });
  for (const [key, reply, status] of [
    ['fits', kept, 201],
    ['large', thing('x'.repeat(1024 * 1024), { Location: '/big' }), 409],
    ['stream', { status: 200, body: Readable.from(['a', 'b']), headers: { 'Content-Type': 'text/plain' } }, 409],
  ] as const) {
    work = async () => reply;
    const before = runs;
    const first = await post(key);
    assert.ok(first.status < 300);
    const second = await post(key);
    assert.deepEqual(
      [second.status, second.headers.get('location'), runs],
      [status, first.headers.get('location'), before + 1],
      key,
    );
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
  assert.deepEqual(
    (await engine<{ caller: string }>(sql`select caller from idempotent_answers where key = 'caller' order by 1`)).map(
      (row) => row.caller,
    ),
    ['api_key/1', 'user/1'],
  );
});

/** Whether a transaction holds a key. */
const isHeld = async (): Promise<boolean> =>
  (
    await engine(
      sql`select 1 from pg_locks where locktype = 'advisory' and objsubid = 1 and database = (select oid from pg_database where datname = current_database())`,
    )
  ).length > 0;

test('work that goes on keeps its key, and a twin that has waited long gets a 409', async () => {
  const { end, work: long } = held('at last');
  work = long;
  const before = runs;
  const runner = post('long');
  await until('it runs', () => runs === before + 1);
  const twin = await post('long');
  assert.deepEqual(
    [twin.status, JSON.parse(twin.text).code, twin.headers.get('retry-after')],
    [409, 'idempotency_conflict', '1'],
  );
  end();
  assert.deepEqual([(await runner).status, (await post('long')).text, runs], [201, (await runner).text, before + 1]);
});

test('who loses its connection has done nothing, and its twin may run at once', async () => {
  const [lost, quick] = [held('lost'), held('quick')];
  work = lost.work;
  const before = runs;
  const loser = post('lost');
  await until('it runs', () => runs === before + 1);
  assert.equal(await isHeld(), true);
  await asOwner(`select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and objsubid = 1
    and database = (select oid from pg_database where datname = current_database())`);
  work = quick.work;
  const winner = post('lost');
  await until('it has taken the key', () => runs === before + 2);
  lost.end();
  assert.equal((await loser).status, 503);
  quick.end();
  assert.match((await winner).text, /quick/);
  const again = await post('lost');
  assert.deepEqual([again.text, again.replayed], [(await winner).text, true]);
});

test('an answer that can not be kept is not given', async () => {
  const { end, work: slow } = held('kept by nobody');
  work = slow;
  const before = runs;
  const runner = post('unkept');
  await until('it runs', () => runs === before + 1);
  await asOwner('revoke insert on idempotent_answers from perennial_app');
  end();
  const answer = await runner;
  await asOwner('grant insert on idempotent_answers to perennial_app');
  assert.deepEqual([answer.status, answer.headers.get('location')], [500, null]);
  work = async () => thing('kept');
  assert.deepEqual([(await post('unkept')).status, (await post('unkept')).replayed], [201, true]);
});

test('what may run again does: its twins run beside it, and all give the answer that was kept', async () => {
  repeatable = true;
  const [slow, quick] = [held('slow'), held('quick')];
  const before = runs;
  work = slow.work;
  const first = post('again');
  await until('it runs', () => runs === before + 1);
  work = quick.work;
  const second = post('again');
  await until('its twin runs', () => runs === before + 2);
  quick.end();
  assert.match((await second).text, /quick/);
  slow.end();
  assert.deepEqual([(await first).text, (await first).replayed], [(await second).text, true]);
  assert.equal((await post('again', { n: 2 })).status, 422);
  repeatable = false;
});

test('of an attempt that met another request, nothing is left in the answer', async () => {
  // As if the first commit met another one; a sequence is not rolled back.
  await asOwner(`create sequence met; grant usage on sequence met to public;
    create function meet() returns trigger language plpgsql as $$
    begin
      if nextval('met') = 1 then raise exception 'met' using errcode = '40001'; end if;
      return null;
    end $$;
    create constraint trigger meet after insert on idempotent_answers deferrable initially deferred for each row execute function meet()`);
  try {
    let tries = 0;
    work = async () => {
      tries += 1;
      return tries === 1
        ? { ...thing('first', { Location: '/first', ETag: '"first"' }), status: 201 }
        : { status: 200, body: 'second' };
    };
    const answer = await post('met');
    assert.equal(tries, 2);
    const seen = ({ status, text, headers }: typeof answer) => [
      status,
      text,
      headers.get('location'),
      headers.get('etag'),
    ];
    assert.deepEqual(seen(answer), [200, 'second', null, null]);
    const again = await post('met');
    assert.equal(again.replayed, true);
    assert.deepEqual(seen(again), seen(answer));
  } finally {
    await asOwner('drop trigger meet on idempotent_answers; drop function meet(); drop sequence met');
  }
});
