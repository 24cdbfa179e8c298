import type pg from 'pg';
import { companyNameKey } from '../../contact-values/find-or-create-company.ts';

type Ids = Map<string, number>;

async function findCompanies(client: pg.ClientBase, tenantId: string, keys: string[]): Promise<Ids> {
  if (keys.length === 0) return new Map();
  // Locks the companies against deletion. The oldest of a name comes last, so it is the one in the map.
  const { rows } = await client.query<{ name_key: string; id: number }>(
    'select name_key, id from companies where tenant_id = $1 and name_key = any($2::text[]) order by id desc for key share',
    [tenantId, keys],
  );
  return new Map(rows.map((row) => [row.name_key, row.id]));
}

/**
 * The companies of these names, ignoring case, by key; creates missing ones. The bulk form of findOrCreateCompany,
 * with the same locks: waits for transactions that create the same companies. `made` are the ids of the new ones.
 */
export async function findOrCreateCompanies(
  client: pg.ClientBase,
  tenantId: string,
  names: string[],
): Promise<{ ids: Ids; made: number[] }> {
  const byKey = new Map(names.map((name) => [companyNameKey(name), name] as const).reverse());
  const found = await findCompanies(client, tenantId, [...byKey.keys()]);
  const missing = [...byKey.keys()].filter((key) => !found.has(key));
  if (missing.length === 0) return { ids: found, made: [] };
  await client.query(
    `
    select pg_advisory_xact_lock(hashtext('company-name'), h)
    from (select distinct hashtext($1 || '/' || k) as h from unnest($2::text[]) as k order by 1) locks`,
    [tenantId, missing],
  );
  const meanwhile = await findCompanies(client, tenantId, missing);
  const toMake = missing.filter((key) => !meanwhile.has(key)).sort();
  const { rows } = await client.query<{ name_key: string; id: number }>(
    `
    insert into companies (tenant_id, name, name_key) select $1, n, k from unnest($2::text[], $3::text[]) as u(n, k) returning name_key, id`,
    [tenantId, toMake.map((key) => byKey.get(key)!.trim().normalize('NFC')), toMake],
  );
  return {
    ids: new Map([...found, ...meanwhile, ...rows.map((row) => [row.name_key, row.id] as const)]),
    made: rows.map(({ id }) => id),
  };
}
