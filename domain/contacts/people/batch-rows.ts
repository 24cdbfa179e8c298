import { CompiledQuery } from 'kysely';
import type pg from 'pg';
import type { Contact } from '../../../db/entities/contacts.ts';
import { preparedHint, rows, sql, type EntityManager } from '../../../db/orm.ts';
import { companyNameKey } from '../../contact-values/find-or-create-company.ts';
import { findOrCreateCompanies } from '../import/companies.ts';
import { lockContacts, lockRangesOf } from '../../contact-values/lock-contacts.ts';
import { optionalSql, selectOptional } from '../../contact-values/optional-fields.ts';

const FIELDS = sql`
  id, tenant_id as "tenantId", first_name as "firstName", last_name as "lastName", email, email_key as "emailKey", phone, phone_e164 as "phoneE164",
  company_id as "companyId", status, tags, custom_fields as "customFields", version, ${sql.raw(selectOptional(''))}`;

/** Locks the contacts with these addresses and returns them. */
export async function contactsByKey(
  tx: EntityManager,
  tenantId: string,
  keys: readonly string[],
): Promise<Map<string, Contact>> {
  const found = await rows<{ id: number }>(
    tx,
    sql`${preparedHint}select id from contacts where tenant_id = ${tenantId} and email_key = any(${[...keys]}::text[])`,
  );
  if (found.length === 0) return new Map();
  const ids = await lockContacts(
    tx,
    tenantId,
    found.map((row) => row.id),
  );
  const contacts = await rows<Contact>(
    tx,
    sql`
    select ${FIELDS} from contacts where tenant_id = ${tenantId} and id = any(${ids}::bigint[]) and email_key = any(${[...keys]}::text[])`,
  );
  return new Map(contacts.map((contact) => [contact.emailKey, contact]));
}

export async function existingCompanies(
  tx: EntityManager,
  tenantId: string,
  ids: readonly number[],
): Promise<Set<number>> {
  if (ids.length === 0) return new Set();
  const found = await rows<{ id: number }>(
    tx,
    sql`select id from companies where tenant_id = ${tenantId} and id = any(${[...ids]}::bigint[])`,
  );
  return new Set(found.map((row) => row.id));
}

/** Companies by name key; of several with the same name the oldest. */
export async function companiesByName(
  tx: EntityManager,
  tenantId: string,
  names: readonly string[],
): Promise<Map<string, number>> {
  if (names.length === 0) return new Map();
  const found = await rows<{ key: string; id: number }>(
    tx,
    sql`
    select name_key as key, min(id) as id from companies where tenant_id = ${tenantId} and name_key = any(${[...new Set(names.map(companyNameKey))]}::text[]) group by name_key`,
  );
  return new Map(found.map(({ key, id }) => [key, id]));
}

/** Finds or creates the companies of these names. Returns a function from name to id. */
export async function resolveCompanies(
  tx: EntityManager,
  tenantId: string,
  names: string[],
): Promise<(name: string) => number> {
  const client = {
    query: (text: string, values: unknown[]) => tx.getKysely().executeQuery(CompiledQuery.raw(text, values)),
  };
  const { ids } = await findOrCreateCompanies(client as unknown as pg.ClientBase, tenantId, names);
  return (name) => ids.get(companyNameKey(name))!;
}

/** The JSON record that the columns of a contact are written from. */
const RECORD = sql`r(id bigint, "firstName" text, "lastName" text, email text, "emailKey" text, phone text, "phoneE164" text,
  "companyId" bigint, status text, tags text[], "customFields" jsonb, ${sql.raw(optionalSql((_, name) => `"${name}" text`))})`;
const record = (contacts: readonly Contact[]) =>
  sql`jsonb_to_recordset(${JSON.stringify(contacts)}::jsonb) as ${RECORD}`;

/**
 * Inserts contacts without companies, in address order like imports, to avoid deadlocks, and sets their ids. They are
 * locked then (`lockContacts`).
 */
export async function insertContacts(tx: EntityManager, tenantId: string, contacts: readonly Contact[]): Promise<void> {
  if (contacts.length === 0) return;
  const now = new Date();
  const made = await rows<{ id: number; key: string }>(
    tx,
    sql`${preparedHint}
    with made as (
      insert into contacts (tenant_id, first_name, last_name, email, email_key, phone, phone_e164, status, tags, custom_fields,
        ${sql.raw(optionalSql((column) => column))}, created_at, updated_at)
      select ${tenantId}, "firstName", "lastName", email, "emailKey", phone, "phoneE164", status, tags, "customFields",
        ${sql.raw(optionalSql((_, name) => `"${name}"`))}, ${now}::timestamptz, ${now}::timestamptz
      from ${record(contacts)} order by "emailKey" returning id, email_key as key
    ), ranges as materialized (${lockRangesOf(tenantId, sql`select id from made`)})
    select id, key from made where (select count(locked) from ranges) > 0`,
  );
  const ids = new Map(made.map(({ id, key }) => [key, id]));
  for (const contact of contacts) contact.id = ids.get(contact.emailKey)!;
}

/** Writes changed contacts and increments their versions. A company that was deleted in the meantime becomes null. */
export async function writeContacts(tx: EntityManager, tenantId: string, contacts: readonly Contact[]): Promise<void> {
  if (contacts.length === 0) return;
  await lockCompanies(tx, tenantId, contacts);
  await rows(
    tx,
    sql`
    update contacts c set first_name = r."firstName", last_name = r."lastName", email = r.email, created_email = nullif(coalesce(c.created_email, c.email), r.email), phone = r.phone, phone_e164 = r."phoneE164",
      company_id = k.id, status = r.status, tags = r.tags, custom_fields = r."customFields",
      ${sql.raw(optionalSql((column, name) => `${column} = r."${name}"`))}, version = c.version + 1, updated_at = ${new Date()}::timestamptz
    from ${record(contacts)} left join companies k on k.tenant_id = ${tenantId} and k.id = r."companyId"
    where c.tenant_id = ${tenantId} and c.id = r.id`,
  );
  for (const contact of contacts) contact.version = contact.version + 1;
}

/** Sets the companies of contacts that this transaction has inserted. */
export async function setCompanies(tx: EntityManager, tenantId: string, contacts: readonly Contact[]): Promise<void> {
  if (contacts.length === 0) return;
  await lockCompanies(tx, tenantId, contacts);
  await rows(
    tx,
    sql`
    update contacts c set company_id = k.id from ${record(contacts)} join companies k on k.tenant_id = ${tenantId} and k.id = r."companyId"
    where c.tenant_id = ${tenantId} and c.id = r.id`,
  );
}

/** Locks the companies against changes and deletion until the memberships are updated. */
async function lockCompanies(tx: EntityManager, tenantId: string, contacts: readonly Contact[]): Promise<void> {
  const ids = [...new Set(contacts.flatMap((contact) => contact.companyId ?? []))];
  if (ids.length > 0)
    await rows(
      tx,
      sql`select 1 from companies where tenant_id = ${tenantId} and id = any(${ids}::bigint[]) order by id for share`,
    );
}
