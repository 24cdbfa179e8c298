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

/** A submission that was stored with a key. */
export interface Stored {
  id: number;
  /** Null if it has been deleted since. */
  contactId: number | null;
  /** Whether the submission made the contact. */
  madeContact: boolean;
}

/** The submissions that were stored with these keys, by key. */
export async function submissionsOf(
  tx: EntityManager,
  tenantId: string,
  keys: readonly string[],
): Promise<Map<string, Stored>> {
  if (keys.length === 0) return new Map();
  const found = await rows<Stored & { key: string }>(
    tx,
    sql`${preparedHint}
    select replace(request_key::text, '-', '') as key, id, contact_id as "contactId", made_contact as "madeContact"
    from form_submissions where tenant_id = ${tenantId} and request_key = any(${[...keys]}::uuid[])`,
  );
  return new Map(found.map(({ key, ...stored }) => [key, stored]));
}
