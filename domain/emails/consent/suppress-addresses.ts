import type { SuppressionReason } from '../../../db/entities/email-recipients.ts';
import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { appendEvents, type NewEvent, type Origin } from '../../../events/outbox.ts';
import { lockContacts } from '../../contact-values/lock-contacts.ts';
import { refreshMemberships } from '../../membership/members/refresh-memberships.ts';

export interface SuppressedAddress {
  emailKey: string;
  /** A contact whose status is set even if it does not have the address (any more); null: only those that have it. */
  contactId: number | null;
  /** The email that caused it; null if a user did. */
  emailId: number | null;
}

/**
 * By reason: the status to set, the contact statuses that it replaces, and the suppression reasons that it replaces.
 * The stricter one always stays.
 */
const EFFECTS = {
  manual: { status: 'unsubscribed', statuses: ['pending', 'active'], reasons: [] as string[] },
  unsubscribed: { status: 'unsubscribed', statuses: ['pending', 'active'], reasons: [] as string[] },
  bounced: { status: 'bounced', statuses: ['pending', 'active', 'unsubscribed'], reasons: ['unsubscribed', 'manual'] },
  complained: {
    status: 'complained',
    statuses: ['pending', 'active', 'unsubscribed', 'bounced'],
    reasons: ['unsubscribed', 'manual', 'bounced'],
  },
} as const;

/**
 * Suppresses addresses of one tenant and sets the status of the contacts that have them, or are named with them, with
 * their events and memberships. Idempotent. Returns the ids of the contacts that changed. Writes to the outbox, so call
 * it last.
 */
export async function suppressAddresses(
  tx: EntityManager,
  origin: Origin,
  reason: SuppressionReason,
  addresses: readonly SuppressedAddress[],
  source: 'email' | 'api' = 'email',
): Promise<number[]> {
  const { tenantId } = origin;
  const { status, statuses, reasons } = EFFECTS[reason];
  const keys = [...new Set(addresses.map((address) => address.emailKey))].sort();
  const contactIds = addresses.flatMap(({ contactId }) => (contactId === null ? [] : [contactId]));
  await rows(
    tx,
    sql`
    insert into suppressions (tenant_id, email_key, reason, source) select ${tenantId}, key, ${reason}, ${source} from unnest(${keys}::text[]) key
    on conflict (tenant_id, email_key) do update set reason = excluded.reason, source = excluded.source
    where suppressions.reason = any(${[...reasons]}::text[])`,
  );
  const owners = await rows<{ id: number }>(
    tx,
    sql`
    select id from contacts where tenant_id = ${tenantId} and (email_key = any(${keys}::text[]) or id = any(${contactIds}::bigint[]))`,
  );
  const locked = await lockContacts(
    tx,
    tenantId,
    owners.map((row) => row.id),
  );
  const changed = await rows<{ id: number; version: number; email_key: string }>(
    tx,
    sql`
    update contacts set status = ${status}, version = version + 1, updated_at = now()
    where tenant_id = ${tenantId} and id = any(${locked}::bigint[]) and status = any(${[...statuses]}::text[])
    returning id, version, email_key`,
  );
  if (changed.length === 0) return [];

  const cause = (contact: { id: number; email_key: string }) =>
    addresses.find(({ contactId, emailKey }) => contactId === contact.id || emailKey === contact.email_key)?.emailId;
  await appendEvents(
    tx,
    origin,
    changed.flatMap((contact): NewEvent[] => {
      const updated: NewEvent = {
        type: 'CONTACT_UPDATED',
        data: { contactId: contact.id, version: contact.version, changed: ['status'] },
      };
      const emailId = cause(contact);
      if (status !== 'unsubscribed') return [updated];
      return [
        updated,
        {
          type: 'CONTACT_UNSUBSCRIBED',
          data: { contactId: contact.id, ...(emailId ? { emailId } : {}), reason: source === 'api' ? 'api' : 'link' },
        },
      ];
    }),
  );
  const ids = changed.map((contact) => contact.id);
  await refreshMemberships(tx, tenantId, ids, { causes: ['contact'], requestId: origin.requestId });
  return ids;
}
