import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { campaignsUsing } from '../../campaign-definitions/in-use/campaigns-using.ts';
import { assertNotInUse, type Referrer } from '../../../lib/checks/errors.ts';

/**
 * Whether JSON (a filter, a definition, the fields of a form) refers to a custom field of contacts: as
 * `customFields.x`, or as `x` in an object that sets `customFields`.
 */
export function namesCustomField(json: unknown, name: string): boolean {
  if (typeof json !== 'object' || json === null) return json === `customFields.${name}`;
  return Object.entries(json as Record<string, unknown>).some(([key, value]) => {
    const sets = key === 'customFields' && typeof value === 'object' && value !== null && Object.hasOwn(value, name);
    return sets || key === `customFields.${name}` || namesCustomField(value, name);
  });
}

/**
 * Throws `in_use`, listing the users, if a segment, a running campaign, a form or an unfinished import refers to the
 * field.
 */
export async function assertFieldUnused(tx: EntityManager, tenantId: string, name: string): Promise<void> {
  const found = await rows<Referrer & { json: unknown }>(
    tx,
    sql`
    select 'segment' as kind, id, name, filter as json from segments where tenant_id = ${tenantId} and type = 'dynamic'
    union all
    select 'form', id, name, fields from forms where tenant_id = ${tenantId}
    union all
    select 'import', id, file_name, options from contact_imports where tenant_id = ${tenantId} and status in ('PENDING', 'RUNNING')
    order by 1, 2`,
  );
  assertNotInUse([
    ...(await campaignsUsing(tx, tenantId, (_ids, definition) => namesCustomField(definition, name))),
    ...found
      .filter(({ json }) => namesCustomField(json, name))
      .map(({ kind, id, name: called }) => ({ kind, id, name: called })),
  ]);
}
