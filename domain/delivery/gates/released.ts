import { sql, type RawBuilder } from '../../../db/orm.ts';

/** What an earlier release wrote instead of null; a worker of it may still run during an upgrade. */
export const FAR = sql`'9999-12-31T00:00:00Z'::timestamptz`;

/** Whether the QUEUED email `e` of a campaign was released: it is in a batch, or was requeued. True for other emails. */
export const isReleased = (
  e: RawBuilder<unknown>,
): RawBuilder<unknown> => sql`(${e}.next_attempt_at < ${FAR} or exists (
  select 1 from email_batches b where b.tenant_id = ${e}.tenant_id and b.campaign_id = ${e}.campaign_id and ${e}.id = any(b.email_ids)))`;
