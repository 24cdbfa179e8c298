import { preparedHint, rows, sql, type EntityManager, type RawBuilder } from '../../db/orm.ts';
import type { ContactStatus } from './contact-values.ts';
import { erasedKey } from '../addresses/digest.ts';

const STATUS = sql`case reason when 'manual' then 'unsubscribed' else reason end as status`;

/** The status that a contact with this address must have, as a query; no row if it is not suppressed. */
export const suppressedStatus = (tenantId: string, key: string): RawBuilder<unknown> => sql`
  select ${STATUS} from suppressions
  where tenant_id = ${tenantId} and email_key = any(${[key, erasedKey(tenantId, key)]}::text[])
  order by email_key like 'erased:%' limit 1`;

/** The statuses that contacts with these addresses must have, for those that are suppressed. */
export async function suppressedStatuses(
  tx: EntityManager,
  tenantId: string,
  keys: readonly string[],
): Promise<Map<string, ContactStatus>> {
  if (keys.length === 0) return new Map();
  const asked = new Map(
    keys.flatMap((key) => [
      [erasedKey(tenantId, key), key],
      [key, key],
    ]),
  );
  // Suppressions newer than an erasure come last, so that they override what the erasure left.
  const found = await rows<{ key: string; status: ContactStatus }>(
    tx,
    sql`${preparedHint}
    select email_key as key, ${STATUS} from suppressions
    where tenant_id = ${tenantId} and email_key = any(${[...asked.keys()]}::text[]) order by email_key like 'erased:%' desc`,
  );
  return new Map(found.map(({ key, status }) => [asked.get(key)!, status]));
}

/** Suppresses the addresses of contacts that a request set to unsubscribed: the opt-out must outlive the contact. */
export async function suppressUnsubscribed(
  tx: EntityManager,
  tenantId: string,
  keys: readonly string[],
): Promise<void> {
  if (keys.length === 0) return;
  await rows(
    tx,
    sql`
    insert into suppressions (tenant_id, email_key, reason, source)
    select ${tenantId}, key, 'unsubscribed', 'api' from unnest(${[...keys]}::text[]) as key order by key
    on conflict (tenant_id, email_key) do nothing`,
  );
}
