import { sql, type RawBuilder } from '../../../db/orm.ts';
import { insertEmailEvents } from '../../../events/outbox.ts';

/** The members of an email event's data besides the ids of the email and the contact. */
export function emailReferences(row: { template_id: number; campaign_id: number | null; external_id: string | null }) {
  return {
    templateId: row.template_id,
    ...(row.campaign_id === null ? {} : { campaignId: row.campaign_id }),
    ...(row.external_id === null ? {} : { externalId: row.external_id }),
  };
}

/** `emailReferences` as SQL over columns of the ledger. */
export const referencesSql = sql`jsonb_strip_nulls(jsonb_build_object('templateId', template_id, 'campaignId', campaign_id, 'externalId', external_id))`;

/** The ledger columns that email events need; `m` is the email. */
export const toldColumns = sql`m.id, m.tenant_id, m.status, m.contact_id, m.template_id, m.campaign_id, m.external_id, m.request_id`;

/**
 * Assignments that add EMAIL_SENT to the timeline of the email's contact if `condition` holds: the ledger's row is the
 * entry. `m` is the email.
 */
export const addToTimelineIf = (condition: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  activity_id = case when ${condition} then nextval('contact_activities_id_seq') else m.activity_id end,
  activity_at = case when ${condition} then date_trunc('milliseconds', now()) else m.activity_at end`;

/**
 * A statement (or part of one) that writes EMAIL_SENT, with the current time, for emails that are now SENT or FAILED.
 * `source` has the columns `toldColumns`.
 */
export const insertDeliveryEvents = (source: RawBuilder<unknown>): RawBuilder<unknown> =>
  insertEmailEvents(
    'EMAIL_SENT',
    sql`(
  select tenant_id, id, request_id, date_trunc('milliseconds', now()) as at,
    jsonb_build_object('emailId', id, 'recipientId', contact_id, 'status', status) || ${referencesSql} as data
  from ${source} d)`,
  );
