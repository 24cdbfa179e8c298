import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import pg from 'pg';
import { connect, engineEm, rows, sql, tenantEm, type Orm } from '../../../db/orm.ts';
import { Role } from '../../../db/entities/auth.ts';
import { provisionTenant } from '../../../domain/accounts/provision-tenant.ts';
import {
  columnsOf,
  foreignKeys,
  insertRow,
  tenantTables,
  type Column,
  SERVICE_TABLES,
} from '../../support/database/schema-rows.ts';
import { APPEND_ONLY, ask, connectLogins, rolledBack, type Logins } from '../../support/database/logins.ts';

let logins: Logins;
let owner: pg.Client;
let app: pg.Client;
let orm: Orm;
let tables: string[];
const columns = new Map<string, Column[]>();

beforeAll(async () => {
  logins = await connectLogins();
  ({ owner, app } = logins);
  orm = await connect(logins.slot.env['DATABASE_URL']!, { poolMax: 4 });
  tables = await tenantTables(owner);
  for (const table of tables) columns.set(table, await columnsOf(owner, table));
});
afterAll(async () => {
  await orm.close();
  await logins.end();
});

const refused = (code: string, constraint?: string) => (error: unknown) =>
  error instanceof pg.DatabaseError &&
  error.code === code &&
  (constraint === undefined || error.constraint === constraint);
const as = (tenantId: string) => app.query(`select set_config('app.tenant_id', $1, true)`, [tenantId]);

test('there are tables to look at', () => {
  assert.ok(tables.length > 30, `${tables.length} tables`);
  for (const table of ['users', 'sessions', 'contacts', 'emails', 'inbox', 'outbox_events', 'campaign_executions'])
    assert.ok(tables.includes(table), table);
});

test('every table names its tenant, forces row security, and has the two policies', async () => {
  for (const table of tables) {
    const tenantId = columns.get(table)!.find((column) => column.name === 'tenant_id');
    assert.deepEqual(
      tenantId && { type: tenantId.type, required: tenantId.required },
      { type: 'character varying', required: true },
      table,
    );
    const [security] = await ask(
      owner,
      'select relrowsecurity as on, relforcerowsecurity as forced from pg_class where oid = $1::regclass',
      [table],
    );
    assert.deepEqual(security, { on: true, forced: true }, table);
    const policies = await ask(
      owner,
      `select policyname as name, permissive, roles::text[], cmd, qual, with_check as "check" from pg_policies where schemaname = 'public' and tablename = $1 order by 1`,
      [table],
    );
    const ours = `((tenant_id)::text = current_setting('app.tenant_id'::text, true))`;
    assert.deepEqual(
      policies,
      [
        {
          name: 'engine',
          permissive: 'PERMISSIVE',
          roles: ['perennial_engine'],
          cmd: 'ALL',
          qual: 'true',
          check: 'true',
        },
        { name: 'tenant', permissive: 'PERMISSIVE', roles: ['public'], cmd: 'ALL', qual: ours, check: ours },
      ],
      table,
    );
  }
});

test('tables of the whole service are for the engine alone', async () => {
  for (const table of SERVICE_TABLES) {
    const policies = await ask(
      owner,
      `select policyname as name, roles::text[] from pg_policies where schemaname = 'public' and tablename = $1`,
      [table],
    );
    assert.deepEqual(policies, [{ name: 'engine', roles: ['perennial_engine'] }], table);
    const cols = await columnsOf(owner, table);
    assert.ok(
      cols.every((column) => column.name !== 'tenant_id'),
      table,
    );
    await rolledBack(app, async () => {
      await as('one');
      await app.query('set local role perennial_engine');
      // Some have one row only.
      await app.query(`delete from "${table}"`);
      await insertRow(app, table, cols, {});
      await app.query('reset role');
      await app.query('savepoint here');
      for (const touch of [() => app.query(`select 1 from "${table}"`), () => insertRow(app, table, cols, {})]) {
        await assert.rejects(touch, refused('42501'), table);
        await app.query('rollback to here');
      }
    });
  }
});

test("what has no row security is out of the service's reach", async () => {
  const others = await ask<{ name: string }>(
    owner,
    `
    select relname as name from pg_class c where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v', 'm', 'f')
      and not (relrowsecurity and relforcerowsecurity) order by 1`,
  );
  assert.ok(others.some((table) => table.name === 'mikro_orm_migrations'));
  for (const { name } of others) {
    assert.ok(
      name === 'mikro_orm_migrations' || /^(inbox|analytics_events|webhook_(events|deliveries|attempts))_/.test(name),
      name,
    );
    for (const role of ['perennial_app', 'perennial_engine', 'public']) {
      const [grant] = await ask(
        owner,
        `select has_table_privilege($1, $2, 'select, insert, update, delete, truncate, references, trigger') as any`,
        [role, name],
      );
      assert.deepEqual(grant, { any: false }, `${role} ${name}`);
    }
  }
});

