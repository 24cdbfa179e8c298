import { LockMode } from '@mikro-orm/core';
import { Suppression, type SuppressionReason } from '../../../db/entities/email-recipients.ts';
import { freshTransaction, rows, sql, type EntityManager } from '../../../db/orm.ts';
import { appendEvents, type NewEvent } from '../../../events/outbox.ts';
import { appendAudit, type Author } from '../../audit/audit.ts';
import { lockContacts } from '../../contact-values/lock-contacts.ts';
import { notFound } from '../../../lib/checks/errors.ts';
import { refreshMemberships } from '../../membership/members/refresh-memberships.ts';
import { suppressAddresses } from './suppress-addresses.ts';

/**
 * Suppresses an address (`emailKey`) and sets the status of the contact that has it. An existing suppression keeps its
 * reason unless the new one is stricter; `made` tells whether it was created. The audit log does not contain the
 * address.
 */
export async function addSuppression(
  em: EntityManager,
  author: Author,
  emailKey: string,
  reason: SuppressionReason,
): Promise<{ suppression: Suppression; made: boolean }> {
  const { tenantId, requestId } = author;
  return freshTransaction(em, async (tx) => {
    // The first transaction inserts it; concurrent ones wait here, and then read the reason before changing it.
    const [made] = await rows(
      tx,
      sql`
      insert into suppressions (tenant_id, email_key, reason, source) values (${tenantId}, ${emailKey}, ${reason}, 'api') on conflict do nothing returning id`,
    );
    const before = made
      ? null
      : await tx.findOne(Suppression, { tenantId, emailKey }, { lockMode: LockMode.PESSIMISTIC_WRITE });
    await suppressAddresses(tx, { tenantId, requestId }, reason, [{ emailKey, contactId: null, emailId: null }], 'api');
    const was = before?.reason;
    const suppression = await tx.findOneOrFail(Suppression, { tenantId, emailKey }, { refresh: true });
    if (was !== suppression.reason) {
      await appendAudit(tx, author, {
        action: 'suppression.created',
        resourceType: 'suppression',
        resourceId: suppression.id,
        ...(was ? { before: { reason: was } } : {}),
        after: { reason: suppression.reason },
      });
    }
    return { suppression, made: was === undefined };
  });
}

/**
 * Removes a suppression: the address can receive email again, and its contact becomes active again unless it is
 * archived or pending. Throws `not_found`.
 */
export async function removeSuppression(em: EntityManager, author: Author, id: number): Promise<void> {
  const { tenantId, requestId } = author;
  await freshTransaction(em, async (tx) => {
    const [removed] = await rows<{ email_key: string; reason: string; source: string | null }>(
      tx,
      sql`
      delete from suppressions where tenant_id = ${tenantId} and id = ${id} returning email_key, reason, source`,
    );
    if (!removed) throw notFound('suppression', id);
    const owners = await rows<{ id: number }>(
      tx,
      sql`select id from contacts where tenant_id = ${tenantId} and email_key = ${removed.email_key}`,
    );
    const locked = await lockContacts(
      tx,
      tenantId,
      owners.map((owner) => owner.id),
    );
    const restored = await rows<{ id: number; version: number }>(
      tx,
      sql`
      update contacts set status = 'active', version = version + 1, updated_at = now()
      where tenant_id = ${tenantId} and id = any(${locked}::bigint[]) and email_key = ${removed.email_key} and status in ('unsubscribed', 'bounced', 'complained')
      returning id, version`,
    );
    await appendEvents(
      tx,
      { tenantId, requestId },
      restored.map((contact): NewEvent => ({
        type: 'CONTACT_UPDATED',
        data: { contactId: contact.id, version: contact.version, changed: ['status'] },
      })),
    );
    await refreshMemberships(
      tx,
      tenantId,
      restored.map((contact) => contact.id),
      { causes: ['contact'], requestId },
    );
    await appendAudit(tx, author, {
      action: 'suppression.deleted',
      resourceType: 'suppression',
      resourceId: id,
      before: { reason: removed.reason, source: removed.source },
    });
  });
}
