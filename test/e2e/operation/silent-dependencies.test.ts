import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import pg from 'pg';
import { startApiProcess, type ApiProcess } from '../../support/api-process.ts';
import { cutLine, type CutLine } from '../../support/database/cut-line.ts';
import { makeContact } from '../../support/mail/emails.ts';
import { routesWhere } from '../../support/routes.ts';
import { startService, type Answer, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';

let service: Service;
let api: ApiProcess;
let postgres: CutLine;
let nats: CutLine;

const through = async (address: string): Promise<[CutLine, string]> => {
  const url = new URL(address);
  const line = await cutLine(url.hostname, Number(url.port));
  url.port = String(line.port);
  return [line, url.href.replace(/\/$/, '')];
};
beforeAll(async () => {
  service = await startService();
  const [[toPostgres, databaseUrl], [toNats, natsUrl]] = [
    await through(service.deps.env.DATABASE_URL),
    await through(service.deps.env.NATS_URL),
  ];
  [postgres, nats] = [toPostgres, toNats];
  api = await startApiProcess(service, {
    DATABASE_URL: databaseUrl,
    NATS_URL: natsUrl,
    ENABLE_RATE_LIMITING: 'true',
    RATE_LIMIT_PER_MINUTE: '1000000',
    RATE_LIMIT_BURST: '100000',
  });
});
afterAll(async () => {
  await api.end();
  await postgres.cut();
  await nats.cut();
  await service.stop();
});

const upload = (): FormData => {
  const form = new FormData();
  form.set('file', new Blob(['email,firstName,lastName\na@example.org,A,B\n'], { type: 'text/csv' }), 'people.csv');
  return form;
};

/** Asks every route at once; none may leave its caller without an answer. */
async function askAll(): Promise<{ name: string; isPublic: boolean; answer: Answer }[]> {
  return Promise.all(
    routesWhere(() => true).map(async ({ route, path }) => {
      const query = route.path === '/contacts/search' ? '?q=a' : '';
      const body =
        route.path === '/contacts/import'
          ? upload()
          : route.method === 'POST' || route.method === 'PUT'
            ? {}
            : undefined;
      const answer = await api.api(route.method, `${path}${query}`, body);
      return { name: `${route.method} ${route.path}`, isPublic: route.access === 'public', answer };
    }),
  );
}

const isRefusedAsAway = ({ status, headers }: Answer): boolean =>
  status === 503 && Number(headers.get('retry-after')) > 0;

function assertAway(answers: Awaited<ReturnType<typeof askAll>>): void {
  for (const { name, isPublic, answer } of answers) {
    if (isPublic)
      assert.ok(
        answer.status < 500 || isRefusedAsAway(answer),
        `${name}: ${answer.status} ${JSON.stringify(answer.body)}`,
      );
    else assert.ok(isRefusedAsAway(answer), `${name}: ${answer.status} ${JSON.stringify(answer.body)}`);
  }
}

const isThere = () =>
  until('it answers as ever', async () => (await api.api('GET', '/contacts?limit=1')).status === 200);

test('Postgres is silent: what waits for it and what comes then gets a 503 on every route; then all is as before', async () => {
  const contact = await makeContact(service);
  await isThere();
  postgres.hush();
  assertAway(await askAll());
  assertAway(await askAll());
  postgres.speak();
  await isThere();
  assert.equal((await api.api('GET', `/contacts/${contact.id}`)).status, 200);
});

test('Postgres is gone: a 503 on every route, until it is there again', async () => {
  await postgres.cut();
  assertAway(await askAll());
  await postgres.mend();
  await isThere();
});

for (const [what, take, give] of [
  ['silent', async () => nats.hush(), async () => nats.speak()],
  ['gone', () => nats.cut(), () => nats.mend()],
] as const) {
  test(`NATS is ${what}: an upload gets a 503, and what needs no NATS is done`, async () => {
    await take();
    const order: string[] = [];
    const answered = (name: string) => (answer: Answer) => {
      order.push(name);
      return answer;
    };
    const [dashboard, first, second, contact] = await Promise.all([
      api.api('GET', '/analytics/dashboard').then(answered('dashboard')),
      api.api('POST', '/contacts/import', upload()).then(answered('upload')),
      api.api('POST', '/contacts/import', upload(), { headers: { 'idempotency-key': what } }).then(answered('upload')),
      api.api('POST', '/contacts', { firstName: 'A', lastName: 'B', email: `nats-${what}@example.org` }),
    ]);
    assert.equal(dashboard.status, 200);
    // Who waits for NATS is told after seconds.
    if (what === 'silent') assert.equal(order[0], 'dashboard');
    for (const refused of [first, second]) assert.ok(isRefusedAsAway(refused), JSON.stringify(refused.body));
    assert.equal(contact.status, 201);
    await give();
    const again = await until('the store is there', async () => {
      const answer = await api.api('POST', '/contacts/import', upload(), { headers: { 'idempotency-key': what } });
      return answer.status === 202 && answer;
    });
    assert.equal(again.headers.get('idempotency-replayed'), null);
  }, 60_000);
}

test('an import under a key holds no transaction while its file is on its way to NATS', async () => {
  const owner = new pg.Client({ connectionString: service.slot.env['DATABASE_MIGRATION_URL']! });
  await owner.connect();
  /** The transactions that are open and do nothing. */
  const idle = async (): Promise<string[]> =>
    (
      await owner.query<{ id: string }>(
        `select pid || ' ' || xact_start as id from pg_stat_activity where datname = current_database() and state = 'idle in transaction'`,
      )
    ).rows.map(({ id }) => id);
  nats.hush();
  const uploads = Array.from({ length: 5 }, (_, n) =>
    api.api('POST', '/contacts/import', upload(), { headers: { 'idempotency-key': `on its way ${n}` } }),
  );
  let isOver = false;
  const answers = Promise.all(uploads).finally(() => {
    isOver = true;
  });
  const seen = new Map<string, number>();
  let looks = 0;
  for (; !isOver; looks += 1) {
    for (const id of await idle()) seen.set(id, (seen.get(id) ?? 0) + 1);
    await new Promise((resolve) => {
      setTimeout(resolve, 100);
    });
  }
  nats.speak();
  for (const answer of await answers) assert.ok(isRefusedAsAway(answer), JSON.stringify(answer.body));
  await owner.end();
  // One may be seen between two of its statements, and no longer.
  assert.ok(
    looks > 20 && [...seen.values()].every((times) => times < looks / 4),
    `${looks} looks; ${[...seen.values()].join()}`,
  );
});
