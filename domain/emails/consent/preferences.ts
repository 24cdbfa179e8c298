import { retriedTransaction, rows, sql, type EntityManager } from '../../../db/orm.ts';
import { erasedKey } from '../../addresses/digest.ts';
import { findTokenRecipient, type TokenRecipient } from './concerned-addresses.ts';
import type { UnsubscribeSubject } from '../../addresses/tokens.ts';

export interface TopicChoice {
  id: number;
  name: string;
  description: string | null;
  wanted: boolean;
}

/** A recipient's choices so far. */
export interface Preferences {
  topics: TopicChoice[];
  /** Unsubscribed, bounced or complained: no marketing email is sent, whatever the choices are. */
  unsubscribed: boolean;
  /** No address is known any more, because the data was erased. */
  erased: boolean;
}

/**
 * The preferences of an email's recipient. Topics are opt-out: all are wanted until the recipient chooses. Changes
 * nothing.
 */
export async function readPreferences(em: EntityManager, subject: UnsubscribeSubject): Promise<Preferences> {
  return em.transactional(async (tx) =>
    preferencesOf(tx, subject.tenantId, await findTokenRecipient(tx, subject, { lock: false })),
  );
}

/**
 * Stores that the recipient wants email about exactly these topics; ids of topics that do not exist are ignored.
 * Applies to the address that the email was sent to and to the contact's current address. Idempotent.
 */
export async function savePreferences(
  em: EntityManager,
  subject: UnsubscribeSubject,
  wanted: readonly number[],
): Promise<Preferences> {
  const { tenantId } = subject;
  return retriedTransaction(em, async (tx) => {
    const concerned = await findTokenRecipient(tx, subject, { lock: true });
    const { emailKeys } = concerned;
    const ids = sql`${[...wanted]}::bigint[]`;
    await rows(
      tx,
      sql`
      delete from topic_opt_outs where tenant_id = ${tenantId} and channel = 'email' and address = any(${withErased(tenantId, emailKeys)}::text[]) and topic_id = any(${ids})`,
    );
    await rows(
      tx,
      sql`
      with unwanted as (select id from email_topics where tenant_id = ${tenantId} and id <> all(${ids}) order by id for key share)
      insert into topic_opt_outs (tenant_id, address, topic_id)
      select ${tenantId}, key, id from unwanted, unnest(${emailKeys}::text[]) key order by key, id
      on conflict do nothing`,
    );
    return preferencesOf(tx, tenantId, concerned);
  });
}

/** The keys, and the hashed keys under which an erasure keeps the opt-outs of these addresses. */
const withErased = (tenantId: string, keys: readonly string[]): string[] =>
  keys.flatMap((key) => [key, erasedKey(tenantId, key)]);

async function preferencesOf(
  tx: EntityManager,
  tenantId: string,
  { contactId, emailKeys }: TokenRecipient,
): Promise<Preferences> {
  const all = withErased(tenantId, emailKeys);
  const topics = await rows<TopicChoice>(
    tx,
    sql`
    select t.id, t.name, t.description, not exists (
      select 1 from topic_opt_outs o where o.tenant_id = t.tenant_id and o.topic_id = t.id and o.channel = 'email' and o.address = any(${all}::text[])) as wanted
    from email_topics t where t.tenant_id = ${tenantId} order by t.name, t.id`,
  );
  const blocked = await rows(
    tx,
    sql`
    select 1 from suppressions where tenant_id = ${tenantId} and email_key = any(${all}::text[])
    union all
    select 1 from contacts where tenant_id = ${tenantId} and (id = ${contactId} or email_key = any(${emailKeys}::text[]))
      and status in ('unsubscribed', 'bounced', 'complained') limit 1`,
  );
  return { topics, unsubscribed: blocked.length > 0, erased: emailKeys.length === 0 };
}
