import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import pg from 'pg';
import { SERVICE_TABLES, tenantTables } from '../../support/database/schema-rows.ts';
import { APPEND_ONLY, ask, connectLogins, rolledBack, type Logins } from '../../support/database/logins.ts';

const SCHEMA = `'public'::regnamespace`;
const ROLES = ['perennial_app', 'perennial_engine'] as const;
type Role = (typeof ROLES)[number];

/** Every function that runs as the owner, and who needs it: one that is added here was read by somebody. None takes a tenant. */
const DEFINERS: Record<string, readonly Role[]> = {
  'analytics_horizon()': ['perennial_app'],
  'analyze_people()': ['perennial_app'],
  'drop_analytics_partitions(date)': ['perennial_engine'],
  'drop_inbox_partitions(date)': ['perennial_engine'],
  'drop_webhook_partitions(date)': ['perennial_engine'],
  'ensure_analytics_partition(date)': ['perennial_engine'],
  'ensure_inbox_partition(date)': ['perennial_engine'],
  'ensure_webhook_partitions(date)': ['perennial_engine'],
  'raise_sequences(jsonb, bigint)': ['perennial_engine'],
  'received_texts_of(bigint[])': ['perennial_app'],
  'search_contacts(text, integer)': ['perennial_app'],
  'take_mail(text, integer)': ['perennial_app'],
};
/** Functions of triggers, which run as whoever changes the ledgers or contacts, and see what that one may see. */
const OF_TRIGGERS = [
  'count_changed_clicks()',
  'count_changed_emails()',
  'count_changed_messages()',
  'count_new_clicks()',
  'count_new_emails()',
  'count_new_messages()',
  'count_push_opt_outs()',
  'count_text_opt_outs()',
  'keep_former_addresses()',
];
/** The partitions that they make of 2031-01-01. */
const MADE: Record<string, { of: string; partition: string }> = {
  'ensure_inbox_partition(date)': { of: 'inbox', partition: 'inbox_20310101' },
  'ensure_analytics_partition(date)': { of: 'analytics_events', partition: 'analytics_events_203101' },
};
const SEARCH_PATH = ['search_path=pg_catalog, public, pg_temp'];

let logins: Logins;
let owner: pg.Client;
let app: pg.Client;

beforeAll(async () => {
  logins = await connectLogins();
  ({ owner, app } = logins);
});
afterAll(async () => {
  await logins.end();
});

/** Not what an extension brought. */
const own = (catalogue: string) =>
  `not exists (select 1 from pg_depend d where d.classid = '${catalogue}'::regclass and d.objid = o.oid and d.deptype = 'e')`;
/** Who besides the owner has what on a row `o` of a catalogue, as `role privilege`. */
const grants = (acl: string, ofOwner: string) => `array(
  select case grantee when 0 then 'PUBLIC' else grantee::regrole::text end || ' ' || privilege_type || case when is_grantable then ' grantable' else '' end
  from aclexplode(coalesce(${acl}, acldefault(${ofOwner}))) where grantee <> o.relowner order by 1)`;

test("what runs as the owner searches pg_temp last, is the owner's, and is for those alone who need it", async () => {
  const found = await ask<{ name: string; config: string[] | null; owner: string; executable: string[] }>(
    owner,
    `
    select oid::regprocedure::text as name, proconfig as config, proowner::regrole::text as owner, array(
      select case grantee when 0 then 'PUBLIC' else grantee::regrole::text end from aclexplode(coalesce(proacl, acldefault('f', proowner)))
      where grantee <> proowner and privilege_type = 'EXECUTE' order by 1) as executable
    from pg_proc o where prosecdef and pronamespace not in ('pg_catalog'::regnamespace, 'information_schema'::regnamespace) order by 1`,
  );
  const [{ name: schemaOwner } = { name: '' }] = await ask<{ name: string }>(
    owner,
    `select relowner::regrole::text as name from pg_class where oid = 'contacts'::regclass`,
  );
  assert.deepEqual(
    Object.fromEntries(found.map(({ name, executable }) => [name.replace(',', ', ').replace('  ', ' '), executable])),
    DEFINERS,
  );
  for (const { name, config, owner: functionOwner } of found) {
    assert.deepEqual(
      config?.filter((setting) => setting.startsWith('search_path=')),
      SEARCH_PATH,
      name,
    );
    assert.equal(functionOwner, schemaOwner, name);
  }
});

