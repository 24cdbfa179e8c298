import { freshTransaction, rows, sql, type EntityManager } from '../../../db/orm.ts';
import { appendAudit, type Author } from '../../audit/audit.ts';
import { detachChannels } from '../../channels/people/move-channels.ts';
import { suppressMessagesTo } from '../../channels/queue/suppress-messages.ts';
import { notFound } from '../../../lib/checks/errors.ts';
import { stopExecutionsOfContact } from '../../campaigns/execution/stop-executions.ts';
import { suppressEmailsTo } from '../../emails/ledger/suppress-emails.ts';
import { removeScores } from '../../scoring/scores/remove-scores.ts';
import { endMemberships } from '../../membership/members/past-members.ts';
import { assertNotBeingErased } from '../../contact-values/being-erased.ts';
import { lockContacts } from '../../contact-values/lock-contacts.ts';

/**
 * Deletes a contact with its activities, memberships and scores, stops its executions, and suppresses its QUEUED
 * emails and messages. `check` gets the current version and may throw. Throws `not_found`, and `conflict` if the contact is being
 * erased.
 */
export async function deleteContact(
  em: EntityManager,
  author: Author,
  id: number,
  check: (version: number) => void,
): Promise<void> {
  await freshTransaction(em, async (tx) => {
    await removeContact(tx, author.tenantId, id, 'contact_deleted', check);
    await appendAudit(tx, author, { action: 'contact.deleted', resourceType: 'contact', resourceId: id });
  });
}

/** The same within the transaction `tx`, with the reason for its executions and emails. */
export async function removeContact(
  tx: EntityManager,
  tenantId: string,
  id: number,
  reason: 'contact_deleted' | 'contact_erased',
  check: (version: number) => void = () => undefined,
): Promise<void> {
  check(await lockForRemoval(tx, tenantId, id, reason));
  if (reason === 'contact_deleted') await assertNotBeingErased(tx, tenantId, [id]);
  await suppressEmailsTo(tx, tenantId, id, reason);
  await suppressMessagesTo(tx, tenantId, [id], reason);
  await detachChannels(tx, tenantId, [id]);
  await removeScores(tx, tenantId, 'contact', [id]);
  await endMemberships(tx, tenantId, [id]);
  // Activities are deleted by cascade; submissions remain, without the contact.
  await rows(tx, sql`delete from contacts where tenant_id = ${tenantId} and id = ${id}`);
}

/**
 * Stops the executions of a contact and locks it, so that nothing can refer to it any more until the transaction ends.
 * Returns its version. Throws `not_found`.
 */
export async function lockForRemoval(
  tx: EntityManager,
  tenantId: string,
  id: number,
  reason: 'contact_deleted' | 'contact_erased',
): Promise<number> {
  // Before locking the contact: a step locks its execution first and then the contact.
  await stopExecutionsOfContact(tx, tenantId, id, reason);
  await lockContacts(tx, tenantId, [id]);
  const [contact] = await rows<{ version: number }>(
    tx,
    sql`
    select version from contacts where tenant_id = ${tenantId} and id = ${id} for update`,
  );
  if (!contact) throw notFound('contact', id);
  return contact.version;
}