test("the service's login is one that row security holds for, and owns nothing", async () => {
  const [role] = await ask(
    app,
    'select current_user as name, rolsuper, rolbypassrls, rolcreaterole, rolcreatedb, rolreplication from pg_roles where rolname = current_user',
  );
  assert.deepEqual(role, {
    name: 'perennial_app',
    rolsuper: false,
    rolbypassrls: false,
    rolcreaterole: false,
    rolcreatedb: false,
    rolreplication: false,
  });
  assert.deepEqual(
    await ask(
      owner,
      `select relname from pg_class where relowner in ('perennial_app'::regrole, 'perennial_engine'::regrole)`,
    ),
    [],
  );
  assert.deepEqual(
    await ask(
      owner,
      `
    select roleid::regrole::text as role, inherit_option as inherit, set_option as set, admin_option as admin from pg_auth_members where member = 'perennial_app'::regrole`,
    ),
    [{ role: 'perennial_engine', inherit: false, set: true, admin: false }],
  );
  const [engine] = await ask(
    owner,
    `select rolsuper, rolbypassrls, rolcanlogin from pg_roles where rolname = 'perennial_engine'`,
  );
  assert.deepEqual(engine, { rolsuper: false, rolbypassrls: false, rolcanlogin: false });
});

test('of every table, a tenant sees, changes, deletes and inserts its own rows alone', async () => {
  for (const table of tables) {
    const cols = columns.get(table)!;
    await owner.query('begin');
    await owner.query('set local session_replication_role = replica');
    for (const [n, tenantId] of ['one', 'two'].entries()) {
      const ids = cols.filter((column) => column.required && ['bigint', 'uuid'].includes(column.type));
      const own = Object.fromEntries(
        ids.map((column) => [column.name, column.type === 'uuid' ? `0190d2a4-7b1c-4c5e-9f3a-00000000000${n}` : n + 1]),
      );
      await insertRow(owner, table, cols, { ...own, tenant_id: tenantId });
    }
    await owner.query('commit');
    try {
      const count = async () =>
        (await ask<{ tenant_id: string }>(app, `select tenant_id from "${table}" order by 1`)).map(
          (row) => row.tenant_id,
        );
      await rolledBack(app, async () => {
        await as('one');
        assert.deepEqual(await count(), ['one'], table);
        await app.query('savepoint here');
        if (APPEND_ONLY.includes(table)) {
          for (const change of [
            `update "${table}" set tenant_id = tenant_id`,
            `delete from "${table}"`,
            `truncate "${table}"`,
          ]) {
            await assert.rejects(app.query(change), refused('42501'), change);
            await app.query('rollback to here');
          }
          await assert.rejects(insertRow(app, table, cols, { tenant_id: 'two' }), refused('42501'), table);
          return;
        }
        assert.equal(
          (await app.query(`update "${table}" set tenant_id = tenant_id where tenant_id = 'two'`)).rowCount,
          0,
          table,
        );
        assert.equal((await app.query(`delete from "${table}" where tenant_id = 'two'`)).rowCount, 0, table);
        await assert.rejects(app.query(`update "${table}" set tenant_id = 'two'`), refused('42501'), table);
        await app.query('rollback to here');
        await assert.rejects(insertRow(app, table, cols, { tenant_id: 'two' }), refused('42501'), table);
        await app.query('rollback to here');
        assert.equal((await app.query(`delete from "${table}"`)).rowCount, 1, table);
      });
      await rolledBack(app, async () => {
        assert.deepEqual(await count(), [], `${table} without a tenant`);
        await as('');
        assert.deepEqual(await count(), [], `${table} for the empty tenant`);
        await app.query('set local role perennial_engine');
        assert.deepEqual(await count(), ['one', 'two'], `${table} for the engine`);
      });
    } finally {
      await owner.query(`delete from "${table}" where tenant_id in ('one', 'two')`);
    }
  }
});

