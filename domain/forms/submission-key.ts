import { createHash } from 'node:crypto';
import { preparedHint, rows, sql, type EntityManager } from '../../db/orm.ts';
import type { SubmittedValue } from './checks/checked-field.ts';
import type { SentFile } from './files/check-file.ts';

/**
 * Identifies a submission from a browser by its form token, address, values and files, so that a second click, or
 * another try after a lost answer, stores nothing again. The address may be that of a known visitor, and no value.
 * CAPTCHA solutions are no part of it: another try has another one. Null without a token: a program that sends the same
 * values twice means two submissions.
 */
export function submissionKey(
  formToken: string | null,
  email: string,
  values: Record<string, SubmittedValue>,
  files: readonly SentFile[],
): string | null {
  if (formToken === null) return null;
  const sent = files.map(({ field, fileName, sha256 }) => [field, fileName, sha256]);
  return createHash('sha256')
    .update(JSON.stringify([formToken, email, values, sent]))
    .digest('hex')
    .slice(0, 32);
}

/**
 * The submission that was stored with a key; its contact is null if it has been deleted since. `madeContact`: whether
 * it made the contact.
 */
export async function submissionOf(
  em: EntityManager,
  tenantId: string,
  key: string,
): Promise<{ id: number; contactId: number | null; madeContact: boolean } | null> {
  const [found] = await em.transactional((tx) =>
    rows<{ id: number; contactId: number | null; madeContact: boolean }>(
      tx,
      sql`${preparedHint}
      select id, contact_id as "contactId", made_contact as "madeContact" from form_submissions where tenant_id = ${tenantId} and request_key = ${key}`,
    ),
  );
  return found ?? null;
}