test('no function that runs as the owner can be made to run what its caller has made', async () => {
  // Types and tables of pg_temp go before those of pg_catalog, where the search path does not name it last.
  const calls = {
    'analytics_horizon()': '',
    'ensure_analytics_partition(date)': `'2031-01-01'`,
    'drop_analytics_partitions(date)': `'2001-01-01'`,
    'ensure_inbox_partition(date)': `'2031-01-01'`,
    'ensure_webhook_partitions(date)': `'2031-01-01'`,
    'drop_inbox_partitions(date)': `'2001-01-01'`,
    'drop_webhook_partitions(date)': `'2001-01-01'`,
    'raise_sequences(jsonb, bigint)': `'{}', 1`,
    'received_texts_of(bigint[])': `'{1}'`,
    'search_contacts(text, integer)': `'x', 1`,
    'analyze_people()': '',
    'take_mail(text, integer)': `'x', 5`,
  };
  assert.deepEqual(Object.keys(calls).sort(), Object.keys(DEFINERS).sort());
  for (const [name, args] of Object.entries(calls)) {
    // A session of its own: a function is compiled once for each.
    const session = new pg.Client({ connectionString: logins.slot.env['DATABASE_URL'] });
    await session.connect();
    try {
      await session.query('begin');
      await session.query(`set local role ${DEFINERS[name]![0]}`);
      await session.query(`create function pg_temp.trap(given pg_catalog.text) returns boolean language plpgsql as $$
        begin raise exception 'a function of the caller runs as %', current_user; end $$`);
      await session.query('create domain pg_temp.text as pg_catalog.text check (pg_temp.trap(value))');
      await session.query('create domain pg_temp.int as pg_catalog.int4 check (pg_temp.trap(value::pg_catalog.text))');
      await session.query(
        'create temporary table inbox (tenant_id pg_catalog.varchar, day pg_catalog.date) partition by range (day)',
      );
      await session.query(
        'create temporary table analytics_events (tenant_id pg_catalog.varchar, at pg_catalog.timestamptz) partition by range (at)',
      );
      await session.query('create temporary table analytics_horizons (at pg_catalog.timestamptz)');
      await session.query('create temporary table contacts (id pg_catalog.int8)');
      await session.query(
        'create temporary table rate_buckets (bucket pg_catalog.varchar primary key, tenant_id pg_catalog.varchar, tokens pg_catalog.float8, at pg_catalog.timestamptz, taken pg_catalog.int4)',
      );
      await session.query(`select ${name.slice(0, name.indexOf('('))}(${args})`);
      const made = MADE[name];
      if (made) {
        const [parent] = await ask(
          session,
          `select inhparent = 'public.${made.of}'::regclass as ours from pg_inherits where inhrelid = 'public.${made.partition}'::regclass`,
        );
        assert.deepEqual(parent, { ours: true });
      }
    } finally {
      await session.query('rollback');
      await session.end();
    }
  }
});

test('everyone has nothing in our schema, and nothing that is made in it later', async () => {
  const functions = await ask<{ name: string }>(
    owner,
    `
    select oid::regprocedure::text as name from pg_proc o where pronamespace = ${SCHEMA} and ${own('pg_proc')} and has_function_privilege('public', oid, 'execute')`,
  );
  assert.deepEqual(functions, []);
  const relations = await ask(
    owner,
    `select relname from pg_class o where relnamespace = ${SCHEMA} and relacl::text ~ '[{,]=' and ${own('pg_class')}`,
  );
  assert.deepEqual(relations, []);
  const columns = await ask(
    owner,
    `select attrelid::regclass::text, attname from pg_attribute a join pg_class o on o.oid = attrelid where relnamespace = ${SCHEMA} and attacl is not null`,
  );
  assert.deepEqual(columns, [], 'columns with grants of their own');
  for (const role of ['public', ...ROLES]) {
    assert.deepEqual(
      await ask(owner, `select has_schema_privilege($1, 'public', 'create') as make`, [role]),
      [{ make: false }],
      role,
    );
  }
  await rolledBack(owner, async () => {
    await owner.query(`create function made_later() returns int language sql as 'select 1'`);
    await owner.query('create table made_later_too (id bigserial primary key)');
    for (const role of ['public', ...ROLES]) {
      assert.deepEqual(
        await ask(
          owner,
          `
        select has_function_privilege($1, 'made_later()', 'execute') as run, has_table_privilege($1, 'made_later_too', 'select, insert, update, delete, truncate, references, trigger') as use,
          has_sequence_privilege($1, 'made_later_too_id_seq', 'usage, select, update') as count`,
          [role],
        ),
        [{ run: false, use: false, count: false }],
        role,
      );
    }
  });
});

test('the service has of each table what it needs, and may pass nothing on', async () => {
  const all = ['DELETE', 'INSERT', 'SELECT', 'UPDATE'];
  const may = (roles: readonly Role[], privileges: readonly string[]) =>
    roles.flatMap((role) => privileges.map((privilege) => `${role} ${privilege}`));
  const tenants = await tenantTables(owner);
  const wanted = Object.fromEntries([
    ...tenants.map((table): [string, string[]] => [
      table,
      may(ROLES, APPEND_ONLY.includes(table) ? ['INSERT', 'SELECT'] : all),
    ]),
    ...SERVICE_TABLES.map((table): [string, string[]] => [table, may(['perennial_engine'], all)]),
  ]);
  const found = await ask<{ name: string; grants: string[] }>(
    owner,
    `
    select relname as name, ${grants('relacl', `'r', relowner`)} as grants from pg_class o where relnamespace = ${SCHEMA} and relkind in ('r', 'p', 'v', 'm', 'f')`,
  );
  for (const { name, grants: given } of found) assert.deepEqual(given, wanted[name] ?? [], name);
});

