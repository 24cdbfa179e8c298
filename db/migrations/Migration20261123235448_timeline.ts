import { Migration } from '@mikro-orm/migrations';

/**
 * The timeline reads EMAIL_SENT from the emails and CONTACT_CREATED from the contacts. Rows from before have no
 * activity id: their entries are rows of contact_activities.
 */
export class Migration20261123235448_timeline extends Migration {
  override name = 'Migration20261123235448_timeline';

  override up(): void {
    this.addSql(`
      alter table "contacts" add "created_activity_id" bigint null, add "created_run_triggers" boolean null,
        add "created_email" varchar(255) null;`);
    // Set separately, or it would also apply to the rows that are there.
    this.addSql(
      `alter table "contacts" alter column "created_activity_id" set default nextval('contact_activities_id_seq');`,
    );
    this.addSql(`alter table "emails" add "activity_id" bigint null, add "activity_at" timestamptz(3) null;`);
    // For the sweep of segments. A BRIN index costs nothing per email, and emails are settled in the order of their rows.
    this.addSql(
      `create index emails_activity_at_idx on emails using brin (activity_at) with (pages_per_range = 32, autosummarize = on);`,
    );
    this.addSql(`grant usage on sequence contact_activities_id_seq to perennial_app, perennial_engine;`);
    this.addSql(`
      create function keep_created_email() returns trigger
      language plpgsql set search_path = pg_catalog, public, pg_temp as $$
      begin
        new.created_email := nullif(coalesce(old.created_email, old.email), new.email);
        return new;
      end $$;`);
    this.addSql(`
      create trigger keep_created_email before update of email on contacts for each row
      when (new.email is distinct from old.email) execute function keep_created_email();`);
    this.addSql(`
      create view contact_timeline with (security_invoker = true) as
      select id, tenant_id, contact_id, type, occurred_at, automated, data from contact_activities
      union all
      select activity_id, tenant_id, contact_id, 'EMAIL_SENT'::varchar(50), activity_at, false,
        jsonb_strip_nulls(jsonb_build_object('emailId', id, 'recipientId', contact_id,
          'status', case when sent_at is null then 'FAILED' else 'SENT' end, 'templateId', template_id,
          'campaignId', campaign_id, 'externalId', external_id, 'executionId', execution_id, 'stepId', step_id))
      from emails where activity_id is not null
      union all
      select created_activity_id, tenant_id, id, 'CONTACT_CREATED'::varchar(50), created_at, false,
        jsonb_strip_nulls(jsonb_build_object('contactId', id, 'email', coalesce(created_email, email),
          'runTriggers', created_run_triggers))
      from contacts where created_activity_id is not null;`);
    this.addSql(`grant select on contact_timeline to perennial_app, perennial_engine;`);
  }
}
