import { sql, type RawBuilder } from '../../../db/orm.ts';

/** What the person's data in channels is found by, when it is exported and when it is erased. */
export interface Reached {
  contactIds: readonly number[];
  /** Numbers (E.164) of the person that no other contact has. */
  numbers: readonly string[];
  /** Digests of these numbers, and of those of merged contacts. */
  numberDigests: readonly string[];
  /** Digests of the keys of email addresses. */
  digests: readonly string[];
}

/**
 * A condition on a message: it is to the person. One of another contact is, once it was started for a number of the
 * person; before, it goes to whatever number that contact has then. No index has numbers: for them it reads each message
 * of the tenant.
 */
export const messagesOf = ({ contactIds, numbers }: Reached): RawBuilder<unknown> =>
  sql`(contact_id = any(${contactIds}::bigint[]) or to_address = any(${numbers}::text[]) and (contact_id is null or started_at is not null))`;

/** A condition on a received text: one of these contacts had its number. Within a tenant's session only. */
export const inboundTextsTo = (contactIds: readonly number[]): RawBuilder<unknown> =>
  sql`id = any(array(select received_texts_of(${contactIds}::bigint[])))`;

/** The contacts of a received text without these. */
export const withoutContacts = (contactIds: readonly number[]): RawBuilder<unknown> =>
  sql`array(select c from unnest(contact_ids) with ordinality as u(c, n) where c <> all(${contactIds}::bigint[]) order by n)`;

/**
 * A condition on a received text: it is of the person. One from a number of the person counts too, also from before the
 * contact existed, unless it is known to be of another contact alone.
 */
export const inboundTextsOf = ({ contactIds, numbers }: Reached): RawBuilder<unknown> =>
  sql`(${inboundTextsTo(contactIds)} or from_address = any(${numbers}::text[]) and contact_ids <@ ${contactIds}::bigint[])`;
