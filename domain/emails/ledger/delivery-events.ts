import { sql, type RawBuilder } from '../../../db/orm.ts';
import { insertEmailEvents } from '../../../events/outbox.ts';

/** What the events about an email say of it beside its id and contact. */
export function emailReferences(row: { template_id: number; campaign_id: number | null; external_id: string | null }) {
  return {
    templateId: row.template_id,
    ...(row.campaign_id === null ? {} : { campaignId: row.campaign_id }),
    ...(row.external_id === null ? {} : { externalId: row.external_id }),
  };
}

/** `emailReferences` as SQL over columns of the ledger. */
export const referencesSql = sql`jsonb_strip_nulls(jsonb_build_object('templateId', template_id, 'campaignId', campaign_id, 'externalId', external_id))`;

/** Columns of the ledger that its events need; `m` is the email. */
export const toldColumns = sql`m.id, m.tenant_id, m.status, m.contact_id, m.template_id, m.campaign_id, m.external_id, m.request_id`;

/**
 * A statement, or a part of one, that writes EMAIL_SENT for emails whose delivery has ended, now: `source` has `toldColumns`, and
 * `status` SENT or FAILED.
 */
export const insertDeliveryEvents = (source: RawBuilder<unknown>): RawBuilder<unknown> =>
  insertEmailEvents(
    'EMAIL_SENT',
    sql`(
  select tenant_id, id, request_id, date_trunc('milliseconds', now()) as at,
    jsonb_build_object('emailId', id, 'recipientId', contact_id, 'status', status) || ${referencesSql} as data
  from ${source} d)`,
  );
