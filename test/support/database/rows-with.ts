import pg from 'pg';

/** Every row of every table that contains a text, as the owner of the tables sees them: `table: row`. */
export async function rowsWith(ownerUrl: string, text: RegExp): Promise<string[]> {
  const client = new pg.Client({ connectionString: ownerUrl });
  await client.connect();
  try {
    const tables = await client.query<{ name: string }>(
      `select c.oid::regclass::text as name from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'`,
    );
    const found: string[] = [];
    for (const { name } of tables.rows) {
      const { rows } = await client.query<{ row: string }>(`select t::text as row from ${name} t`);
      found.push(...rows.filter(({ row }) => text.test(row)).map(({ row }) => `${name}: ${row}`));
    }
    return found;
  } finally {
    await client.end();
  }
}
