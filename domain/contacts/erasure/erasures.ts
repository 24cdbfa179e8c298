import { Erasure } from '../../../db/entities/contacts.ts';
import { freshTransaction, rows, sql, type EntityManager, type RawBuilder } from '../../../db/orm.ts';
import { appendJob } from '../../../events/outbox.ts';
import { appendAudit } from '../../audit/audit.ts';
import type { Caller } from '../../audit/principal.ts';
import { stopExecutionsOfContact } from '../../campaigns/execution/stop-executions.ts';
import { suppressEmailsTo } from '../../emails/ledger/suppress-emails.ts';
import { suppressMessagesTo } from '../../channels/queue/suppress-messages.ts';
import { AppError, notFound } from '../../../lib/checks/errors.ts';
import { lockForRemoval } from '../people/delete-contact.ts';
import { eraseOutbox } from './erase-outbox.ts';
import { identify, type Person } from '../people/person.ts';
import { workflowId } from '../../../registry/workflows.ts';

/** How many rows were erased, by kind; without personal data. */
export type Counts = Record<string, number>;

/**
 * Creates the erasure of a contact and the start of its workflow, and stops its executions; or returns an erasure of the contact that is in
 * progress. Throws `not_found`.
 */
export async function requestErasure(em: EntityManager, caller: Caller, contactId: number): Promise<Erasure> {
  const { tenantId, actor } = caller;
  return freshTransaction(em, async (tx) => {
    // Also waits for visits that are being recorded, which lock the contact for key share: later ones see the erasure,
    // and the events of those before it are in the outbox when it begins.
    await lockForRemoval(tx, tenantId, contactId, 'contact_erased');
    const atWork = await tx.findOne(Erasure, { contactId, status: { $in: ['PENDING', 'RUNNING'] } });
    if (atWork) return atWork;
    const erasure = tx.create(Erasure, {
      tenantId,
      contactId,
      certificate: { requestedBy: { type: actor.type, id: actor.id, name: actor.name }, erased: {} },
    });
    await tx.flush();
    const input = { tenantId, erasureId: erasure.id };
    erasure.workflowId = workflowId('contactErasure', input);
    await tx.flush();
    await appendAudit(tx, caller, {
      action: 'contact.erasure_requested',
      resourceType: 'contact',
      resourceId: contactId,
      after: { erasureId: erasure.id },
    });
    await appendJob(tx, 'contactErasure', input);
    return erasure;
  });
}

/**
 * Loads an erasure and its person. Throws `conflict` if the contact was deleted before it was erased, because its data
 * can then no longer be found.
 */
export async function loadErasure(
  tx: EntityManager,
  tenantId: string,
  erasureId: number,
): Promise<{ contactId: number; person: Person }> {
  const [found] = await rows<{ contact_id: number }>(
    tx,
    sql`select contact_id from erasures where tenant_id = ${tenantId} and id = ${erasureId}`,
  );
  if (!found) throw notFound('erasure', erasureId);
  const person = await identify(tx, tenantId, found.contact_id);
  if (!person) throw new AppError('conflict', 'The contact was deleted before it was erased');
  return { contactId: found.contact_id, person };
}

/**
 * Whether the records of an erasure are gone already, by which all else was found before: a workflow that is started
 * again only has to end it.
 */
export async function isErased(em: EntityManager, tenantId: string, erasureId: number): Promise<boolean> {
  const found = await em.transactional((tx) =>
    rows(
      tx,
      sql`select 1 from erasures where tenant_id = ${tenantId} and id = ${erasureId} and certificate -> 'erased' ? 'contacts'`,
    ),
  );
  return found.length > 0;
}

/**
 * The first step: blocks imports of the addresses, stops the contact's emails and messages, and executions that it
 * entered while the erasure was requested, and removes its events from the outbox.
 */
export async function beginErasure(em: EntityManager, tenantId: string, erasureId: number): Promise<void> {
  if (await isErased(em, tenantId, erasureId)) return;
  await em.transactional(async (tx) => {
    await rows(
      tx,
      sql`
      update erasures set status = 'RUNNING', started_at = coalesce(started_at, now()), version = version + 1, updated_at = now()
      where tenant_id = ${tenantId} and id = ${erasureId} and status = 'PENDING'`,
    );
    const { contactId, person } = await loadErasure(tx, tenantId, erasureId);
    await stopExecutionsOfContact(tx, tenantId, contactId, 'contact_erased');
    await suppressEmailsTo(tx, tenantId, contactId, 'contact_erased');
    await suppressMessagesTo(tx, tenantId, [contactId], 'contact_erased');
    await rows(
      tx,
      sql`
      insert into erased_addresses (tenant_id, hash) select ${tenantId}, hash from unnest(${person.digests}::text[]) as hash order by hash on conflict do nothing`,
    );
    await addCounts(tx, tenantId, erasureId, { outboxEvents: await eraseOutbox(tx, tenantId, person) });
  });
}

/** Executes a statement and returns how many rows it changed. */
export async function counted(tx: EntityManager, statement: RawBuilder<unknown>): Promise<number> {
  return (await rows(tx, sql`${statement} returning 1`)).length;
}

/** Adds counts to the certificate, in the transaction that erased these rows. */
export async function addCounts(tx: EntityManager, tenantId: string, erasureId: number, counts: Counts): Promise<void> {
  await rows(
    tx,
    sql`
    update erasures set certificate = jsonb_set(certificate, '{erased}', certificate -> 'erased' || (
      select jsonb_object_agg(k, coalesce((certificate -> 'erased' ->> k)::bigint, 0) + v::bigint) from jsonb_each_text(${JSON.stringify(counts)}::jsonb) as e(k, v)))
    where tenant_id = ${tenantId} and id = ${erasureId}`,
  );
}

export async function endErasure(
  em: EntityManager,
  tenantId: string,
  erasureId: number,
  error: string | null,
): Promise<void> {
  await em.transactional((tx) =>
    rows(
      tx,
      sql`
    update erasures set status = ${error === null ? 'COMPLETED' : 'FAILED'}, error = ${error}, finished_at = now(), version = version + 1, updated_at = now()
    where tenant_id = ${tenantId} and id = ${erasureId} and status in ('PENDING', 'RUNNING')`,
    ),
  );
}
