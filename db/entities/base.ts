import { isDeepStrictEqual } from 'node:util';
import { JsonType, p, type PolicyDef } from '@mikro-orm/core';

/**
 * The role of the relay, consumers, claims and compiled segment SQL. It sees every tenant, so every key it uses
 * includes the tenant.
 */
export const ENGINE_ROLE = 'perennial_engine';

/** The variable of a session that says which tenant it sees. */
export const TENANT_VARIABLE = 'app.tenant_id';

/** Row-level security of tenant tables: a session sees its own tenant; the engine role sees all. */
export const tenantTable = {
  rowLevelSecurity: 'force' as const,
  policies: [
    {
      name: 'tenant',
      using: `tenant_id = current_setting('${TENANT_VARIABLE}', true)`,
      check: `tenant_id = current_setting('${TENANT_VARIABLE}', true)`,
    },
    { name: 'engine', roles: [ENGINE_ROLE], using: 'true', check: 'true' },
  ] satisfies PolicyDef[],
};

/** Row-level security of service-wide tables: only the engine role can read and write them. */
export const engineTable = {
  rowLevelSecurity: 'force' as const,
  policies: [{ name: 'engine', roles: [ENGINE_ROLE], using: 'true', check: 'true' }] satisfies PolicyDef[],
};

export const id = () => p.bigint('number').primary().autoincrement();
export const bigid = () => p.bigint('number');
export const tenantId = () => p.string().length(50);
export const timestamp = () => p.datetime(3);

const parsed = (value: unknown): unknown => (typeof value === 'string' ? JSON.parse(value) : value);
/** jsonb does not keep the order of keys, so a different order is no change and must not increment the version. */
class UnorderedJson extends JsonType {
  override compareValues(one: unknown, other: unknown): boolean {
    return one === other || isDeepStrictEqual(parsed(one), parsed(other));
  }
}
export const json = <T>() => p.type(UnorderedJson).$type<T>();

const now = () => new Date();

/** `createdAt`, `updatedAt`, `version` of a resource that the API edits. */
export const resourceColumns = () => ({
  version: p.integer().version().default(1),
  createdAt: timestamp().onCreate(now).defaultRaw('now()'),
  updatedAt: timestamp().onCreate(now).onUpdate(now).defaultRaw('now()'),
});
