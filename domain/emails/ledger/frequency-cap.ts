import { rows, sql, type EntityManager, type RawBuilder } from '../../../db/orm.ts';
import { isReleased } from './email-batches.ts';

const DAY_MS = 86_400_000;

export interface FrequencyCap {
  maxEmails: number;
  perDays: number;
}

/**
 * A query that counts, as `n`, a contact's marketing emails of the last days. The rule is the same for every cap:
 * emails handed to a provider count from then on; emails that were QUEUED before the email in question count too, so
 * that concurrent emails cannot exceed the cap. SUPPRESSED and FAILED emails do not count, nor do emails of a campaign
 * that were not released yet. All arguments are SQL.
 */
export const countMarketingMail = (of: CountedMail): RawBuilder<unknown> =>
  sql`select count(*) as n ${fromMarketingMail(of)}`;

interface CountedMail {
  tenantId: RawBuilder<unknown>;
  contactId: RawBuilder<unknown>;
  days: RawBuilder<unknown>;
  beforeId: RawBuilder<unknown>;
}

const fromMarketingMail = (of: CountedMail): RawBuilder<unknown> => sql`
  from emails o join email_templates ot on ot.tenant_id = o.tenant_id and ot.id = o.template_id and ot.category = 'marketing'
  where o.tenant_id = ${of.tenantId} and o.contact_id = ${of.contactId} and o.id <> ${of.beforeId}
    and (o.status not in ('QUEUED', 'SUPPRESSED', 'FAILED') and coalesce(o.sent_at, o.updated_at) > now() - make_interval(days => ${of.days})
      or o.status = 'QUEUED' and o.id < ${of.beforeId} and ${isReleased(sql`o`)})`;

/**
 * The emails that count for caps of up to `days`, for many contacts: when each was handed to a provider (ms); null =
 * QUEUED, so it counts whenever it is sent.
 */
export async function readMarketingMail(
  tx: EntityManager,
  tenantId: string,
  contactIds: readonly number[],
  days: number,
): Promise<Map<number, (number | null)[]>> {
  const mails = fromMarketingMail({
    tenantId: sql`${tenantId}`,
    contactId: sql`c.id`,
    days: sql`${days}::int`,
    beforeId: sql`${Number.MAX_SAFE_INTEGER}::bigint`,
  });
  const found = await rows<{ id: number; at: Date | null }>(
    tx,
    sql`
    select c.id, m.at from unnest(${[...contactIds]}::bigint[]) as c(id) cross join lateral (
      select case when o.status <> 'QUEUED' then coalesce(o.sent_at, o.updated_at) end as at ${mails} offset 0) m`,
  );
  const byContact = Map.groupBy(found, ({ id }) => id);
  return new Map([...byContact].map(([id, sent]) => [id, sent.map(({ at }) => at?.getTime() ?? null)]));
}

/** Whether a cap forbids another marketing email at a time, after those of `readMarketingMail` (ms) and further ones. */
export function isCapReached(
  { maxEmails, perDays }: FrequencyCap,
  mails: readonly (number | null)[],
  now: Date,
): boolean {
  const since = now.getTime() - perDays * DAY_MS;
  return mails.filter((at) => at === null || at > since).length >= maxEmails;
}

/** Whether a cap forbids another email of this template to a contact. The caller has locked the contact. */
export async function isCapped(
  tx: EntityManager,
  tenantId: string,
  to: { contactId: number; templateId: number },
  cap: FrequencyCap,
): Promise<boolean> {
  const had = countMarketingMail({
    tenantId: sql`${tenantId}`,
    contactId: sql`${to.contactId}::bigint`,
    days: sql`${cap.perDays}::int`,
    beforeId: sql`${Number.MAX_SAFE_INTEGER}::bigint`,
  });
  const [capped] = await rows(
    tx,
    sql`
    select 1 from email_templates t, lateral (${had}) m
    where t.tenant_id = ${tenantId} and t.id = ${to.templateId} and t.category = 'marketing' and m.n >= ${cap.maxEmails}`,
  );
  return capped !== undefined;
}
