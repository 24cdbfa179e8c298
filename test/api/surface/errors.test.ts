import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { afterAll, beforeAll, test } from '@jest/globals';
import Koa from 'koa';
import { Type } from 'typebox';
import { guard } from '../../../api/guard/guard.ts';
import { problems } from '../../../api/middleware/problem.ts';
import { strict } from '../../../api/route/schemas.ts';
import { createDeps } from '../../../runtime/deps.ts';
import { createLogger } from '../../../config/logger.ts';
import { withClient } from '../../../dev/stack/postgres.ts';
import { AppError } from '../../../lib/checks/errors.ts';
import { cutLine } from '../../support/database/cut-line.ts';
import { startService, type Service } from '../../support/service.ts';
import { startVariant } from '../../support/variant.ts';
import { until } from '../../support/until.ts';
import { route, type RouteSpec } from '../../../api/route/route.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

/** What a route of this handler answers, alone in an app with the guard and the writer of problems. */
async function answerOf(spec: Partial<RouteSpec> & Pick<RouteSpec, 'handler'>) {
  const whole = route({
    method: 'GET',
    path: '/',
    operationId: 'test',
    summary: 'A test',
    access: 'public',
    responses: { 200: { schema: strict({ ok: Type.Boolean() }) } },
    ...spec,
  });
  const app = new Koa();
  app.use(problems(createLogger('silent', 'test')));
  // What the router does for a path without parameters.
  app.use(async (ctx, next) => {
    Object.assign(ctx, { params: {} });
    await next();
  });
  app.use(guard(whole, service.deps) as never);
  const server = createServer((request, response) => void app.callback()(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const response = await fetch(`http://127.0.0.1:${(server.address() as { port: number }).port}`);
  const text = await response.text();
  server.close();
  return { status: response.status, text, type: response.headers.get('content-type') };
}

test('an error that nobody expected is a 500 that tells nothing', async () => {
  const secret = 'postgres://perennial:hunter2@db.internal/perennial';
  for (const error of [
    new Error(secret),
    new TypeError(secret),
    Object.assign(new Error(secret), { status: 404, expose: true }),
    secret,
    null,
    { message: secret },
  ]) {
    const answer = await answerOf({
      handler: async () => {
        // eslint-disable-next-line @typescript-eslint/only-throw-error -- libraries throw such things
        throw error;
      },
    });
    assert.deepEqual([answer.status, answer.type], [500, 'application/problem+json']);
    assert.deepEqual(JSON.parse(answer.text).code, 'internal');
    assert.ok(!/hunter2|at .*\.ts|Error:/.test(answer.text), answer.text);
  }
});

test('an answer outside its schema is a 500, and nothing of it goes out', async () => {
  for (const body of [{ ok: 'yes', note: 'private' }, { note: 'private' }, null, 'private', [{ ok: true }]]) {
    const answer = await answerOf({ handler: async () => ({ body }) });
    assert.deepEqual([answer.status, answer.text.includes('private')], [500, false], JSON.stringify(body));
  }
});

test('what the schema does not name does not go out', async () => {
  const schema = strict({ user: strict({ name: Type.String() }), list: Type.Array(strict({ id: Type.Integer() })) });
  const body = {
    user: { name: 'Ada', passwordHash: 'x', toJSON: undefined },
    list: [{ id: 1, secret: 2 }],
    debug: true,
  };
  const answer = await answerOf({ responses: { 200: { schema } }, handler: async () => ({ body }) });
  assert.deepEqual([answer.status, JSON.parse(answer.text)], [200, { user: { name: 'Ada' }, list: [{ id: 1 }] }]);
});

test('an error that code threw on purpose keeps its status, words and headers', async () => {
  const answer = await answerOf({
    handler: async () => {
      throw new AppError('too_many_requests', 'Wait a little', { headers: { 'Retry-After': '7' } });
    },
  });
  const { status, code, title, detail, type } = JSON.parse(answer.text);
  assert.deepEqual(
    [answer.status, status, code, title, detail, type],
    [429, 429, 'too_many_requests', 'Too many requests', 'Wait a little', '/docs#too_many_requests'],
  );
});

test('a database error that we do not know is a 500 without a word of SQL', async () => {
  const owner = service.slot.env['DATABASE_MIGRATION_URL']!;
  await withClient(owner, (client) => client.query('alter table scoring_rules rename to elsewhere'));
  try {
    const answer = await service.api('GET', '/scoring/rules');
    assert.deepEqual([answer.status, answer.body.code], [500, 'internal']);
    assert.ok(!/relation|scoring_rules|select/i.test(JSON.stringify(answer.body)), JSON.stringify(answer.body));
    assert.ok(answer.body.requestId);
  } finally {
    await withClient(owner, (client) => client.query('alter table elsewhere rename to scoring_rules'));
  }
  assert.equal((await service.api('GET', '/scoring/rules')).status, 200);
});

test('while Postgres is away the API answers 503, and works again when it is back', async () => {
  const url = new URL(service.slot.env['DATABASE_URL']!);
  const line = await cutLine(url.hostname, Number(url.port));
  url.host = `127.0.0.1:${line.port}`;
  const deps = await createDeps({ ...service.deps.env, DATABASE_URL: url.href }, 'cut');
  const api = await startVariant({ ...service, deps });
  try {
    assert.equal((await api.api('GET', '/scoring/rules')).status, 200);
    await line.cut();
    for (let n = 0; n < 5; n += 1) {
      for (const [method, path, body] of [
        ['GET', '/scoring/rules', undefined],
        ['POST', '/auth/login', { username: 'a', password: 'b' }],
      ] as const) {
        const answer = await api.api(method, path, body);
        assert.deepEqual([answer.status, answer.body.code], [503, 'unavailable'], JSON.stringify(answer.body));
        assert.ok(Number(answer.headers.get('retry-after')) > 0);
      }
    }
    const health = await until('health is DOWN', async () => {
      const answer = await api.api('GET', '/health', undefined, { token: null });
      return answer.status === 503 && answer;
    });
    assert.deepEqual([health.body.status, health.body.components.postgres.status], ['DOWN', 'DOWN']);
    assert.ok(!/127\.0\.0\.1|ECONN|password/.test(JSON.stringify(health.body)));
    await line.mend();
    await until('the API answers again', async () => (await api.api('GET', '/scoring/rules')).status === 200);
    await until(
      'health is back',
      async () => (await api.api('GET', '/health', undefined, { token: null })).status === 200,
    );
  } finally {
    await api.stop();
    await deps.close();
    await line.cut().catch(() => undefined);
  }
});
