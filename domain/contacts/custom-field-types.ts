import type { EntityManager } from '../../db/orm.ts';
import type { CustomFieldType } from './custom-values.ts';

/** The tenant's custom fields of contacts by name. None can be defined yet. */
export async function customFieldTypes(_tx: EntityManager, _tenantId: string): Promise<ReadonlyMap<string, CustomFieldType>> {
  return new Map();
}
