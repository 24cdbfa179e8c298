import { retriedTransaction, rows, sql, type EntityManager } from '../../../db/orm.ts';
import { appendAudit, type Author } from '../../audit/audit.ts';
import { notFound } from '../../common/errors.ts';
import { stopExecutionsOfContact } from '../../campaigns/execution/stop-executions.ts';
import { suppressEmailsTo } from '../../emails/ledger/suppress-emails.ts';
import { removeScores } from '../../scoring/remove-scores.ts';
import { assertNotBeingErased } from './being-erased.ts';
import { lockContacts } from '../values/lock-contacts.ts';

/**
 * Deletes a contact with its activities, memberships and scores, stops its executions, and suppresses its mail that is
 * still queued. `check` is given its version and may refuse. Throws `not_found`, and
 * `conflict` while it is being erased.
 */
export async function deleteContact(
  em: EntityManager,
  author: Author,
  id: number,
  check: (version: number) => void,
): Promise<void> {
  await retriedTransaction(em, async (tx) => {
    await removeContact(tx, author.tenantId, id, 'contact_deleted', check);
    await appendAudit(tx, author, { action: 'contact.deleted', resourceType: 'contact', resourceId: id });
  });
}

/** The same in the transaction `tx`, for a reason that its executions and mail are given. */
export async function removeContact(
  tx: EntityManager,
  tenantId: string,
  id: number,
  reason: 'contact_deleted' | 'contact_erased',
  check: (version: number) => void = () => undefined,
): Promise<void> {
  // Before the contact is locked: a step locks its execution first and then the contact.
  await stopExecutionsOfContact(tx, tenantId, id, reason);
  await lockContacts(tx, tenantId, [id]);
  const [contact] = await rows<{ version: number }>(
    tx,
    sql`
    select version from contacts where tenant_id = ${tenantId} and id = ${id} for update`,
  );
  if (!contact) throw notFound('contact', id);
  check(contact.version);
  if (reason === 'contact_deleted') await assertNotBeingErased(tx, tenantId, [id]);
  await suppressEmailsTo(tx, tenantId, id, reason);
  await removeScores(tx, tenantId, 'contact', [id]);
  // Activities and memberships go with it; submissions stay without it.
  await rows(tx, sql`delete from contacts where tenant_id = ${tenantId} and id = ${id}`);
}
