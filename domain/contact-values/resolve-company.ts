import { rows, sql, type EntityManager } from '../../db/orm.ts';
import { assertValid, type Violation } from '../../lib/checks/errors.ts';
import type { ContactValues } from './contact-values.ts';
import { findOrCreateCompany } from './find-or-create-company.ts';

export const COMPANY_TWICE: Violation = {
  path: '/company',
  code: 'conflict',
  message: 'give companyId, or company as a name, not both',
};

export const noCompany = (id: number): Violation => ({
  path: '/companyId',
  code: 'not_found',
  message: `there is no company ${id}`,
});

/** The violations of the company in values: there is none with that id, or both id and name are given. */
export async function companyViolations(
  tx: EntityManager,
  tenantId: string,
  { companyId, company }: ContactValues,
): Promise<Violation[]> {
  if (companyId == null) return [];
  if (company != null) return [COMPANY_TWICE];
  // For share: the company must not be changed or deleted before this transaction has evaluated the contact with it.
  const found = await rows(
    tx,
    sql`select 1 from companies where tenant_id = ${tenantId} and id = ${companyId} for share`,
  );
  return found.length > 0 ? [] : [noCompany(companyId)];
}

/**
 * The company in values, by `companyId` or `company`: its id, null to clear it, undefined if neither is given. Throws
 * `validation_failed` with `companyViolations`.
 */
export async function resolveCompany(
  tx: EntityManager,
  tenantId: string,
  values: ContactValues,
): Promise<number | null | undefined> {
  const { companyId, company } = values;
  assertValid(await companyViolations(tx, tenantId, values));
  if (company != null) return findOrCreateCompany(tx, tenantId, company);
  return companyId == null && company === null ? null : companyId;
}
