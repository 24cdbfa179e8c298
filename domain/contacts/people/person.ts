import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { isViolation, normaliseEmail } from '../../common/fields.ts';
import { addressDigest } from '../../addresses/digest.ts';
import { inboundTextsTo } from '../../channels/people/reached.ts';

/** Everything that a person's data is found by. */
export interface Person {
  /** The contact, and the contacts merged into it. */
  contactIds: number[];
  /**
   * Addresses that the contact has or had, and that emails to it were sent to, as they are compared, unless another
   * contact has them now.
   */
  addresses: string[];
  /** Digests of these addresses, and of those of merged contacts. */
  digests: string[];
  /**
   * Numbers (E.164) that the contact has or had, and that text messages went to or came from, unless another contact has
   * them now.
   */
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
  const { addresses, taken } = await addressesOf(tx, tenantId, contact, contactIds);
  const { numbers, shared } = await numbersOf(tx, tenantId, contactIds);
  const digestsOf = (own: readonly string[], ofMerged: readonly (string | null)[], ofOthers: readonly string[]) => {
    const keep = new Set(ofOthers.map((address) => addressDigest(tenantId, address)));
    const all = [
      ...own.map((address) => addressDigest(tenantId, address)),
      ...ofMerged.flatMap((digest) => digest ?? []),
    ];
    return [...new Set(all)].filter((digest) => !keep.has(digest));
  };
  const digests = digestsOf(
    addresses,
    merged.map(({ digest }) => digest),
    taken,
  );
  const numberDigests = digestsOf(
    numbers,
    merged.map(({ number }) => number),
    shared,
  );
  return { contactIds, addresses, digests, numbers, numberDigests, pattern: patternOf(addresses) };
}

/** The addresses of the contacts, and the keys of those that another contact has now: what is known of these is its own. */
async function addressesOf(
  tx: EntityManager,
  tenantId: string,
  contact: { email: string; emailKey: string },
  contactIds: readonly number[],
): Promise<{ addresses: string[]; taken: string[] }> {
  const ids = sql`${contactIds}::bigint[]`;
  const found = await rows<{ address: string }>(
    tx,
    sql`
    select to_address as address from emails where tenant_id = ${tenantId} and contact_id = any(${ids}) and to_address is not null
    union select created_email from contacts where tenant_id = ${tenantId} and id = any(${ids}) and created_email is not null
    union select address from former_addresses where tenant_id = ${tenantId} and contact_id = any(${ids}) and address like '%@%'`,
  );
  const written = [contact.email, ...found.map(({ address }) => address)].map((address) => {
    const normalised = normaliseEmail(address);
    return { address, key: isViolation(normalised) ? address.toLowerCase() : normalised.emailKey };
  });
  const others = await rows<{ key: string }>(
    tx,
    sql`
    select email_key as key from contacts where tenant_id = ${tenantId} and email_key = any(${written.map(({ key }) => key)}::text[])
      and id <> all(${ids})`,
  );
  const taken = others.map(({ key }) => key);
  const own = written.filter(({ key }) => !taken.includes(key));
  return {
    addresses: [...new Set([contact.emailKey, ...own.flatMap(({ key, address }) => [key, address.toLowerCase()])])],
    taken,
  };
}

/** The numbers of the contacts, and those among them that other contacts have too: what is known of these is theirs. */
async function numbersOf(
  tx: EntityManager,
  tenantId: string,
  contactIds: readonly number[],
): Promise<{ numbers: string[]; shared: string[] }> {
  const ids = sql`${contactIds}::bigint[]`;
  const found = await rows<{ number: string; shared: boolean }>(
    tx,
    sql`
    select n.number, exists (
      select 1 from contacts o where o.tenant_id = ${tenantId} and o.phone_e164 = n.number and o.id <> all(${ids})) as shared
    from (
      select phone_e164 as number from contacts where tenant_id = ${tenantId} and id = any(${ids})
      union select address from former_addresses where tenant_id = ${tenantId} and contact_id = any(${ids}) and address not like '%@%'
      union select to_address from messages where tenant_id = ${tenantId} and contact_id = any(${ids}) and channel = 'sms'
      union select from_address from inbound_texts where tenant_id = ${tenantId} and ${inboundTextsTo(contactIds)}
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
