import { rows, sql, type EntityManager } from '../../../db/orm.ts';

/**
 * Sets of contacts are stored in pieces of this many bits. Fewer would make more rows, more would make larger ones where
 * the ids of contacts lie far apart.
 */
const BITS = 4096;

export const chunkOf = (contactId: unknown) => sql`(${contactId} / ${sql.lit(BITS)})::int`;
export const bitOf = (contactId: unknown) => sql`(${contactId} % ${sql.lit(BITS)})::int`;
const bitsType = sql.raw(`bit(${BITS})`);
/** The piece of a set with one contact in it. */
export const bitsWith = (contactId: unknown) =>
  sql`set_bit(repeat('0', ${sql.lit(BITS)})::${bitsType}, ${bitOf(contactId)}, 1)`;

/**
 * Adds contacts to sets, for `insert into analytics_contact_sets … select …`: a set only grows, so this may be repeated.
 */
export const addToSets = sql`
  on conflict (tenant_id, dimension, minutes, at, dimension_id, metric, chunk)
  do update set bits = analytics_contact_sets.bits | excluded.bits
  where analytics_contact_sets.bits | excluded.bits <> analytics_contact_sets.bits`;

/**
 * Until the end of the transaction, nobody else changes sets of the tenant: what is read from the events of a contact
 * must not be added to a set after the contact was removed from both.
 */
async function lockSets(tx: EntityManager, tenantId: string): Promise<void> {
  await rows(tx, sql`select pg_advisory_xact_lock(${setsLock(tenantId)})`);
}

/** The key of that lock. */
export const setsLock = (tenantId: string) => sql`hashtextextended(${`analytics-sets/${tenantId}`}::text, 0)`;

/** Removes contacts from the events and the sets of the figures. Counts stay. */
export async function forgetContacts(
  tx: EntityManager,
  tenantId: string,
  contactIds: readonly number[],
): Promise<void> {
  await lockSets(tx, tenantId);
  for (const contactId of contactIds) {
    await rows(
      tx,
      sql`update analytics_events set contact_id = null where tenant_id = ${tenantId} and contact_id = ${contactId}::bigint`,
    );
    await removeFromSets(tx, tenantId, contactId);
  }
}

/** Lets the figures count what one contact did as done by another. */
export async function moveContact(
  tx: EntityManager,
  tenantId: string,
  { from, to }: { from: number; to: number },
): Promise<void> {
  await lockSets(tx, tenantId);
  await rows(
    tx,
    sql`update analytics_events set contact_id = ${to} where tenant_id = ${tenantId} and contact_id = ${from}::bigint`,
  );
  await rows(
    tx,
    sql`
    insert into analytics_contact_sets (tenant_id, dimension, minutes, at, dimension_id, metric, chunk, bits)
    select tenant_id, dimension, minutes, at, dimension_id, metric, ${chunkOf(sql`${to}::bigint`)}, ${bitsWith(sql`${to}::bigint`)}
    from analytics_contact_sets where ${contains(tenantId, from)} ${addToSets}`,
  );
  await removeFromSets(tx, tenantId, from);
}

const contains = (tenantId: string, contactId: number) => sql`
  tenant_id = ${tenantId} and chunk = ${chunkOf(sql`${contactId}::bigint`)} and get_bit(bits, ${bitOf(sql`${contactId}::bigint`)}) = 1`;

async function removeFromSets(tx: EntityManager, tenantId: string, contactId: number): Promise<void> {
  await rows(
    tx,
    sql`
    update analytics_contact_sets set bits = set_bit(bits, ${bitOf(sql`${contactId}::bigint`)}, 0) where ${contains(tenantId, contactId)}`,
  );
}
