import { sql, type RawBuilder } from '../../../db/orm.ts';

/** A number is told how to opt out with its first marketing text, and then once in these days. */
export const NOTICE_DAYS = 30;

/** Whether the next marketing text to a number has to say how to opt out. */
export const isNoticeDue = (tenantId: unknown, address: unknown): RawBuilder<unknown> => sql`not exists (
  select 1 from opt_out_notices n where n.tenant_id = ${tenantId} and n.address = ${address}
    and n.at > now() - make_interval(days => ${sql.lit(NOTICE_DAYS)}))`;
