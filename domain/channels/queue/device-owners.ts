import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { appendEvents, type Origin } from '../../../events/outbox.ts';
import { asked, type LedgerKey } from './refresh-messages.ts';

/** Why a contact receives pushes from now on, or no more. */
interface Reasons {
  subscribed: string;
  unsubscribed: string;
}

/**
 * Locks contacts in the order of their ids, so that changes of one contact's devices wait for each other. Call it before
 * messages or devices of theirs are locked, to avoid deadlocks. Returns the ids of those that exist.
 */
export async function lockOwners(tx: EntityManager, owners: readonly LedgerKey[]): Promise<Set<number>> {
  if (owners.length === 0) return new Set();
  const found = await rows<{ id: number }>(
    tx,
    sql`
    select c.id from ${asked(owners)} join contacts c on c.tenant_id = a.t and c.id = a.id
    order by c.id for no key update of c`,
  );
  return new Set(found.map(({ id }) => id));
}

/**
 * Runs a change of devices whose contacts are locked (`lockOwners`). Writes CHANNEL_SUBSCRIBED for those that had no active
 * device and have one now, and CHANNEL_UNSUBSCRIBED for those that had one and have none now.
 */
export async function changeDevices<T>(
  tx: EntityManager,
  origin: Pick<Origin, 'requestId'>,
  owners: readonly LedgerKey[],
  { subscribed, unsubscribed }: Reasons,
  change: () => Promise<T>,
): Promise<T> {
  const before = await withDevices(tx, owners);
  const result = await change();
  const after = await withDevices(tx, owners);
  for (const [tenantId, ofTenant] of Map.groupBy(owners, (owner) => owner.tenantId)) {
    const events = [...new Set(ofTenant.map(({ id }) => id))]
      .filter((id) => before.has(id) !== after.has(id))
      .map((contactId) =>
        after.has(contactId)
          ? { type: 'CHANNEL_SUBSCRIBED' as const, data: { contactId, channel: 'push' as const, reason: subscribed } }
          : {
              type: 'CHANNEL_UNSUBSCRIBED' as const,
              data: { contactId, channel: 'push' as const, reason: unsubscribed },
            },
      );
    await appendEvents(tx, { tenantId, requestId: origin.requestId }, events);
  }
  return result;
}

/** The contacts among these that have an active device. */
async function withDevices(tx: EntityManager, owners: readonly LedgerKey[]): Promise<Set<number>> {
  if (owners.length === 0) return new Set();
  const found = await rows<{ id: number }>(
    tx,
    sql`
    select a.id from ${asked(owners)} where exists (
      select 1 from push_subscriptions p where p.tenant_id = a.t and p.contact_id = a.id and p.status = 'active')`,
  );
  return new Set(found.map(({ id }) => id));
}
