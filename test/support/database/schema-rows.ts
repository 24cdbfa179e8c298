import type pg from 'pg';

export interface Column {
  name: string;
  type: string;
  required: boolean;
  /** The first value that its CHECK allows. */
  allowed: string | null;
}

export interface ForeignKey {
  name: string;
  table: string;
  columns: string[];
  parent: string;
  parentColumns: string[];
}

/** Service-wide tables, which no tenant sees. */
export const SERVICE_TABLES = [
  'analytics_horizons',
  'bounce_mailboxes',
  'email_provider_rates',
  'email_providers',
  'installation',
  'workflow_comparison',
];

/** The tables with rows of tenants: the whole schema without the list of migrations and partitions. */
export async function tenantTables(owner: pg.Client): Promise<string[]> {
  const { rows } = await owner.query<{ name: string }>(
    `
    select relname as name from pg_class c where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
      and relname <> 'mikro_orm_migrations' and relname <> all ($1) and not exists (select 1 from pg_inherits where inhrelid = c.oid) order by 1`,
    [SERVICE_TABLES],
  );
  return rows.map((row) => row.name);
}

export async function columnsOf(owner: pg.Client, table: string): Promise<Column[]> {
  const { rows } = await owner.query<Column>(
    `
    select a.attname as name, format_type(a.atttypid, null) as type, a.attnotnull and not a.atthasdef as required,
      (select (regexp_match(pg_get_constraintdef(c.oid), '''([^'']*)''::text'))[1] from pg_constraint c
        where c.conrelid = a.attrelid and c.contype = 'c' and c.conkey = array[a.attnum] limit 1) as allowed
    from pg_attribute a where a.attrelid = $1::regclass and a.attnum > 0 and not a.attisdropped order by a.attnum`,
    [table],
  );
  return rows;
}

export async function foreignKeys(owner: pg.Client): Promise<ForeignKey[]> {
  const names = (key: string, table: string) =>
    `(select array_agg(attname::text order by n) from unnest(${key}) with ordinality k(attnum, n) join pg_attribute a on a.attnum = k.attnum and a.attrelid = ${table})`;
  const { rows } = await owner.query<ForeignKey>(`
    select conname as name, conrelid::regclass::text as table, ${names('conkey', 'conrelid')} as columns, confrelid::regclass::text as parent, ${names('confkey', 'confrelid')} as "parentColumns"
    from pg_constraint where contype = 'f' and connamespace = 'public'::regnamespace and conparentid = 0 order by 1`);
  return rows;
}

const SAMPLES: Record<string, unknown> = {
  bigint: 1,
  integer: 1,
  smallint: 1,
  'double precision': 1,
  boolean: true,
  jsonb: '{}',
  'text[]': [],
  'bigint[]': [],
  uuid: '0190d2a4-7b1c-4c5e-9f3a-2b6d8e4f1a90',
  bit: '0'.repeat(4096),
  date: '2030-01-31',
  'timestamp with time zone': '2030-01-31T09:30:00Z',
};

/** Inserts a row with a value in every required column; `values` have precedence. Returns the statement's promise. */
export async function insertRow(
  client: pg.Client,
  table: string,
  columns: Column[],
  values: Record<string, unknown>,
): Promise<void> {
  const wanted = columns.filter((column) => column.required || column.name in values);
  const row = wanted.map((column) =>
    column.name in values
      ? values[column.name]
      : (column.allowed ?? SAMPLES[column.type] ?? `x${String(values['tenant_id'])}`),
  );
  const names = wanted.map((column) => `"${column.name}"`).join();
  const given = wanted.length > 0 ? `(${names}) values (${row.map((_, n) => `$${n + 1}`).join()})` : 'default values';
  await client.query(`insert into "${table}" ${given}`, row);
}
