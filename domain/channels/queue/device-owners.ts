import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { appendEvents, type Origin } from '../../../events/outbox.ts';
import type { LedgerKey } from './refresh-messages.ts';

/** Why a contact receives pushes from now on, or no more. */
interface Reasons {
  subscribed: string;
  unsubscribed: string;
}

/**
 * Locks contacts in the order of their ids, so that their devices are counted one change after the other. Before the
 * messages and devices of theirs. Returns the ids of those that exist.
 */
export async function lockOwners(tx: EntityManager, owners: readonly LedgerKey[]): Promise<Set<number>> {
  if (owners.length === 0) return new Set();
  const found = await rows<{ id: number }>(
    tx,
    sql`
    select c.id from ${keysOf(owners)} join contacts c on c.tenant_id = a.t and c.id = a.id
    order by c.id for no key update of c`,
  );
  return new Set(found.map(({ id }) => id));
}

/**
 * Changes devices of contacts, which are locked (`lockOwners`). Writes CHANNEL_SUBSCRIBED for those that have an active
 * device by it and had none, and CHANNEL_UNSUBSCRIBED for those that have none any more.
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
    select a.id from ${keysOf(owners)} where exists (
      select 1 from push_subscriptions p where p.tenant_id = a.t and p.contact_id = a.id and p.status = 'active')`,
  );
  return new Set(found.map(({ id }) => id));
}

const keysOf = (owners: readonly LedgerKey[]) => {
  const payload = JSON.stringify(owners.map(({ tenantId, id }) => ({ t: tenantId, id })));
  return sql`jsonb_to_recordset(${payload}::jsonb) as a(t text, id bigint)`;
};
