import { rows, sql, type EntityManager, type RawBuilder } from '../../../db/orm.ts';
import { NOTICE_DAYS } from '../../delivery/gates/opt-out-notice.ts';

/** A send of a text. */
interface Text {
  tenantId: string;
  messageId: number;
}

const recordset = (texts: readonly Text[]): RawBuilder<unknown> => {
  const payload = JSON.stringify(texts.map(({ tenantId, messageId }) => ({ t: tenantId, m: messageId })));
  return sql`jsonb_to_recordset(${payload}::jsonb) as a(t text, m bigint)
    join messages m on m.tenant_id = a.t and m.id = a.m`;
};

/**
 * The statement that notes that texts told their numbers how to opt out, if those attempts are SENT or UNKNOWN now. Not
 * when they start: what is not accepted has told nobody, and its next attempt must.
 */
export function noteNotices(texts: readonly { id: number; tenantId: string; attempt: number }[]): RawBuilder<unknown> {
  const payload = JSON.stringify(texts.map(({ id, tenantId, attempt }) => ({ t: tenantId, id, attempt })));
  return sql`
    insert into opt_out_notices (tenant_id, address, at)
    select distinct m.tenant_id, m.to_address, now() from jsonb_to_recordset(${payload}::jsonb) as a(t text, id bigint, attempt int)
    join message_sends s on s.tenant_id = a.t and s.id = a.id and s.attempt = a.attempt and s.status in ('SENT', 'UNKNOWN')
    join messages m on m.tenant_id = s.tenant_id and m.id = s.message_id where m.to_address is not null order by 1, 2
    on conflict (tenant_id, address) do update set at = excluded.at`;
}

/**
 * Notes the same of texts whose sender is lost, UNKNOWN now: nobody is left to tell which of them did. Those to numbers
 * that were not told within the days.
 */
export async function noteLostNotices(tx: EntityManager, texts: readonly Text[]): Promise<void> {
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

/**
 * The part of a statement that takes back what was noted of texts that turn out not to be accepted. `sends` selects
 * tenant_id, message_id and `since`: when they became UNKNOWN.
 */
export const takeNoticesBack = (sends: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  delete from opt_out_notices n using (${sends}) c join messages m on m.tenant_id = c.tenant_id and m.id = c.message_id
  where n.tenant_id = m.tenant_id and n.address = m.to_address and n.at = c.since`;
