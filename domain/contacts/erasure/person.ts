import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { isViolation, normaliseEmail } from '../../common/fields.ts';
import { addressDigest } from '../../addresses/digest.ts';

/** All by which a person's data is found. */
export interface Person {
  /** The contact, and those that were merged into it. */
  contactIds: number[];
  /** Addresses that it has, or got mail at, as they are compared. */
  addresses: string[];
  /** Of these addresses, and of those of merged contacts. */
  digests: string[];
  /** Finds any of the addresses in a text, as a regular expression of JavaScript and of Postgres, for texts in lower case. */
  pattern: string;
}

/** Null once the contact is gone: then nothing of it can be found any more. */
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

/** Not a part of a longer address; also as a URL has it. */
function patternOf(addresses: readonly string[]): string {
  const spellings = addresses.flatMap((address) => [address, encodeURIComponent(address).toLowerCase()]);
  const any = spellings.map((address) => address.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|');
  return `(^|[^a-z0-9._+-])(${any})($|[^a-z0-9.-]|\\.($|[^a-z0-9]))`;
}
