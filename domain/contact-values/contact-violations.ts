import type { EntityManager } from '../../db/orm.ts';
import type { Violation } from '../../lib/checks/errors.ts';
import { checkContactValues, type ContactInput, type ContactStatus } from './contact-values.ts';
import { customFieldTypes } from './custom-field-types.ts';
import { companyViolations } from './resolve-company.ts';
import { statusViolations } from './status-rules.ts';

/** All violations of an input for a contact with this status (`active` for a new one). */
export async function contactViolations(
  tx: EntityManager,
  tenantId: string,
  input: ContactInput,
  status: ContactStatus,
): Promise<Violation[]> {
  const { values, violations } = checkContactValues(input, await customFieldTypes(tx, tenantId));
  return [
    ...violations,
    ...statusViolations(values.status, status),
    ...(await companyViolations(tx, tenantId, values)),
  ];
}
