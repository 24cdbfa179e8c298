import type pg from 'pg';

export interface Merged {
  id: number;
  email: string;
  inserted: boolean;
  version: number;
  changed: string[];
}

/** Fields that an import can change, as the API names them, and their columns. */
const FIELDS: [string, string][] = [
  ['firstName', 'first_name'], ['lastName', 'last_name'], ['email', 'email'], ['phone', 'phone'], ['jobTitle', 'job_title'], ['companyId', 'company_id'],
  ['status', 'status'], ['tags', 'tags'], ['customFields', 'custom_fields'], ['timezone', 'timezone'], ['locale', 'locale'], ['source', 'source'],
];

/**
 * Merges the staged rows into contacts: new ones inserted, existing ones updated where a value differs; an empty cell
 * leaves the value, custom fields are merged, a status is never lifted. Answers what was written.
 */
export async function mergeStage(client: pg.ClientBase, tenantId: string, emailKeys: string[]): Promise<Merged[]> {
  // Locked in id order, as everything that locks contacts does; and what they were, to tell what changed.
  await client.query(`
    create temporary table import_before on commit drop as
    select c.* from contacts c where c.tenant_id = $1 and c.email_key = any($2::text[]) order by c.id for no key update`, [tenantId, emailKeys]);
  const { rows } = await client.query<{ id: number; email: string; inserted: boolean; version: number; changed: string[] | null }>(`
    with merged as (
      insert into contacts as c (tenant_id, first_name, last_name, email, email_key, phone, phone_e164, job_title, company_id, status, tags, custom_fields, timezone, locale, source, created_at, updated_at)
      select $1, coalesce(first_name, ''), coalesce(last_name, ''), email, email_key, phone, phone_e164, job_title, company_id,
        coalesce(suppressed, status, 'active'), coalesce(array(select jsonb_array_elements_text(tags)), '{}'), coalesce(custom, '{}'),
        timezone, locale, source, now(), now()
      from import_stage order by email_key
      on conflict (tenant_id, email_key) do update set
        first_name = coalesce(nullif(excluded.first_name, ''), c.first_name), last_name = coalesce(nullif(excluded.last_name, ''), c.last_name),
        email = excluded.email, phone = coalesce(excluded.phone, c.phone),
        phone_e164 = case when excluded.phone is null then c.phone_e164 else excluded.phone_e164 end,
        job_title = coalesce(excluded.job_title, c.job_title), company_id = coalesce(excluded.company_id, c.company_id),
        status = case when c.status in ('active', 'pending') and excluded.status <> 'active' then excluded.status else c.status end,
        tags = case when excluded.tags = '{}' then c.tags else excluded.tags end, custom_fields = c.custom_fields || excluded.custom_fields,
        timezone = coalesce(excluded.timezone, c.timezone), locale = coalesce(excluded.locale, c.locale), source = coalesce(excluded.source, c.source),
        version = c.version + 1, updated_at = now()
      where (c.first_name, c.last_name, c.email, c.phone, c.job_title, c.company_id, c.tags, c.custom_fields, c.timezone, c.locale, c.source)
        is distinct from (coalesce(nullif(excluded.first_name, ''), c.first_name), coalesce(nullif(excluded.last_name, ''), c.last_name), excluded.email,
          coalesce(excluded.phone, c.phone), coalesce(excluded.job_title, c.job_title), coalesce(excluded.company_id, c.company_id),
          case when excluded.tags = '{}' then c.tags else excluded.tags end, c.custom_fields || excluded.custom_fields,
          coalesce(excluded.timezone, c.timezone), coalesce(excluded.locale, c.locale), coalesce(excluded.source, c.source))
        or (c.status in ('active', 'pending') and excluded.status not in ('active', c.status))
      returning c.*)
    select m.id, m.email, m.version, b.id is null as inserted,
      array_remove(array[${FIELDS.map(([name, column]) => `case when m.${column} is distinct from b.${column} then '${name}' end`).join(', ')}], null) as changed
    from merged m left join import_before b on b.id = m.id`, [tenantId]);
  return rows.map((row) => ({ ...row, changed: row.changed ?? [] }));
}
