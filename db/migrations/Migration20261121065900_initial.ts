import { Migration } from '@mikro-orm/migrations';

export class Migration20261121065900_initial extends Migration {
  override name = 'Migration20261121065900_initial';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "analytics_contact_days" ("tenant_id" varchar(50) not null, "metric" varchar(50) not null, "day" date not null, "contact_id" bigint not null, primary key ("tenant_id", "metric", "day", "contact_id"));`,
    );

    this.addSql(
      `create table "analytics_windows" ("tenant_id" varchar(50) not null, "metric" varchar(50) not null, "dimension" varchar(20) not null, "dimension_id" bigint not null, "at" timestamptz(3) not null, "count" bigint not null, primary key ("tenant_id", "metric", "dimension", "dimension_id", "at"));`,
    );

    this.addSql(
      `create table "campaigns" ("id" bigserial primary key, "tenant_id" varchar(50) not null, "name" varchar(255) not null, "description" text null, "status" text not null default 'DRAFT', "type" text not null default 'CUSTOM', "trigger" jsonb not null, "steps" jsonb not null, "entry" jsonb not null, "published_version" int null, "activated_at" timestamptz(3) null, "version" int not null default 1, "created_at" timestamptz(3) not null default now(), "updated_at" timestamptz(3) not null default now());`,
    );
    this.addSql(`alter table "campaigns" add constraint "campaigns_tenant_id_id_key" unique ("tenant_id", "id");`);

    this.addSql(
      `create table "campaign_enrolments" ("id" bigserial primary key, "tenant_id" varchar(50) not null, "campaign_id" bigint not null, "campaign_version" int not null, "segment_id" bigint null, "contact_ids" jsonb null, "status" text not null default 'PENDING', "cursor" bigint not null default '0', "enrolled" int not null default 0, "skipped" int not null default 0, "workflow_id" text not null, "request_id" text null, "created_at" timestamptz(3) not null default now(), "finished_at" timestamptz(3) null);`,
    );
    this.addSql(
      `alter table "campaign_enrolments" add constraint "campaign_enrolments_tenant_id_id_key" unique ("tenant_id", "id");`,
    );

    this.addSql(
      `create table "campaign_executions" ("id" bigserial primary key, "tenant_id" varchar(50) not null, "campaign_id" bigint not null, "campaign_version" int not null, "contact_id" bigint not null, "entry_no" int not null, "entry_key" varchar(100) not null, "enrolment_id" bigint null, "current_step" int not null default 0, "current_step_id" varchar(64) null, "state" jsonb not null, "step_seq" int not null default 0, "run_seq" int not null default 1, "status" text not null default 'RUNNING', "exit_reason" text null, "sweep" boolean not null default false, "parked" boolean not null default false, "workflow_id" text not null, "run_id" text null, "started_at" timestamptz(3) not null default now(), "finished_at" timestamptz(3) null, "updated_at" timestamptz(3) not null default now());`,
    );
    this.addSql(
      `create index "campaign_executions_list_idx" on "campaign_executions" ("tenant_id", "campaign_id", "id");`,
    );
    this.addSql(
      `create index "campaign_executions_status_idx" on "campaign_executions" ("tenant_id", "campaign_id", "status", "id");`,
    );
    this.addSql(
      `create index "campaign_executions_sweep_idx" on "campaign_executions" ("tenant_id", "campaign_id", "id") where sweep;`,
    );
    this.addSql(
      `create index "campaign_executions_parked_idx" on "campaign_executions" ("tenant_id", "campaign_id", "id") where parked;`,
    );
    this.addSql(`create index "campaign_executions_contact_idx" on "campaign_executions" ("tenant_id", "contact_id");`);
    this.addSql(
      `alter table "campaign_executions" add constraint "campaign_executions_entry_no_key" unique ("tenant_id", "campaign_id", "contact_id", "entry_no");`,
    );
    this.addSql(
      `alter table "campaign_executions" add constraint "campaign_executions_entry_key" unique ("tenant_id", "campaign_id", "contact_id", "entry_key");`,
    );
    this.addSql(
      `alter table "campaign_executions" add constraint "campaign_executions_tenant_id_id_key" unique ("tenant_id", "id");`,
    );

    this.addSql(
      `create table "campaign_step_executions" ("tenant_id" varchar(50) not null, "execution_id" bigint not null, "seq" int not null, "campaign_id" bigint not null, "step_id" varchar(64) not null, "visit" int not null, "type" varchar(30) not null, "result" text not null, "reason" text null, "executed_at" timestamptz(3) not null, "duration_ms" bigint not null, primary key ("tenant_id", "execution_id", "seq"));`,
    );
    this.addSql(
      `create index "campaign_step_executions_step_idx" on "campaign_step_executions" ("tenant_id", "campaign_id", "step_id", "result");`,
    );

    this.addSql(
      `create table "campaign_versions" ("tenant_id" varchar(50) not null, "campaign_id" bigint not null, "version" int not null, "definition" jsonb not null, "published_at" timestamptz(3) not null default now(), primary key ("tenant_id", "campaign_id", "version"));`,
    );

    this.addSql(
      `create table "companies" ("id" bigserial primary key, "tenant_id" varchar(50) not null, "name" varchar(255) not null, "name_key" varchar(512) not null, "domain" varchar(255) null, "industry" varchar(100) null, "employee_count" int null, "address" text null, "custom_fields" jsonb not null default '{}', "version" int not null default 1, "created_at" timestamptz(3) not null default now(), "updated_at" timestamptz(3) not null default now());`,
    );
    this.addSql(`create index "companies_name_idx" on "companies" ("tenant_id", "name_key");`);
    this.addSql(`alter table "companies" add constraint "companies_tenant_id_id_key" unique ("tenant_id", "id");`);

    this.addSql(
      `create table "contacts" ("id" bigserial primary key, "tenant_id" varchar(50) not null, "first_name" varchar(100) not null, "last_name" varchar(100) not null, "email" varchar(255) not null, "email_key" varchar(320) not null, "phone" varchar(50) null, "phone_e164" varchar(20) null, "job_title" varchar(255) null, "company_id" bigint null, "status" text not null default 'active', "tags" text[] not null default '{}', "custom_fields" jsonb not null default '{}', "timezone" varchar(64) null, "locale" varchar(35) null, "source" varchar(255) null, "version" int not null default 1, "created_at" timestamptz(3) not null default now(), "updated_at" timestamptz(3) not null default now());`,
    );
    this.addSql(
      `create index "contacts_company_idx" on "contacts" ("tenant_id", "company_id") where company_id is not null;`,
    );
    this.addSql(`create index "contacts_created_idx" on "contacts" ("tenant_id", "created_at", "id");`);
    this.addSql(`create index "contacts_updated_idx" on "contacts" ("tenant_id", "updated_at", "id");`);
    this.addSql(`create index "contacts_last_name_idx" on "contacts" ("tenant_id", "last_name", "id");`);
    this.addSql(`alter table "contacts" add constraint "contacts_email_key" unique ("tenant_id", "email_key");`);
    this.addSql(`alter table "contacts" add constraint "contacts_tenant_id_id_key" unique ("tenant_id", "id");`);

    this.addSql(
      `create table "contact_activities" ("id" bigserial primary key, "tenant_id" varchar(50) not null, "contact_id" bigint not null, "type" varchar(50) not null, "occurred_at" timestamptz(3) not null, "event_id" uuid not null, "automated" boolean not null default false, "data" jsonb not null);`,
    );
    this.addSql(
      `create index "contact_activities_contact_idx" on "contact_activities" ("tenant_id", "contact_id", "type", "occurred_at");`,
    );

    this.addSql(
      `create table "contact_imports" ("id" bigserial primary key, "tenant_id" varchar(50) not null, "file_name" varchar(255) not null, "object_key" text not null, "options" jsonb not null, "status" text not null default 'PENDING', "total_rows" int null, "processed_rows" int not null default 0, "created" int not null default 0, "updated" int not null default 0, "unchanged" int not null default 0, "duplicates" int not null default 0, "rejected" int not null default 0, "ignored_columns" text[] not null default '{}', "error" text null, "workflow_id" text null, "started_at" timestamptz(3) null, "finished_at" timestamptz(3) null, "version" int not null default 1, "created_at" timestamptz(3) not null default now(), "updated_at" timestamptz(3) not null default now());`,
    );
    this.addSql(
      `alter table "contact_imports" add constraint "contact_imports_tenant_id_id_key" unique ("tenant_id", "id");`,
    );

    this.addSql(
      `create table "contact_import_chunks" ("tenant_id" varchar(50) not null, "import_id" bigint not null, "chunk" int not null, "end_offset" bigint not null, "last_row" int not null, "created_at" timestamptz(3) not null default now(), primary key ("tenant_id", "import_id", "chunk"));`,
    );

    this.addSql(
      `create table "contact_import_keys" ("tenant_id" varchar(50) not null, "import_id" bigint not null, "email_key" varchar(320) not null, "last_row" int not null, primary key ("tenant_id", "import_id", "email_key"));`,
    );

    this.addSql(
      `create table "contact_import_rejects" ("tenant_id" varchar(50) not null, "import_id" bigint not null, "row" int not null, "errors" jsonb not null, "cells" jsonb not null, primary key ("tenant_id", "import_id", "row"));`,
    );

    this.addSql(
      `create table "dead_letters" ("id" bigserial primary key, "tenant_id" varchar(50) not null, "consumer" varchar(30) not null, "subject" text not null, "message_id" text null, "body" text not null, "error" text not null, "deliveries" int not null, "stream_seq" bigint not null, "at" timestamptz(3) not null default now());`,
    );

    this.addSql(
      `create table "emails" ("id" bigserial primary key, "tenant_id" varchar(50) not null, "send_key" text not null, "external_id" varchar(100) null, "template_id" bigint not null, "content_version" int null, "link_count" smallint null, "contact_id" bigint null, "to_address" varchar(320) null, "campaign_id" bigint null, "execution_id" bigint null, "step_id" varchar(64) null, "data" jsonb null, "lane" text not null, "status" text not null default 'QUEUED', "reason" text null, "accepted_at" timestamptz(3) null, "next_attempt_at" timestamptz(3) not null default now(), "holder" text null, "lease_until" timestamptz(3) null, "attempt" int not null default 0, "provider" text null, "sent_at" timestamptz(3) null, "request_id" text null, "created_at" timestamptz(3) not null default now(), "updated_at" timestamptz(3) not null default now());`,
    );
    this.addSql(
      `create index "emails_ready_idx" on "emails" ("lane", "tenant_id", "next_attempt_at", "id") where status = 'QUEUED' and accepted_at is not null;`,
    );
    this.addSql(
      `create index "emails_waiting_idx" on "emails" ("next_attempt_at") where status = 'QUEUED' and accepted_at is null;`,
    );
    this.addSql(`create index "emails_sending_idx" on "emails" ("id") where status = 'SENDING';`);
    this.addSql(`create index "emails_contact_idx" on "emails" ("tenant_id", "contact_id");`);
    this.addSql(
      `create index "emails_campaign_idx" on "emails" ("tenant_id", "campaign_id", "id") where campaign_id is not null;`,
    );
    this.addSql(
      `create index "emails_execution_idx" on "emails" ("tenant_id", "execution_id") where execution_id is not null;`,
    );
    this.addSql(`alter table "emails" add constraint "emails_send_key" unique ("tenant_id", "send_key");`);
    this.addSql(`alter table "emails" add constraint "emails_tenant_id_id_key" unique ("tenant_id", "id");`);

    this.addSql(
      `create table "email_attempts" ("tenant_id" varchar(50) not null, "email_id" bigint not null, "attempt" int not null, "provider" text not null, "outcome" text not null, "reply" text null, "at" timestamptz(3) not null default now(), primary key ("tenant_id", "email_id", "attempt"));`,
    );

    this.addSql(
      `create table "email_events" ("id" bigserial primary key, "tenant_id" varchar(50) not null, "email_id" bigint not null, "event_id" uuid not null, "type" text not null, "at" timestamptz(3) not null, "url" text null, "ip" text null, "user_agent" text null, "automated" boolean null, "first" boolean not null default false, "received_at" timestamptz(3) not null default now());`,
    );
    this.addSql(`create index "email_events_email_idx" on "email_events" ("tenant_id", "email_id", "type");`);
    this.addSql(`create index "email_events_pending_idx" on "email_events" ("received_at") where automated is null;`);
    this.addSql(`alter table "email_events" add constraint "email_events_event_key" unique ("event_id");`);

    this.addSql(
      `create table "email_templates" ("id" bigserial primary key, "tenant_id" varchar(50) not null, "name" varchar(255) not null, "subject" text not null, "content" text not null, "text" text null, "preview_text" text null, "category" text not null default 'marketing', "topic_id" bigint null, "from_name" varchar(255) null, "from_email" varchar(255) null, "reply_to" varchar(255) null, "content_version" int not null default 1, "version" int not null default 1, "created_at" timestamptz(3) not null default now(), "updated_at" timestamptz(3) not null default now());`,
    );
    this.addSql(
      `alter table "email_templates" add constraint "email_templates_tenant_id_id_key" unique ("tenant_id", "id");`,
    );

    this.addSql(
      `create table "email_template_versions" ("tenant_id" varchar(50) not null, "template_id" bigint not null, "content_version" int not null, "subject" text not null, "content" text not null, "text" text null, "preview_text" text null, "category" text not null, "from_name" varchar(255) null, "from_email" varchar(255) null, "reply_to" varchar(255) null, "created_at" timestamptz(3) not null default now(), primary key ("tenant_id", "template_id", "content_version"));`,
    );

    this.addSql(
      `create table "forms" ("id" bigserial primary key, "tenant_id" varchar(50) not null, "name" varchar(255) not null, "description" text null, "fields" jsonb not null, "status" text not null default 'ACTIVE', "success_message" text null, "redirect_url" text null, "submit_label" varchar(100) null, "enable_progressive_profiling" boolean not null default false, "enable_captcha" boolean not null default false, "double_opt_in" boolean not null default false, "notify_emails" text[] not null default '{}', "list_id" bigint null, "progressive_fields" text[] not null default '{}', "allowed_origins" text[] not null default '{}', "update_existing" text not null default 'fillEmpty', "version" int not null default 1, "created_at" timestamptz(3) not null default now(), "updated_at" timestamptz(3) not null default now());`,
    );
    this.addSql(`alter table "forms" add constraint "forms_tenant_id_id_key" unique ("tenant_id", "id");`);

    this.addSql(
      `create table "form_submissions" ("id" bigserial primary key, "tenant_id" varchar(50) not null, "form_id" bigint not null, "contact_id" bigint null, "submission_data" jsonb not null, "ip_address" text null, "user_agent" text null, "submitted_at" timestamptz(3) not null);`,
    );
    this.addSql(`create index "form_submissions_form_idx" on "form_submissions" ("tenant_id", "form_id", "id");`);
    this.addSql(`create index "form_submissions_contact_idx" on "form_submissions" ("tenant_id", "contact_id");`);

    this.addSql(
      `create table "form_views" ("tenant_id" varchar(50) not null, "form_id" bigint not null, "hour" timestamptz(3) not null, "views" int not null, primary key ("tenant_id", "form_id", "hour"));`,
    );

    this.addSql(
      `create table "login_failures" ("id" bigserial primary key, "tenant_id" varchar(50) not null, "name_hash" text not null, "address" text not null, "at" timestamptz(3) not null default now());`,
    );
    this.addSql(`create index "login_failures_name_idx" on "login_failures" ("name_hash", "at");`);
    this.addSql(`create index "login_failures_at_idx" on "login_failures" ("at");`);

    this.addSql(
      `create table "outbox_events" ("id" bigserial primary key, "tenant_id" varchar(50) not null, "shard" smallint not null, "type" varchar(50) not null, "occurred_at" timestamptz(3) not null, "request_id" text null, "events" jsonb not null);`,
    );
    this.addSql(`create index "outbox_events_shard_idx" on "outbox_events" ("shard", "id");`);

    this.addSql(
      `create table "outbox_send_requests" ("id" bigserial primary key, "tenant_id" varchar(50) not null, "requests" jsonb not null);`,
    );

    this.addSql(
      `create table "outbox_workflows" ("id" bigserial primary key, "tenant_id" varchar(50) not null, "workflow_type" varchar(100) not null, "workflow_id" text not null, "input" jsonb not null, "created_at" timestamptz(3) not null default now());`,
    );

    this.addSql(
      `create table "roles" ("id" bigserial primary key, "tenant_id" varchar(50) not null, "name" varchar(50) not null, "description" text null, "permissions" text[] not null, "version" int not null default 1, "created_at" timestamptz(3) not null default now(), "updated_at" timestamptz(3) not null default now());`,
    );
    this.addSql(`alter table "roles" add constraint "roles_name_key" unique ("tenant_id", "name");`);

    this.addSql(
      `create table "scores_by_rule" ("tenant_id" varchar(50) not null, "subject" text not null, "subject_id" bigint not null, "rule_id" bigint not null, "score" int not null, "events" int not null, primary key ("tenant_id", "subject", "subject_id", "rule_id"));`,
    );

    this.addSql(
      `create table "score_history" ("id" bigserial primary key, "tenant_id" varchar(50) not null, "subject" text not null, "subject_id" bigint not null, "rule_id" bigint not null, "event_id" uuid not null, "event_type" varchar(50) not null, "points" int not null, "total" int not null, "at" timestamptz(3) not null);`,
    );
    this.addSql(
      `alter table "score_history" add constraint "score_history_event_key" unique ("tenant_id", "subject", "subject_id", "rule_id", "event_id");`,
    );

    this.addSql(
      `create table "score_thresholds" ("id" bigserial primary key, "tenant_id" varchar(50) not null, "name" varchar(255) not null, "score" int not null, "action" jsonb not null, "version" int not null default 1, "created_at" timestamptz(3) not null default now(), "updated_at" timestamptz(3) not null default now());`,
    );
    this.addSql(
      `alter table "score_thresholds" add constraint "score_thresholds_tenant_id_id_key" unique ("tenant_id", "id");`,
    );

    this.addSql(
      `create table "score_threshold_hits" ("tenant_id" varchar(50) not null, "threshold_id" bigint not null, "contact_id" bigint not null, "event_id" uuid not null, "at" timestamptz(3) not null, primary key ("tenant_id", "threshold_id", "contact_id"));`,
    );

    this.addSql(
      `create table "score_totals" ("tenant_id" varchar(50) not null, "subject" text not null, "subject_id" bigint not null, "total" int not null, "updated_at" timestamptz(3) not null, primary key ("tenant_id", "subject", "subject_id"));`,
    );
    this.addSql(
      `create index "score_totals_leaderboard_idx" on "score_totals" ("tenant_id", "subject", "total", "subject_id");`,
    );

    this.addSql(
      `create table "scoring_rules" ("id" bigserial primary key, "tenant_id" varchar(50) not null, "name" varchar(255) not null, "event_type" varchar(50) not null, "points" int not null, "category" varchar(100) null, "weight" double precision not null default 1, "conditions" jsonb not null default '[]', "decay" jsonb null, "max_per_contact" int null, "target" text not null default 'contact', "active" boolean not null default true, "version" int not null default 1, "created_at" timestamptz(3) not null default now(), "updated_at" timestamptz(3) not null default now());`,
    );
    this.addSql(
      `alter table "scoring_rules" add constraint "scoring_rules_tenant_id_id_key" unique ("tenant_id", "id");`,
    );

    this.addSql(
      `create table "scoring_settings" ("tenant_id" varchar(50) not null, "warm" int not null default 30, "hot" int not null default 70, "version" int not null default 1, primary key ("tenant_id"));`,
    );

    this.addSql(
      `create table "segments" ("id" bigserial primary key, "tenant_id" varchar(50) not null, "name" varchar(255) not null, "description" text null, "type" text not null, "filter" jsonb null, "status" text not null, "version" int not null default 1, "created_at" timestamptz(3) not null default now(), "updated_at" timestamptz(3) not null default now());`,
    );
    this.addSql(`alter table "segments" add constraint "segments_tenant_id_id_key" unique ("tenant_id", "id");`);

    this.addSql(
      `create table "segment_members" ("tenant_id" varchar(50) not null, "segment_id" bigint not null, "contact_id" bigint not null, "added_at" timestamptz(3) not null default now(), primary key ("tenant_id", "segment_id", "contact_id"));`,
    );
    this.addSql(`create index "segment_members_contact_idx" on "segment_members" ("tenant_id", "contact_id");`);

    this.addSql(
      `create table "sessions" ("id" uuid not null, "tenant_id" varchar(50) not null, "user_id" bigint not null, "token_hash" text not null, "expires_at" timestamptz(3) not null, "revoked_at" timestamptz(3) null, "created_at" timestamptz(3) not null default now(), primary key ("id"));`,
    );
    this.addSql(`create index "sessions_user_idx" on "sessions" ("tenant_id", "user_id");`);

    this.addSql(
      `create table "suppressions" ("id" bigserial primary key, "tenant_id" varchar(50) not null, "email_key" varchar(320) not null, "reason" text not null, "source" text null, "created_at" timestamptz(3) not null default now());`,
    );
    this.addSql(
      `alter table "suppressions" add constraint "suppressions_address_key" unique ("tenant_id", "email_key");`,
    );

    this.addSql(
      `create table "tenants" ("tenant_id" varchar(50) not null, "created_at" timestamptz(3) not null default now(), primary key ("tenant_id"));`,
    );

    this.addSql(
      `create table "users" ("id" bigserial primary key, "tenant_id" varchar(50) not null, "username" varchar(50) not null, "username_key" varchar(50) not null, "email" varchar(100) not null, "email_key" varchar(100) not null, "password_hash" text not null, "first_name" varchar(100) not null, "last_name" varchar(100) not null, "active" boolean not null default true, "email_verified" boolean not null default false, "roles" text[] not null, "version" int not null default 1, "created_at" timestamptz(3) not null default now(), "updated_at" timestamptz(3) not null default now());`,
    );
    this.addSql(`alter table "users" add constraint "users_username_key" unique ("username_key");`);
    this.addSql(`alter table "users" add constraint "users_email_key" unique ("email_key");`);
    this.addSql(`alter table "users" add constraint "users_tenant_id_id_key" unique ("tenant_id", "id");`);

    this.addSql(`alter table "analytics_contact_days" enable row level security;`);
    this.addSql(`alter table "analytics_contact_days" force row level security;`);
    this.addSql(
      `create policy "tenant" on "analytics_contact_days" using (tenant_id = current_setting('app.tenant_id', true)) with check (tenant_id = current_setting('app.tenant_id', true));`,
    );
    this.addSql(
      `create policy "engine" on "analytics_contact_days" to "perennial_engine" using (true) with check (true);`,
    );

    this.addSql(`alter table "analytics_windows" enable row level security;`);
    this.addSql(`alter table "analytics_windows" force row level security;`);
    this.addSql(
      `create policy "tenant" on "analytics_windows" using (tenant_id = current_setting('app.tenant_id', true)) with check (tenant_id = current_setting('app.tenant_id', true));`,
    );
    this.addSql(`create policy "engine" on "analytics_windows" to "perennial_engine" using (true) with check (true);`);

    this.addSql(
      `alter table "campaigns" add constraint "campaigns_status_check" check ("status" in ('DRAFT', 'ACTIVE', 'PAUSED', 'STOPPED', 'ARCHIVED'));`,
    );
    this.addSql(
      `alter table "campaigns" add constraint "campaigns_type_check" check ("type" in ('CUSTOM', 'WELCOME_SERIES', 'NURTURE', 'RE_ENGAGEMENT'));`,
    );
    this.addSql(`alter table "campaigns" enable row level security;`);
    this.addSql(`alter table "campaigns" force row level security;`);
    this.addSql(
      `create policy "tenant" on "campaigns" using (tenant_id = current_setting('app.tenant_id', true)) with check (tenant_id = current_setting('app.tenant_id', true));`,
    );
    this.addSql(`create policy "engine" on "campaigns" to "perennial_engine" using (true) with check (true);`);

    this.addSql(
      `alter table "campaign_enrolments" add constraint "campaign_enrolments_status_check" check ("status" in ('PENDING', 'RUNNING', 'COMPLETED', 'CANCELLED'));`,
    );
    this.addSql(`alter table "campaign_enrolments" enable row level security;`);
    this.addSql(`alter table "campaign_enrolments" force row level security;`);
    this.addSql(
      `create policy "tenant" on "campaign_enrolments" using (tenant_id = current_setting('app.tenant_id', true)) with check (tenant_id = current_setting('app.tenant_id', true));`,
    );
    this.addSql(
      `create policy "engine" on "campaign_enrolments" to "perennial_engine" using (true) with check (true);`,
    );

    this.addSql(
      `alter table "campaign_executions" add constraint "campaign_executions_status_check" check ("status" in ('RUNNING', 'STOPPED', 'COMPLETED', 'FAILED'));`,
    );
    this.addSql(`alter table "campaign_executions" enable row level security;`);
    this.addSql(`alter table "campaign_executions" force row level security;`);
    this.addSql(
      `create policy "tenant" on "campaign_executions" using (tenant_id = current_setting('app.tenant_id', true)) with check (tenant_id = current_setting('app.tenant_id', true));`,
    );
    this.addSql(
      `create policy "engine" on "campaign_executions" to "perennial_engine" using (true) with check (true);`,
    );

    this.addSql(`alter table "campaign_step_executions" enable row level security;`);
    this.addSql(`alter table "campaign_step_executions" force row level security;`);
    this.addSql(
      `create policy "tenant" on "campaign_step_executions" using (tenant_id = current_setting('app.tenant_id', true)) with check (tenant_id = current_setting('app.tenant_id', true));`,
    );
    this.addSql(
      `create policy "engine" on "campaign_step_executions" to "perennial_engine" using (true) with check (true);`,
    );

    this.addSql(`alter table "campaign_versions" enable row level security;`);
    this.addSql(`alter table "campaign_versions" force row level security;`);
    this.addSql(
      `create policy "tenant" on "campaign_versions" using (tenant_id = current_setting('app.tenant_id', true)) with check (tenant_id = current_setting('app.tenant_id', true));`,
    );
    this.addSql(`create policy "engine" on "campaign_versions" to "perennial_engine" using (true) with check (true);`);

    this.addSql(`alter table "companies" enable row level security;`);
    this.addSql(`alter table "companies" force row level security;`);
    this.addSql(
      `create policy "tenant" on "companies" using (tenant_id = current_setting('app.tenant_id', true)) with check (tenant_id = current_setting('app.tenant_id', true));`,
    );
    this.addSql(`create policy "engine" on "companies" to "perennial_engine" using (true) with check (true);`);

    this.addSql(
      `alter table "contacts" add constraint "contacts_status_check" check ("status" in ('pending', 'active', 'unsubscribed', 'bounced', 'complained', 'archived'));`,
    );
    this.addSql(`alter table "contacts" enable row level security;`);
    this.addSql(`alter table "contacts" force row level security;`);
    this.addSql(
      `create policy "tenant" on "contacts" using (tenant_id = current_setting('app.tenant_id', true)) with check (tenant_id = current_setting('app.tenant_id', true));`,
    );
    this.addSql(`create policy "engine" on "contacts" to "perennial_engine" using (true) with check (true);`);

    this.addSql(`alter table "contact_activities" enable row level security;`);
    this.addSql(`alter table "contact_activities" force row level security;`);
    this.addSql(
      `create policy "tenant" on "contact_activities" using (tenant_id = current_setting('app.tenant_id', true)) with check (tenant_id = current_setting('app.tenant_id', true));`,
    );
    this.addSql(`create policy "engine" on "contact_activities" to "perennial_engine" using (true) with check (true);`);

    this.addSql(
      `alter table "contact_imports" add constraint "contact_imports_status_check" check ("status" in ('PENDING', 'RUNNING', 'COMPLETED', 'FAILED', 'CANCELLED', 'UNDONE'));`,
    );
    this.addSql(`alter table "contact_imports" enable row level security;`);
    this.addSql(`alter table "contact_imports" force row level security;`);
    this.addSql(
      `create policy "tenant" on "contact_imports" using (tenant_id = current_setting('app.tenant_id', true)) with check (tenant_id = current_setting('app.tenant_id', true));`,
    );
    this.addSql(`create policy "engine" on "contact_imports" to "perennial_engine" using (true) with check (true);`);

    this.addSql(`alter table "contact_import_chunks" enable row level security;`);
    this.addSql(`alter table "contact_import_chunks" force row level security;`);
    this.addSql(
      `create policy "tenant" on "contact_import_chunks" using (tenant_id = current_setting('app.tenant_id', true)) with check (tenant_id = current_setting('app.tenant_id', true));`,
    );
    this.addSql(
      `create policy "engine" on "contact_import_chunks" to "perennial_engine" using (true) with check (true);`,
    );

    this.addSql(`alter table "contact_import_keys" enable row level security;`);
    this.addSql(`alter table "contact_import_keys" force row level security;`);
    this.addSql(
      `create policy "tenant" on "contact_import_keys" using (tenant_id = current_setting('app.tenant_id', true)) with check (tenant_id = current_setting('app.tenant_id', true));`,
    );
    this.addSql(
      `create policy "engine" on "contact_import_keys" to "perennial_engine" using (true) with check (true);`,
    );

    this.addSql(`alter table "contact_import_rejects" enable row level security;`);
    this.addSql(`alter table "contact_import_rejects" force row level security;`);
    this.addSql(
      `create policy "tenant" on "contact_import_rejects" using (tenant_id = current_setting('app.tenant_id', true)) with check (tenant_id = current_setting('app.tenant_id', true));`,
    );
    this.addSql(
      `create policy "engine" on "contact_import_rejects" to "perennial_engine" using (true) with check (true);`,
    );

    this.addSql(`alter table "dead_letters" enable row level security;`);
    this.addSql(`alter table "dead_letters" force row level security;`);
    this.addSql(
      `create policy "tenant" on "dead_letters" using (tenant_id = current_setting('app.tenant_id', true)) with check (tenant_id = current_setting('app.tenant_id', true));`,
    );
    this.addSql(`create policy "engine" on "dead_letters" to "perennial_engine" using (true) with check (true);`);

    this.addSql(
      `alter table "emails" add constraint "emails_lane_check" check ("lane" in ('transactional', 'journey', 'bulk'));`,
    );
    this.addSql(
      `alter table "emails" add constraint "emails_status_check" check ("status" in ('QUEUED', 'SENDING', 'SENT', 'DELIVERED', 'FAILED', 'SUPPRESSED', 'BOUNCED', 'COMPLAINED', 'UNKNOWN'));`,
    );
    this.addSql(`alter table "emails" enable row level security;`);
    this.addSql(`alter table "emails" force row level security;`);
    this.addSql(
      `create policy "tenant" on "emails" using (tenant_id = current_setting('app.tenant_id', true)) with check (tenant_id = current_setting('app.tenant_id', true));`,
    );
    this.addSql(`create policy "engine" on "emails" to "perennial_engine" using (true) with check (true);`);

    this.addSql(`alter table "email_attempts" enable row level security;`);
    this.addSql(`alter table "email_attempts" force row level security;`);
    this.addSql(
      `create policy "tenant" on "email_attempts" using (tenant_id = current_setting('app.tenant_id', true)) with check (tenant_id = current_setting('app.tenant_id', true));`,
    );
    this.addSql(`create policy "engine" on "email_attempts" to "perennial_engine" using (true) with check (true);`);

    this.addSql(
      `alter table "email_events" add constraint "email_events_type_check" check ("type" in ('OPEN', 'CLICK', 'UNSUBSCRIBE'));`,
    );
    this.addSql(`alter table "email_events" enable row level security;`);
    this.addSql(`alter table "email_events" force row level security;`);
    this.addSql(
      `create policy "tenant" on "email_events" using (tenant_id = current_setting('app.tenant_id', true)) with check (tenant_id = current_setting('app.tenant_id', true));`,
    );
    this.addSql(`create policy "engine" on "email_events" to "perennial_engine" using (true) with check (true);`);

    this.addSql(
      `alter table "email_templates" add constraint "email_templates_category_check" check ("category" in ('marketing', 'transactional'));`,
    );
    this.addSql(`alter table "email_templates" enable row level security;`);
    this.addSql(`alter table "email_templates" force row level security;`);
    this.addSql(
      `create policy "tenant" on "email_templates" using (tenant_id = current_setting('app.tenant_id', true)) with check (tenant_id = current_setting('app.tenant_id', true));`,
    );
    this.addSql(`create policy "engine" on "email_templates" to "perennial_engine" using (true) with check (true);`);

    this.addSql(
      `alter table "email_template_versions" add constraint "email_template_versions_category_check" check ("category" in ('marketing', 'transactional'));`,
    );
    this.addSql(`alter table "email_template_versions" enable row level security;`);
    this.addSql(`alter table "email_template_versions" force row level security;`);
    this.addSql(
      `create policy "tenant" on "email_template_versions" using (tenant_id = current_setting('app.tenant_id', true)) with check (tenant_id = current_setting('app.tenant_id', true));`,
    );
    this.addSql(
      `create policy "engine" on "email_template_versions" to "perennial_engine" using (true) with check (true);`,
    );

    this.addSql(
      `alter table "forms" add constraint "forms_status_check" check ("status" in ('DRAFT', 'ACTIVE', 'ARCHIVED'));`,
    );
    this.addSql(
      `alter table "forms" add constraint "forms_update_existing_check" check ("update_existing" in ('fillEmpty', 'overwrite'));`,
    );
    this.addSql(`alter table "forms" enable row level security;`);
    this.addSql(`alter table "forms" force row level security;`);
    this.addSql(
      `create policy "tenant" on "forms" using (tenant_id = current_setting('app.tenant_id', true)) with check (tenant_id = current_setting('app.tenant_id', true));`,
    );
    this.addSql(`create policy "engine" on "forms" to "perennial_engine" using (true) with check (true);`);

    this.addSql(`alter table "form_submissions" enable row level security;`);
    this.addSql(`alter table "form_submissions" force row level security;`);
    this.addSql(
      `create policy "tenant" on "form_submissions" using (tenant_id = current_setting('app.tenant_id', true)) with check (tenant_id = current_setting('app.tenant_id', true));`,
    );
    this.addSql(`create policy "engine" on "form_submissions" to "perennial_engine" using (true) with check (true);`);

    this.addSql(`alter table "form_views" enable row level security;`);
    this.addSql(`alter table "form_views" force row level security;`);
    this.addSql(
      `create policy "tenant" on "form_views" using (tenant_id = current_setting('app.tenant_id', true)) with check (tenant_id = current_setting('app.tenant_id', true));`,
    );
    this.addSql(`create policy "engine" on "form_views" to "perennial_engine" using (true) with check (true);`);

    this.addSql(`alter table "login_failures" enable row level security;`);
    this.addSql(`alter table "login_failures" force row level security;`);
    this.addSql(
      `create policy "tenant" on "login_failures" using (tenant_id = current_setting('app.tenant_id', true)) with check (tenant_id = current_setting('app.tenant_id', true));`,
    );
    this.addSql(`create policy "engine" on "login_failures" to "perennial_engine" using (true) with check (true);`);

    this.addSql(`alter table "outbox_events" enable row level security;`);
    this.addSql(`alter table "outbox_events" force row level security;`);
    this.addSql(
      `create policy "tenant" on "outbox_events" using (tenant_id = current_setting('app.tenant_id', true)) with check (tenant_id = current_setting('app.tenant_id', true));`,
    );
    this.addSql(`create policy "engine" on "outbox_events" to "perennial_engine" using (true) with check (true);`);

    this.addSql(`alter table "outbox_send_requests" enable row level security;`);
    this.addSql(`alter table "outbox_send_requests" force row level security;`);
    this.addSql(
      `create policy "tenant" on "outbox_send_requests" using (tenant_id = current_setting('app.tenant_id', true)) with check (tenant_id = current_setting('app.tenant_id', true));`,
    );
    this.addSql(
      `create policy "engine" on "outbox_send_requests" to "perennial_engine" using (true) with check (true);`,
    );

    this.addSql(`alter table "outbox_workflows" enable row level security;`);
    this.addSql(`alter table "outbox_workflows" force row level security;`);
    this.addSql(
      `create policy "tenant" on "outbox_workflows" using (tenant_id = current_setting('app.tenant_id', true)) with check (tenant_id = current_setting('app.tenant_id', true));`,
    );
    this.addSql(`create policy "engine" on "outbox_workflows" to "perennial_engine" using (true) with check (true);`);

    this.addSql(`alter table "roles" enable row level security;`);
    this.addSql(`alter table "roles" force row level security;`);
    this.addSql(
      `create policy "tenant" on "roles" using (tenant_id = current_setting('app.tenant_id', true)) with check (tenant_id = current_setting('app.tenant_id', true));`,
    );
    this.addSql(`create policy "engine" on "roles" to "perennial_engine" using (true) with check (true);`);

    this.addSql(
      `alter table "scores_by_rule" add constraint "scores_by_rule_subject_check" check ("subject" in ('contact', 'company'));`,
    );
    this.addSql(`alter table "scores_by_rule" enable row level security;`);
    this.addSql(`alter table "scores_by_rule" force row level security;`);
    this.addSql(
      `create policy "tenant" on "scores_by_rule" using (tenant_id = current_setting('app.tenant_id', true)) with check (tenant_id = current_setting('app.tenant_id', true));`,
    );
    this.addSql(`create policy "engine" on "scores_by_rule" to "perennial_engine" using (true) with check (true);`);

    this.addSql(
      `alter table "score_history" add constraint "score_history_subject_check" check ("subject" in ('contact', 'company'));`,
    );
    this.addSql(`alter table "score_history" enable row level security;`);
    this.addSql(`alter table "score_history" force row level security;`);
    this.addSql(
      `create policy "tenant" on "score_history" using (tenant_id = current_setting('app.tenant_id', true)) with check (tenant_id = current_setting('app.tenant_id', true));`,
    );
    this.addSql(`create policy "engine" on "score_history" to "perennial_engine" using (true) with check (true);`);

    this.addSql(`alter table "score_thresholds" enable row level security;`);
    this.addSql(`alter table "score_thresholds" force row level security;`);
    this.addSql(
      `create policy "tenant" on "score_thresholds" using (tenant_id = current_setting('app.tenant_id', true)) with check (tenant_id = current_setting('app.tenant_id', true));`,
    );
    this.addSql(`create policy "engine" on "score_thresholds" to "perennial_engine" using (true) with check (true);`);

    this.addSql(`alter table "score_threshold_hits" enable row level security;`);
    this.addSql(`alter table "score_threshold_hits" force row level security;`);
    this.addSql(
      `create policy "tenant" on "score_threshold_hits" using (tenant_id = current_setting('app.tenant_id', true)) with check (tenant_id = current_setting('app.tenant_id', true));`,
    );
    this.addSql(
      `create policy "engine" on "score_threshold_hits" to "perennial_engine" using (true) with check (true);`,
    );

    this.addSql(
      `alter table "score_totals" add constraint "score_totals_subject_check" check ("subject" in ('contact', 'company'));`,
    );
    this.addSql(`alter table "score_totals" enable row level security;`);
    this.addSql(`alter table "score_totals" force row level security;`);
    this.addSql(
      `create policy "tenant" on "score_totals" using (tenant_id = current_setting('app.tenant_id', true)) with check (tenant_id = current_setting('app.tenant_id', true));`,
    );
    this.addSql(`create policy "engine" on "score_totals" to "perennial_engine" using (true) with check (true);`);

    this.addSql(
      `alter table "scoring_rules" add constraint "scoring_rules_target_check" check ("target" in ('contact', 'company'));`,
    );
    this.addSql(`alter table "scoring_rules" enable row level security;`);
    this.addSql(`alter table "scoring_rules" force row level security;`);
    this.addSql(
      `create policy "tenant" on "scoring_rules" using (tenant_id = current_setting('app.tenant_id', true)) with check (tenant_id = current_setting('app.tenant_id', true));`,
    );
    this.addSql(`create policy "engine" on "scoring_rules" to "perennial_engine" using (true) with check (true);`);

    this.addSql(`alter table "scoring_settings" enable row level security;`);
    this.addSql(`alter table "scoring_settings" force row level security;`);
    this.addSql(
      `create policy "tenant" on "scoring_settings" using (tenant_id = current_setting('app.tenant_id', true)) with check (tenant_id = current_setting('app.tenant_id', true));`,
    );
    this.addSql(`create policy "engine" on "scoring_settings" to "perennial_engine" using (true) with check (true);`);

    this.addSql(`alter table "segments" add constraint "segments_type_check" check ("type" in ('dynamic', 'static'));`);
    this.addSql(
      `alter table "segments" add constraint "segments_status_check" check ("status" in ('BUILDING', 'READY'));`,
    );
    this.addSql(`alter table "segments" enable row level security;`);
    this.addSql(`alter table "segments" force row level security;`);
    this.addSql(
      `create policy "tenant" on "segments" using (tenant_id = current_setting('app.tenant_id', true)) with check (tenant_id = current_setting('app.tenant_id', true));`,
    );
    this.addSql(`create policy "engine" on "segments" to "perennial_engine" using (true) with check (true);`);

    this.addSql(`alter table "segment_members" enable row level security;`);
    this.addSql(`alter table "segment_members" force row level security;`);
    this.addSql(
      `create policy "tenant" on "segment_members" using (tenant_id = current_setting('app.tenant_id', true)) with check (tenant_id = current_setting('app.tenant_id', true));`,
    );
    this.addSql(`create policy "engine" on "segment_members" to "perennial_engine" using (true) with check (true);`);

    this.addSql(`alter table "sessions" enable row level security;`);
    this.addSql(`alter table "sessions" force row level security;`);
    this.addSql(
      `create policy "tenant" on "sessions" using (tenant_id = current_setting('app.tenant_id', true)) with check (tenant_id = current_setting('app.tenant_id', true));`,
    );
    this.addSql(`create policy "engine" on "sessions" to "perennial_engine" using (true) with check (true);`);

    this.addSql(
      `alter table "suppressions" add constraint "suppressions_reason_check" check ("reason" in ('unsubscribed', 'bounced', 'complained', 'manual'));`,
    );
    this.addSql(`alter table "suppressions" enable row level security;`);
    this.addSql(`alter table "suppressions" force row level security;`);
    this.addSql(
      `create policy "tenant" on "suppressions" using (tenant_id = current_setting('app.tenant_id', true)) with check (tenant_id = current_setting('app.tenant_id', true));`,
    );
    this.addSql(`create policy "engine" on "suppressions" to "perennial_engine" using (true) with check (true);`);

    this.addSql(`alter table "tenants" enable row level security;`);
    this.addSql(`alter table "tenants" force row level security;`);
    this.addSql(
      `create policy "tenant" on "tenants" using (tenant_id = current_setting('app.tenant_id', true)) with check (tenant_id = current_setting('app.tenant_id', true));`,
    );
    this.addSql(`create policy "engine" on "tenants" to "perennial_engine" using (true) with check (true);`);

    this.addSql(`alter table "users" enable row level security;`);
    this.addSql(`alter table "users" force row level security;`);
    this.addSql(
      `create policy "tenant" on "users" using (tenant_id = current_setting('app.tenant_id', true)) with check (tenant_id = current_setting('app.tenant_id', true));`,
    );
    this.addSql(`create policy "engine" on "users" to "perennial_engine" using (true) with check (true);`);
  }
}
