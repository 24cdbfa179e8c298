import { rows, sql, type EntityManager, type RawBuilder } from '../../../db/orm.ts';
import { NOTICE_DAYS } from '../gates/opt-out-notice.ts';

/** A send of a text, in a transaction that settles it. */
interface Settled {
  tenantId: string;
  messageId: number;
}

const recordset = (texts: readonly (Settled & { since?: Date })[]): RawBuilder<unknown> => {
  const payload = JSON.stringify(texts.map(({ tenantId, messageId, since }) => ({ t: tenantId, m: messageId, since })));
  return sql`jsonb_to_recordset(${payload}::jsonb) as a(t text, m bigint, since timestamptz)
    join messages m on m.tenant_id = a.t and m.id = a.m`;
};

/**
 * Notes that these texts, which are SENT or UNKNOWN now, told their numbers how to opt out. Not when they start: what is
 * not accepted has told nobody, and its next attempt must.
 */
export async function noteNotices(tx: EntityManager, texts: readonly Settled[]): Promise<void> {
  if (texts.length === 0) return;
  await rows(
    tx,
    sql`
    insert into opt_out_notices (tenant_id, address, at)
    select distinct m.tenant_id, m.to_address, now() from ${recordset(texts)} where m.to_address is not null order by 1, 2
    on conflict (tenant_id, address) do update set at = excluded.at`,
  );
}

/**
 * The same for texts whose sender is lost, UNKNOWN now: nobody is left to tell which of them did. Those to numbers that
 * were not told within the days.
 */
export async function noteLostNotices(tx: EntityManager, texts: readonly Settled[]): Promise<void> {
  await rows(
    tx,
    sql`
    insert into opt_out_notices (tenant_id, address, at)
    select distinct m.tenant_id, m.to_address, now() from ${recordset(texts)}
    join channel_settings s on s.tenant_id = m.tenant_id and s.opt_out_text is not null
    where m.channel = 'sms' and m.category = 'marketing' and m.to_address is not null order by 1, 2
    on conflict (tenant_id, address) do update set at = excluded.at
    where opt_out_notices.at <= now() - make_interval(days => ${sql.lit(NOTICE_DAYS)})`,
  );
}

/** Takes back what was noted of texts that were UNKNOWN since then, and turn out not to be accepted. */
export async function takeNoticesBack(tx: EntityManager, texts: readonly (Settled & { since: Date })[]): Promise<void> {
  if (texts.length === 0) return;
  await rows(
    tx,
    sql`
    delete from opt_out_notices n where (n.tenant_id, n.address, n.at) in (
      select m.tenant_id, m.to_address, a.since from ${recordset(texts)})`,
  );
}
