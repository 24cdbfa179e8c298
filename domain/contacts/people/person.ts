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
  /** Numbers (E.164) of the contact, and that text messages to it were sent to, unless another contact has them. */
  numbers: string[];
  /** Digests of these numbers, and of those of merged contacts. */
  numberDigests: string[];
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
  const merged = await rows<{ id: number; digest: string | null; number: string | null }>(
    tx,
    sql`
    with recursive merged(id, digest, number) as (
      select ${contactId}::bigint, null::text, null::text
      union select (a.after ->> 'sourceId')::bigint, a.after ->> 'sourceDigest', a.after ->> 'sourceNumberDigest' from merged m
        join audit_log a on a.tenant_id = ${tenantId} and a.action = 'contact.merged' and a.resource_id = m.id::text
    ) select id, digest, number from merged`,
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
  const { numbers, shared } = await numbersOf(tx, tenantId, contactIds);
  const keep = new Set(shared.map((number) => addressDigest(tenantId, number)));
  const numberDigests = [
    ...new Set([
      ...numbers.map((number) => addressDigest(tenantId, number)),
      ...merged.flatMap(({ number }) => number ?? []),
    ]),
  ].filter((digest) => !keep.has(digest));
  return { contactIds, addresses, digests, numbers, numberDigests, pattern: patternOf(addresses) };
}

/** The numbers of the contacts, and those among them that other contacts have too: what is known of these is theirs. */
async function numbersOf(
  tx: EntityManager,
  tenantId: string,
  contactIds: readonly number[],
): Promise<{ numbers: string[]; shared: string[] }> {
  const found = await rows<{ number: string; shared: boolean }>(
    tx,
    sql`
    select n.number, exists (
      select 1 from contacts o where o.tenant_id = ${tenantId} and o.phone_e164 = n.number and o.id <> all(${contactIds}::bigint[])) as shared
    from (
      select phone_e164 as number from contacts where tenant_id = ${tenantId} and id = any(${contactIds}::bigint[])
      union select to_address from messages where tenant_id = ${tenantId} and contact_id = any(${contactIds}::bigint[]) and channel = 'sms'
    ) n where n.number is not null`,
  );
  const which = (isShared: boolean) => found.filter(({ shared }) => shared === isShared).map(({ number }) => number);
  return { numbers: which(false), shared: which(true) };
}

/** Matches whole addresses only, also URL-encoded ones. */
function patternOf(addresses: readonly string[]): string {
  const spellings = addresses.flatMap((address) => [address, encodeURIComponent(address).toLowerCase()]);
  const any = spellings.map((address) => address.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|');
  return `(^|[^a-z0-9._+-])(${any})($|[^a-z0-9.-]|\\.($|[^a-z0-9]))`;
}
