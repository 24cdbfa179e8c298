import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { isCapFull, slotsTaken } from '../../delivery/gates/caps.ts';
import type { Channel } from '../../../db/entities/channels.ts';

interface FrequencyCap {
  maxEmails: number;
  perDays: number;
}

/**
 * The marketing messages of a channel that count for caps of up to `days`, for many contacts: when each was handed to a
 * provider (ms); null = QUEUED, so it counts whenever it is sent.
 */
export async function readMarketing(
  tx: EntityManager,
  tenantId: string,
  contactIds: readonly number[],
  days: number,
  channel: Channel,
): Promise<Map<number, (number | null)[]>> {
  const slots = slotsTaken({
    tenantId: sql`${tenantId}`,
    contactId: sql`c.id`,
    channels: sql`${JSON.stringify([channel])}::jsonb`,
    days: sql`${days}::int`,
  });
  const found = await rows<{ id: number; at: Date | null }>(
    tx,
    sql`
    select c.id, m.at from unnest(${[...contactIds]}::bigint[]) as c(id) cross join lateral (select at from (${slots}) slot offset 0) m`,
  );
  const byContact = Map.groupBy(found, ({ id }) => id);
  return new Map([...byContact].map(([id, sent]) => [id, sent.map(({ at }) => at?.getTime() ?? null)]));
}

/** Whether a cap forbids another email of this template to a contact. The caller has locked the contact. */
export async function isCapped(
  tx: EntityManager,
  tenantId: string,
  to: { contactId: number; templateId: number },
  cap: FrequencyCap & { channels?: readonly Channel[] },
): Promise<boolean> {
  const [marketing] = await rows(
    tx,
    sql`select 1 from email_templates where tenant_id = ${tenantId} and id = ${to.templateId} and category = 'marketing'`,
  );
  if (!marketing) return false;
  const { channels = ['email'], maxEmails: max, perDays } = cap;
  return isCapFull(tx, tenantId, to.contactId, { channels, max, perDays });
}
