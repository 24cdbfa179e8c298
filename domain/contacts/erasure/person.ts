import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { isViolation, normaliseEmail } from '../../common/fields.ts';
import { addressDigest } from '../../addresses/digest.ts';

/** Everything that a person's data is found by. */
export interface Person {
  /** The contact, and the contacts merged into it. */
  contactIds: number[];
  /** Addresses of the contact, and addresses that emails to it were sent to, as they are compared. */
  addresses: string[];
  /** Digests of these addresses, and of those of merged contacts. */
  digests: string[];
  /** A regular expression, for JavaScript and Postgres, that finds any of the addresses in a lower-case text. */
  pattern: string;
}

/** Returns null if the contact was deleted, because its data can then no longer be found. */
export async function identify(tx: EntityManager, tenantId: string, contactId: number): Promise<Person | null> {
  const [contact] = await rows<{ email: string; emailKey: string }>(
    tx,
    sql`
    select email, email_key as "emailKey" from contacts where tenant_id = ${tenantId} and id = ${contactId}`,
  );
  if (!contact) return null;
  const merged = await rows<{ id: number; digest: string | null }>(
    tx,
    sql`
    with recursive merged(id, digest) as (
      select ${contactId}::bigint, null::text
      union select (a.after ->> 'sourceId')::bigint, a.after ->> 'sourceDigest' from merged m
        join audit_log a on a.tenant_id = ${tenantId} and a.action = 'contact.merged' and a.resource_id = m.id::text
    ) select id, digest from merged`,
  );
  const contactIds = merged.map((row) => row.id);
  const mailed = await rows<{ address: string }>(
    tx,
    sql`
    select distinct to_address as address from emails where tenant_id = ${tenantId} and contact_id = any(${contactIds}::bigint[]) and to_address is not null`,
  );
  const written = [contact.email, ...mailed.map(({ address }) => address)];
  const keys = written.map((address) => {
    const normalised = normaliseEmail(address);
    return isViolation(normalised) ? address.toLowerCase() : normalised.emailKey;
  });
  const addresses = [...new Set([contact.emailKey, ...keys, ...written.map((address) => address.toLowerCase())])];
  const digests = [
    ...new Set([
      ...addresses.map((address) => addressDigest(tenantId, address)),
      ...merged.flatMap(({ digest }) => digest ?? []),
    ]),
  ];
  return { contactIds, addresses, digests, pattern: patternOf(addresses) };
}

/** Matches whole addresses only, also URL-encoded ones. */
function patternOf(addresses: readonly string[]): string {
  const spellings = addresses.flatMap((address) => [address, encodeURIComponent(address).toLowerCase()]);
  const any = spellings.map((address) => address.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|');
  return `(^|[^a-z0-9._+-])(${any})($|[^a-z0-9.-]|\\.($|[^a-z0-9]))`;
}
