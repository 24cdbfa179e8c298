import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import pg from 'pg';
import { newTenant } from '../../support/accounts.ts';
import { columnsOf, insertRow } from '../../support/database/schema-rows.ts';
import { hasId, pathOf, routesWhere, takesJson } from '../../support/routes.ts';
import { startService, type Service } from '../../support/service.ts';

/** The table of the resource that a path names. */
const TABLES: [path: RegExp, table: string][] = [
  [/^\/channels\/templates/, 'channel_templates'],
  [/^\/channels\/providers/, 'channel_providers'],
  [/^\/channels\/suppressions/, 'channel_suppressions'],
  [/^\/channels\/messages/, 'messages'],
  [/^\/channels\/inbound/, 'inbound_texts'],
  [/^\/channels\/push\/sites/, 'push_sites'],
  [/^\/channels\/push\/subscriptions/, 'push_subscriptions'],
];
const tableOf = (path: string): string => {
  const found = TABLES.find(([pattern]) => pattern.test(path));
  assert.ok(found, `no table for ${path}`);
  return found[1];
};

let service: Service;
let owner: pg.Client;
let other: string;
/** The ids of rows of the first tenant, by table. */
const ids = new Map<string, number>();

beforeAll(async () => {
  service = await startService();
  owner = new pg.Client({ connectionString: service.slot.env['DATABASE_MIGRATION_URL']! });
  await owner.connect();
  other = (await newTenant(service)).token;
  for (const [, table] of TABLES) {
    await insertRow(owner, table, await columnsOf(owner, table), {
      tenant_id: service.admin.tenantId,
      ...('channel_templates' === table ? { topic_id: null } : {}),
      ...('push_subscriptions' === table ? { site_id: null } : {}),
    });
    const { rows } = await owner.query<{ id: string }>(`select max(id) as id from ${table}`);
    ids.set(table, Number(rows[0]!.id));
  }
});
afterAll(async () => {
  await owner.end();
  await service.stop();
});

const contents = async (): Promise<unknown> => {
  const tables = TABLES.map(([, table]) => `select '${table}' as name, t::text as row from ${table} t`);
  return (await owner.query(`${tables.join(' union all ')} order by 1, 2`)).rows;
};
const ofChannels = routesWhere(({ path, access }) => path.startsWith('/channels/') && access.includes(':'));

test('what is of one tenant is not there for another, by whatever route it asks', async () => {
  const before = await contents();
  let asked = 0;
  for (const { route } of ofChannels.filter(
    ({ route: { path }, route: one }) => hasId(one) && TABLES.some(([p]) => p.test(path)),
  )) {
    const path = pathOf(route, ids.get(tableOf(route.path)))!;
    const answer = await service.api(route.method, path, takesJson(route) ? {} : undefined, { token: other });
    const name = `${route.method} ${path}: ${answer.status}`;
    // A body that is wrong by itself may be refused first.
    assert.ok(answer.status === 404 || (answer.status === 400 && takesJson(route)), name);
    asked += 1;
  }
  assert.ok(asked >= 4);
  assert.deepEqual(await contents(), before);
});

test("lists show nothing of another tenant's", async () => {
  for (const { route, path } of ofChannels.filter(
    ({ route: one }) => one.method === 'GET' && !one.path.includes('{'),
  )) {
    const { status, body } = await service.api('GET', path, undefined, { token: other });
    if (status === 200 && Array.isArray(body.data)) assert.deepEqual(body.data, [], route.path);
  }
});
