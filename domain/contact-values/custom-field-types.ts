import { rows, sql, type EntityManager } from '../../db/orm.ts';
import type { CUSTOM_FIELD_ENTITIES } from '../../db/entities/contacts.ts';
import type { CustomFieldType } from './custom-values.ts';

export type CustomFieldEntity = (typeof CUSTOM_FIELD_ENTITIES)[number];
export type CustomFieldTypes = ReadonlyMap<string, CustomFieldType>;

/**
 * The advisory lock of a tenant's definitions: shared by transactions that rely on them, exclusive while one is
 * deleted.
 */
const lockOf = (tenantId: string) => sql`hashtext('custom fields of ' || ${tenantId}::text), 0`;

/** Waits for all transactions that have read the tenant's definitions, and blocks new readers until this one ends. */
export async function lockCustomFields(tx: EntityManager, tenantId: string): Promise<void> {
  await rows(tx, sql`select pg_advisory_xact_lock(${lockOf(tenantId)})`);
}

/**
 * A cache per transaction. It stays valid, because deleting a definition waits for all transactions that have read it.
 */
const known = new WeakMap<object, Map<string, CustomFieldTypes>>();

/** The tenant's custom fields by name; read once per transaction. */
export async function customFieldTypes(
  tx: EntityManager,
  tenantId: string,
  entity: CustomFieldEntity = 'contact',
): Promise<CustomFieldTypes> {
  const transaction = tx.getTransactionContext<object>();
  const read = transaction && (known.get(transaction) ?? known.set(transaction, new Map()).get(transaction)!);
  const key = `${entity} ${tenantId}`;
  const before = read?.get(key);
  if (before) return before;
  // In a separate statement, so that the next one sees what was committed while this one waited.
  await rows(tx, sql`select pg_advisory_xact_lock_shared(${lockOf(tenantId)})`);
  const found = await rows<{ name: string; type: CustomFieldType['type']; options: string[] | null }>(
    tx,
    sql`
    select name, type, options from custom_fields where tenant_id = ${tenantId} and entity = ${entity} order by id`,
  );
  const types = new Map(found.map(({ name, type, options }) => [name, options ? { type, options } : { type }]));
  read?.set(key, types);
  return types;
}

/** The tenant's custom fields, if there are `names` to look up; else none, without a query. */
export const typesFor = async (
  tx: EntityManager,
  tenantId: string,
  names: readonly string[],
): Promise<CustomFieldTypes> => (names.length > 0 ? customFieldTypes(tx, tenantId) : new Map());