test("every foreign key includes the tenant, so that no row points into another's", async () => {
  const keys = await foreignKeys(owner);
  assert.ok(keys.length >= 15);
  for (const key of keys) {
    assert.equal(key.columns[0], 'tenant_id', key.name);
    assert.equal(key.parentColumns[0], 'tenant_id', key.name);
    const siblings = keys.filter((other) => other.table === key.table && other !== key);
    const insert = (parentTenant: string) =>
      rolledBack(owner, async () => {
        await owner.query('set local session_replication_role = replica');
        const parents = new Map(
          [...siblings.map((other) => [other, 'two'] as const), [key, parentTenant] as const].map(([other, tenant]) => [
            `${other.parent} ${tenant}`,
            { other, tenant },
          ]),
        );
        for (const { other, tenant } of parents.values()) {
          await insertRow(owner, other.parent, columns.get(other.parent)!, {
            tenant_id: tenant,
            [other.parentColumns[1]!]: 77,
          });
        }
        await owner.query('set local session_replication_role = origin');
        await insertRow(owner, key.table, columns.get(key.table)!, {
          ...Object.fromEntries([key, ...siblings].map((other) => [other.columns[1], 77])),
          tenant_id: 'two',
        });
        await owner.query('set constraints all immediate');
      });
    const shadowed = siblings.some((other) => other.parent === key.parent);
    if (!shadowed) await insert('two');
    await assert.rejects(insert('one'), shadowed ? refused('23503') : refused('23503', key.name), key.name);
  }
});

test('unique keys hold within a tenant, but for what is one for all', async () => {
  const global = await ask<{ name: string }>(
    owner,
    `
    select c.relname as name from pg_index i join pg_class c on c.oid = i.indexrelid join pg_class t on t.oid = i.indrelid
    where i.indisunique and not i.indisprimary and t.relnamespace = 'public'::regnamespace and t.relname = any($1)
      and not exists (select 1 from pg_attribute a where a.attrelid = t.oid and a.attname = 'tenant_id' and a.attnum = any(i.indkey)) order by 1`,
    [tables],
  );
  // Names, keys (of sites, too) and invitations are looked up before a tenant is known; ids of events are ours.
  assert.deepEqual(
    global.map((index) => index.name),
    [
      'api_keys_hash_key',
      'email_events_event_key',
      'invitations_token_id_key',
      'message_clicks_event_key',
      'push_sites_site_key',
      'users_email_key',
      'users_username_key',
    ],
  );
});

test("an em of a tenant is in that tenant inside transactions and outside, and the engine's sees all", async () => {
  for (const tenantId of ['acme', 'beta'])
    await tenantEm(orm, tenantId).transactional((tx) => provisionTenant(tx, tenantId));
  const roles = async (em: ReturnType<typeof tenantEm>) =>
    new Set((await em.find(Role, {})).map((role) => role.tenantId));
  assert.deepEqual(await roles(tenantEm(orm, 'acme')), new Set(['acme']));
  assert.deepEqual(await tenantEm(orm, 'beta').transactional((tx) => roles(tx)), new Set(['beta']));
  assert.deepEqual(await roles(engineEm(orm)), new Set(['acme', 'beta']));
  assert.deepEqual(await roles(orm.em.fork()), new Set());
  assert.deepEqual(await roles(tenantEm(orm, '')), new Set());
  const foreign = await engineEm(orm).findOneOrFail(Role, { tenantId: 'beta', name: 'Admin' });
  assert.equal(await tenantEm(orm, 'acme').findOne(Role, { id: foreign.id }), null);
  await assert.rejects(
    tenantEm(orm, 'acme').transactional((tx) =>
      rows(tx, sql`insert into roles (tenant_id, name, permissions) values ('beta', 'Thief', '{}')`),
    ),
    /row-level security/,
  );
  await assert.rejects(
    tenantEm(orm, 'acme').transactional(async (tx) => {
      tx.create(Role, { tenantId: 'beta', name: 'Thief', permissions: [] });
      await tx.flush();
    }),
    /row-level security/,
  );
});

test('no tenant stays on a connection that goes back to the pool', async () => {
  await Promise.all(
    Array.from({ length: 30 }, async (_, n) => {
      const tenantId = n % 2 === 0 ? 'acme' : 'beta';
      const found = await tenantEm(orm, tenantId).transactional((tx) =>
        rows<{ tenant_id: string }>(tx, sql`select distinct tenant_id from roles`),
      );
      assert.deepEqual(found, [{ tenant_id: tenantId }]);
    }),
  );
  const left = await Promise.all(
    Array.from({ length: 8 }, () =>
      orm.em
        .fork()
        .execute<{ tenant: string | null; role: string }[]>(
          `select nullif(current_setting('app.tenant_id', true), '') as tenant, current_user as role`,
        ),
    ),
  );
  for (const [row] of left) assert.deepEqual(row, { tenant: null, role: 'perennial_app' });
});

test('a tenant id that is SQL is text', async () => {
  const id = `x' or '1'='1`;
  assert.deepEqual(await tenantEm(orm, id).find(Role, {}), []);
  assert.deepEqual(await tenantEm(orm, `x', false); set role perennial_engine; --`).find(Role, {}), []);
});
