import { Contact } from '../../db/entities/contacts.ts';
import { rows, sql, type EntityManager } from '../../db/orm.ts';
import { customFieldTypes } from '../contact-values/custom-field-types.ts';
import { assertValid } from '../../lib/checks/errors.ts';
import { checkTenantFilter } from './check-segment-filter.ts';
import { compileFilter } from '../membership/compile/compile.ts';
import type { Filter } from '../membership/filter/filter.ts';

const SAMPLE = 10;

/** The number of contacts that match a filter, and the newest of them. Throws `validation_failed`. */
export async function previewSegment(
  em: EntityManager,
  tenantId: string,
  filter: Filter,
): Promise<{ count: number; sample: Contact[] }> {
  return em.transactional(async (tx) => {
    assertValid(await checkTenantFilter(tx, tenantId, filter));
    const condition = compileFilter(filter, 'c', { customFields: await customFieldTypes(tx, tenantId) });
    const fits = sql`from contacts c where c.tenant_id = ${tenantId} and ${condition}`;
    const [{ n: count } = { n: 0 }] = await rows<{ n: number }>(tx, sql`select count(*) as n ${fits}`);
    const found = await rows<{ id: number }>(tx, sql`select c.id ${fits} order by c.id desc limit ${SAMPLE}`);
    const sample = await tx.find(Contact, { id: { $in: found.map((row) => row.id) } }, { orderBy: { id: 'desc' } });
    return { count, sample };
  });
}
