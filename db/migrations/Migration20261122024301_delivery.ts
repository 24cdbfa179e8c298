import { Migration } from '@mikro-orm/migrations';

/** Email campaigns, bounces, topics, confirmed opt-ins, senders and the health of providers. */
export class Migration20261122024301_delivery extends Migration {
  override name = 'Migration20261122024301_delivery';

  override up(): void {
    this.addSql(
      `create table "bounce_mailboxes" ("mailbox" varchar(400) not null, "uid_validity" bigint not null, "last_uid" bigint not null, "updated_at" timestamptz(3) not null default now(), primary key ("mailbox"));`,
    );

    this.addSql(
      `create table "email_bounces" ("id" bigserial primary key, "tenant_id" varchar(50) not null, "email_id" bigint not null, "email_key" varchar(320) not null, "kind" text not null, "source" varchar(20) not null, "event_key" varchar(255) not null, "status_code" varchar(20) null, "diagnostic" text null, "at" timestamptz(3) not null default now());`,
    );
    this.addSql(`create index "email_bounces_address_idx" on "email_bounces" ("tenant_id", "email_key", "at");`);
    this.addSql(
      `alter table "email_bounces" add constraint "email_bounces_event_key" unique ("tenant_id", "email_id", "source", "event_key");`,
    );

    this.addSql(
      `create table "email_campaigns" ("id" bigint not null default nextval('campaigns_id_seq'::regclass), "tenant_id" varchar(50) not null, "name" varchar(255) not null, "template_id" bigint null, "segment_id" bigint null, "schedule_type" text null, "scheduled_at" timestamptz(3) null, "cron" varchar(200) null, "timezone" varchar(64) null, "rate_per_minute" int null, "variants" jsonb null, "winner" jsonb null, "winner_variant" varchar(100) null, "winner_at" timestamptz(3) null, "status" text not null default 'DRAFT', "error" text null, "run" int not null default 0, "next_run_at" timestamptz(3) null, "frozen_to" bigint null, "requested_to" bigint not null default '0', "tokens" double precision not null default 0, "tokens_at" timestamptz(3) null, "started_at" timestamptz(3) null, "finished_at" timestamptz(3) null, "version" int not null default 1, "created_at" timestamptz(3) not null default now(), "updated_at" timestamptz(3) not null default now(), primary key ("id"));`,
    );
    this.addSql(
      `alter table "email_campaigns" add constraint "email_campaigns_tenant_id_id_key" unique ("tenant_id", "id");`,
    );

    this.addSql(
      `create table "email_providers" ("provider" varchar(300) not null, "holder" varchar(100) not null, "state" varchar(20) not null, "failures" int not null default 0, "rests_until" timestamptz(3) null, "last_error" text null, "last_error_at" timestamptz(3) null, "last_sent_at" timestamptz(3) null, "sent" bigint not null default '0', "seen_at" timestamptz(3) not null default now(), primary key ("provider", "holder"));`,
    );

    this.addSql(
      `create table "email_senders" ("id" bigserial primary key, "tenant_id" varchar(50) not null, "name" varchar(255) null, "email" varchar(255) not null, "email_key" varchar(320) not null, "reply_to" varchar(255) null, "dkim_domain" varchar(255) null, "dkim_selector" varchar(63) null, "dkim_private_key" text null, "dkim_public_key" text null, "dkim_verified_at" timestamptz(3) null, "version" int not null default 1, "created_at" timestamptz(3) not null default now(), "updated_at" timestamptz(3) not null default now());`,
    );
    this.addSql(
      `alter table "email_senders" add constraint "email_senders_email_key" unique ("tenant_id", "email_key");`,
    );

    this.addSql(
      `create table "email_settings" ("tenant_id" varchar(50) not null, "frequency_cap" jsonb null, "send_window" jsonb null, "version" int not null default 1, "created_at" timestamptz(3) not null default now(), "updated_at" timestamptz(3) not null default now(), primary key ("tenant_id"));`,
    );

    this.addSql(
      `create table "email_topics" ("id" bigserial primary key, "tenant_id" varchar(50) not null, "name" varchar(100) not null, "description" text null, "version" int not null default 1, "created_at" timestamptz(3) not null default now(), "updated_at" timestamptz(3) not null default now());`,
    );
    this.addSql(
      `alter table "email_topics" add constraint "email_topics_tenant_id_id_key" unique ("tenant_id", "id");`,
    );
    this.addSql(`alter table "email_topics" add constraint "email_topics_name_key" unique ("tenant_id", "name");`);

    this.addSql(
      `create table "opt_ins" ("id" bigserial primary key, "tenant_id" varchar(50) not null, "contact_id" bigint not null, "form_id" bigint null, "list_id" bigint null, "requested_at" timestamptz(3) not null default now(), "confirmed_at" timestamptz(3) null, "ip" text null, "user_agent" text null);`,
    );
    this.addSql(`create index "opt_ins_contact_idx" on "opt_ins" ("tenant_id", "contact_id");`);

    this.addSql(
      `create table "topic_opt_outs" ("tenant_id" varchar(50) not null, "email_key" varchar(320) not null, "topic_id" bigint not null, "created_at" timestamptz(3) not null default now(), primary key ("tenant_id", "email_key", "topic_id"));`,
    );

    this.addSql(`alter table "emails" add "variant" varchar(100) null, add "due_at" timestamptz(3) null;`);

    this.addSql(`alter table "email_events" add "campaign_id" bigint null;`);
    this.addSql(
      `create index "email_events_campaign_idx" on "email_events" ("tenant_id", "campaign_id", "type") where campaign_id is not null;`,
    );

    this.addSql(`alter table "email_template_versions" add "compiled_html" text null;`);

    this.addSql(`alter table "segments" add "double_opt_in" boolean not null default false;`);

    this.addSql(`alter table "bounce_mailboxes" enable row level security;`);
    this.addSql(`alter table "bounce_mailboxes" force row level security;`);
    this.addSql(`create policy "engine" on "bounce_mailboxes" to "perennial_engine" using (true) with check (true);`);

    this.addSql(
      `alter table "email_bounces" add constraint "email_bounces_kind_check" check ("kind" in ('hard', 'soft', 'complaint'));`,
    );
    this.addSql(`alter table "email_bounces" enable row level security;`);
    this.addSql(`alter table "email_bounces" force row level security;`);
    this.addSql(
      `create policy "tenant" on "email_bounces" using (tenant_id = current_setting('app.tenant_id', true)) with check (tenant_id = current_setting('app.tenant_id', true));`,
    );
    this.addSql(`create policy "engine" on "email_bounces" to "perennial_engine" using (true) with check (true);`);

    this.addSql(
      `alter table "email_campaigns" add constraint "email_campaigns_schedule_type_check" check ("schedule_type" in ('immediate', 'scheduled', 'recurring', 'recipient_local_time'));`,
    );
    this.addSql(
      `alter table "email_campaigns" add constraint "email_campaigns_status_check" check ("status" in ('DRAFT', 'SCHEDULED', 'SENDING', 'PAUSED', 'SENT', 'CANCELLED', 'FAILED'));`,
    );
    this.addSql(`alter table "email_campaigns" enable row level security;`);
    this.addSql(`alter table "email_campaigns" force row level security;`);
    this.addSql(
      `create policy "tenant" on "email_campaigns" using (tenant_id = current_setting('app.tenant_id', true)) with check (tenant_id = current_setting('app.tenant_id', true));`,
    );
    this.addSql(`create policy "engine" on "email_campaigns" to "perennial_engine" using (true) with check (true);`);

    this.addSql(`alter table "email_providers" enable row level security;`);
    this.addSql(`alter table "email_providers" force row level security;`);
    this.addSql(`create policy "engine" on "email_providers" to "perennial_engine" using (true) with check (true);`);

    this.addSql(`alter table "email_senders" enable row level security;`);
    this.addSql(`alter table "email_senders" force row level security;`);
    this.addSql(
      `create policy "tenant" on "email_senders" using (tenant_id = current_setting('app.tenant_id', true)) with check (tenant_id = current_setting('app.tenant_id', true));`,
    );
    this.addSql(`create policy "engine" on "email_senders" to "perennial_engine" using (true) with check (true);`);

    this.addSql(`alter table "email_settings" enable row level security;`);
    this.addSql(`alter table "email_settings" force row level security;`);
    this.addSql(
      `create policy "tenant" on "email_settings" using (tenant_id = current_setting('app.tenant_id', true)) with check (tenant_id = current_setting('app.tenant_id', true));`,
    );
    this.addSql(`create policy "engine" on "email_settings" to "perennial_engine" using (true) with check (true);`);

    this.addSql(`alter table "email_topics" enable row level security;`);
    this.addSql(`alter table "email_topics" force row level security;`);
    this.addSql(
      `create policy "tenant" on "email_topics" using (tenant_id = current_setting('app.tenant_id', true)) with check (tenant_id = current_setting('app.tenant_id', true));`,
    );
    this.addSql(`create policy "engine" on "email_topics" to "perennial_engine" using (true) with check (true);`);

    this.addSql(`alter table "opt_ins" enable row level security;`);
    this.addSql(`alter table "opt_ins" force row level security;`);
    this.addSql(
      `create policy "tenant" on "opt_ins" using (tenant_id = current_setting('app.tenant_id', true)) with check (tenant_id = current_setting('app.tenant_id', true));`,
    );
    this.addSql(`create policy "engine" on "opt_ins" to "perennial_engine" using (true) with check (true);`);

    this.addSql(`alter table "topic_opt_outs" enable row level security;`);
    this.addSql(`alter table "topic_opt_outs" force row level security;`);
    this.addSql(
      `create policy "tenant" on "topic_opt_outs" using (tenant_id = current_setting('app.tenant_id', true)) with check (tenant_id = current_setting('app.tenant_id', true));`,
    );
    this.addSql(`create policy "engine" on "topic_opt_outs" to "perennial_engine" using (true) with check (true);`);

    for (const [table, column, target, onDelete] of [
      ['email_bounces', 'email_id', 'emails', 'cascade'],
      ['email_campaigns', 'segment_id', 'segments', 'set null (segment_id)'],
      ['email_templates', 'topic_id', 'email_topics', 'no action'],
      ['topic_opt_outs', 'topic_id', 'email_topics', 'cascade'],
      ['opt_ins', 'contact_id', 'contacts', 'cascade'],
      ['opt_ins', 'form_id', 'forms', 'set null (form_id)'],
      ['opt_ins', 'list_id', 'segments', 'set null (list_id)'],
    ]) {
      this.addSql(
        `alter table ${table} add constraint ${table}_${column}_fkey foreign key (tenant_id, ${column}) references ${target} (tenant_id, id) on delete ${onDelete};`,
      );
    }
    this.addSql(
      `update email_events v set campaign_id = e.campaign_id from emails e where e.tenant_id = v.tenant_id and e.id = v.email_id and e.campaign_id is not null;`,
    );
    for (const table of [
      'bounce_mailboxes',
      'email_bounces',
      'email_campaigns',
      'email_providers',
      'email_senders',
      'email_settings',
      'email_topics',
      'opt_ins',
      'topic_opt_outs',
    ]) {
      this.addSql(`grant select, insert, update, delete on ${table} to perennial_app, perennial_engine;`);
    }
    this.addSql(`grant usage on all sequences in schema public to perennial_app, perennial_engine;`);
  }
}