test('the service draws from the sequences of its own tables, and sets none', async () => {
  const found = await ask<{ name: string; of: string | null; grants: string[] }>(
    owner,
    `
    select relname as name, (select refobjid::regclass::text from pg_depend where objid = o.oid and deptype in ('a', 'i') and refclassid = 'pg_class'::regclass limit 1) as of,
      ${grants('relacl', `'s', relowner`)} as grants
    from pg_class o where relnamespace = ${SCHEMA} and relkind = 'S'`,
  );
  assert.ok(found.length > 20);
  for (const { name, of, grants: given } of found) {
    assert.deepEqual(given, of === 'mikro_orm_migrations' ? [] : ROLES.map((role) => `${role} USAGE`), name);
  }
});

test('nothing in the schema goes around row security: no view, no rule, no other trigger, no function of another language', async () => {
  assert.deepEqual(
    await ask(owner, `select relname from pg_class where relnamespace = ${SCHEMA} and relkind in ('v', 'm', 'f')`),
    [],
  );
  assert.deepEqual(
    await ask(
      owner,
      `
      select tgfoid::regprocedure::text as name, prosecdef as definer from pg_trigger t join pg_class o on o.oid = tgrelid join pg_proc f on f.oid = tgfoid
      where relnamespace = ${SCHEMA} and not tgisinternal order by 1`,
    ),
    OF_TRIGGERS.map((name) => ({ name, definer: false })),
  );
  assert.deepEqual(await ask(owner, `select rulename from pg_rules where schemaname = 'public'`), []);
  assert.deepEqual(await ask(owner, `select extname from pg_extension order by 1`), [
    { extname: 'pg_trgm' },
    { extname: 'plpgsql' },
  ]);
  const functions = await ask<{ name: string }>(
    owner,
    `
    select oid::regprocedure::text as name from pg_proc o where pronamespace = ${SCHEMA} and ${own('pg_proc')} order by 1`,
  );
  assert.deepEqual(
    functions.map(({ name }) => name.replace(',', ', ')),
    [...Object.keys(DEFINERS), ...OF_TRIGGERS].sort(),
  );
});

test("search_contacts answers the ids of the session's tenant, whatever it is asked", async () => {
  for (const tenantId of ['one', 'two']) {
    await owner.query(
      `insert into contacts (tenant_id, first_name, last_name, email, email_key) values ($1, 'Zebra', 'Zebra', 'zebra@example.com', 'zebra@example.com')`,
      [tenantId],
    );
  }
  const found = (pattern: string) =>
    ask<{ tenant_id: string }>(owner, 'select tenant_id from contacts where id = any($1)', [pattern]);
  for (const tenantId of ['one', 'two', '', null]) {
    for (const pattern of ['%zebra%', '%', `%' or tenant_id <> '`]) {
      const ids = await rolledBack(app, async () => {
        if (tenantId !== null) await app.query(`select set_config('app.tenant_id', $1, true)`, [tenantId]);
        return (await ask<{ id: string }>(app, 'select search_contacts($1, 100)::text as id', [pattern])).map(
          ({ id }) => id,
        );
      });
      const tenants = (await found(`{${ids.join()}}`)).map((row) => row.tenant_id);
      assert.deepEqual(tenants, tenantId && !pattern.includes('<>') ? [tenantId] : [], `${tenantId} ${pattern}`);
    }
  }
});

test("received_texts_of answers the ids of the session's tenant, whatever it is asked", async () => {
  const contact = 987_654;
  for (const tenantId of ['one', 'two'])
    await owner.query(
      `insert into inbound_texts (tenant_id, provider_id, provider_message_id, from_address, text, opt_out, contact_ids)
      values ($1, 1, 'x', '+442079460958', 'Hi', 'no', $2), ($1, 1, 'y', '+442079460958', 'Hi', 'no', '{1}')`,
      [tenantId, `{1,${contact}}`],
    );
  for (const tenantId of ['one', 'two', '', null]) {
    const ids = await rolledBack(app, async () => {
      if (tenantId !== null) await app.query(`select set_config('app.tenant_id', $1, true)`, [tenantId]);
      return ask<{ id: string }>(app, 'select received_texts_of($1)::text as id', [`{${contact}}`]);
    });
    const found = await ask(
      owner,
      'select tenant_id, provider_message_id as key from inbound_texts where id = any($1)',
      [`{${ids.map(({ id }) => id).join()}}`],
    );
    assert.deepEqual(found, tenantId ? [{ tenant_id: tenantId, key: 'x' }] : []);
  }
});
