import { sql } from 'kysely';

/**
 * The timelines of contacts, as a table for a `from` clause: (id, tenant_id, contact_id, type, occurred_at, automated,
 * data, status). EMAIL_SENT is read from the ledger, CONTACT_CREATED from the contacts, and all other events from
 * contact_activities, which also has the EMAIL_SENT and CONTACT_CREATED of releases before. `status` is the `status` of
 * `data`: reading it alone spares Postgres building `data`.
 */
export const timeline = sql`(
  select id, tenant_id, contact_id, type, occurred_at, automated, data, data ->> 'status' as status
  from contact_activities
  union all
  select activity_id, tenant_id, contact_id, 'EMAIL_SENT', activity_at, false,
    jsonb_strip_nulls(jsonb_build_object('emailId', id, 'recipientId', contact_id,
      'status', case when sent_at is null then 'FAILED' else 'SENT' end, 'templateId', template_id,
      'campaignId', campaign_id, 'externalId', external_id, 'executionId', execution_id, 'stepId', step_id)),
    case when sent_at is null then 'FAILED' else 'SENT' end
  from emails where activity_id is not null
  union all
  select created_activity_id, tenant_id, id, 'CONTACT_CREATED', created_at, false,
    jsonb_strip_nulls(jsonb_build_object('contactId', id, 'email', coalesce(created_email, email),
      'runTriggers', created_run_triggers)),
    null
  from contacts where created_activity_id is not null)`;
