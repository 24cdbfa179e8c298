import { Migration } from '@mikro-orm/migrations';

const TENANT_TABLES = [
  'channel_preferences',
  'channel_providers',
  'channel_settings',
  'channel_suppressions',
  'channel_templates',
  'inbound_texts',
  'messages',
  'message_attempts',
  'message_clicks',
  'message_links',
  'message_reports',
  'message_sends',
  'opt_out_notices',
  'push_sites',
  'push_subscriptions',
  'text_consents',
];
const WITH_IDS = [
  'channel_providers',
  'channel_suppressions',
  'channel_templates',
  'inbound_texts',
  'messages',
  'message_clicks',
  'message_reports',
  'message_sends',
  'push_sites',
  'push_subscriptions',
  'text_consents',
];

/** Text messages and pushes: templates, providers, settings, consents, the ledger, sites and devices. */
export class Migration20261126130420_channels extends Migration {
  override name = 'Migration20261126130420_channels';

  override up(): void {
    this.addSql(
      `create table "channel_preferences" ("tenant_id" varchar(50) not null, "address" varchar(320) not null, "quiet_hours" jsonb null, "preferred_channel" text null, "updated_at" timestamptz(3) not null default now(), primary key ("tenant_id", "address"));`,
    );
    this.addSql(
      `create table "channel_providers" ("id" bigserial primary key, "tenant_id" varchar(50) not null, "name" varchar(255) not null, "channel" text not null, "type" text not null, "priority" int not null default 1, "rate_per_second" int null, "config" jsonb not null, "credentials" text null, "active" boolean not null default true, "version" int not null default 1, "created_at" timestamptz(3) not null default now(), "updated_at" timestamptz(3) not null default now());`,
    );
    this.addSql(
      `alter table "channel_providers" add constraint "channel_providers_tenant_id_id_key" unique ("tenant_id", "id");`,
    );
    this.addSql(
      `create table "channel_settings" ("tenant_id" varchar(50) not null, "caps" jsonb not null default '[]', "send_windows" jsonb not null, "timezone" varchar(64) not null default 'UTC', "sms_consent" text not null default 'required', "stop_words" text[] not null default '{}', "help_text" text null, "stop_text" text null, "opt_out_text" text null, "max_hold_hours" int not null default 24, "version" int not null default 1, "created_at" timestamptz(3) not null default now(), "updated_at" timestamptz(3) not null default now(), primary key ("tenant_id"));`,
    );
    this.addSql(
      `create table "channel_suppressions" ("id" bigserial primary key, "tenant_id" varchar(50) not null, "channel" text not null, "address" varchar(320) not null, "reason" text not null, "source" text not null, "created_at" timestamptz(3) not null default now());`,
    );
    this.addSql(
      `alter table "channel_suppressions" add constraint "channel_suppressions_address_key" unique ("tenant_id", "channel", "address");`,
    );
    this.addSql(
      `create table "channel_templates" ("id" bigserial primary key, "tenant_id" varchar(50) not null, "name" varchar(255) not null, "channel" text not null, "category" text not null default 'marketing', "topic_id" bigint null, "body" text not null, "title" text null, "url" text null, "icon_url" text null, "image_url" text null, "ttl_seconds" int null, "urgency" text null, "collapse_key" varchar(32) null, "smart_encoding" boolean not null default true, "content_version" int not null default 1, "version" int not null default 1, "created_at" timestamptz(3) not null default now(), "updated_at" timestamptz(3) not null default now());`,
    );
    this.addSql(
      `alter table "channel_templates" add constraint "channel_templates_tenant_id_id_key" unique ("tenant_id", "id");`,
    );
    this.addSql(
      `create table "inbound_texts" ("id" bigserial primary key, "tenant_id" varchar(50) not null, "provider_id" bigint not null, "provider_message_id" varchar(255) not null, "from_address" varchar(100) not null, "to_address" varchar(100) null, "text" text not null, "opt_out" text not null, "contact_ids" bigint[] not null, "received_at" timestamptz(3) not null default now());`,
    );
    this.addSql(`create index "inbound_texts_from_idx" on "inbound_texts" ("tenant_id", "from_address", "id");`);
    this.addSql(
      `alter table "inbound_texts" add constraint "inbound_texts_message_key" unique ("tenant_id", "provider_id", "provider_message_id");`,
    );
    this.addSql(
      `alter table "inbound_texts" add constraint "inbound_texts_tenant_id_id_key" unique ("tenant_id", "id");`,
    );
    this.addSql(
      `create table "messages" ("id" bigserial primary key, "tenant_id" varchar(50) not null, "send_key" text not null, "channel" text not null, "category" text not null, "priority" smallint not null default 5, "template_id" bigint null, "content_version" int null, "content" jsonb null, "data" jsonb null, "contact_id" bigint null, "to_address" varchar(100) null, "subscription_id" bigint null, "provider_id" bigint null, "campaign_id" bigint null, "execution_id" bigint null, "step_id" varchar(64) null, "status" text not null default 'QUEUED', "is_unknown" boolean generated always as (status = 'UNKNOWN') stored not null, "reason" text null, "started_at" timestamptz(3) null, "segments" smallint null, "encoding" text null, "told_at" timestamptz(3) null, "sent_at" timestamptz(3) null, "delivered_at" timestamptz(3) null, "request_id" text null, "created_at" timestamptz(3) not null default now(), "updated_at" timestamptz(3) not null default now());`,
    );
    this.addSql(
      `create index "messages_to_idx" on "messages" ("tenant_id", "to_address") where contact_id is null and to_address is not null;`,
    );
    this.addSql(`create index "messages_contact_idx" on "messages" ("tenant_id", "contact_id");`);
    this.addSql(
      `create index "messages_campaign_idx" on "messages" ("tenant_id", "campaign_id", "id") where campaign_id is not null;`,
    );
    this.addSql(
      `create index "messages_execution_idx" on "messages" ("tenant_id", "execution_id") where execution_id is not null;`,
    );
    this.addSql(
      `create index "messages_template_idx" on "messages" ("tenant_id", "template_id", "id") where template_id is not null;`,
    );
    this.addSql(`create index "messages_unknown_idx" on "messages" ("tenant_id", "id") where is_unknown;`);
    this.addSql(
      `create index "messages_answers_idx" on "messages" ("created_at") where send_key like 'inbound/%/reply';`,
    );
    this.addSql(`alter table "messages" add constraint "messages_send_key" unique ("tenant_id", "send_key");`);
    this.addSql(`alter table "messages" add constraint "messages_tenant_id_id_key" unique ("tenant_id", "id");`);
    this.addSql(
      `create table "message_attempts" ("tenant_id" varchar(50) not null, "send_id" bigint not null, "attempt" int not null, "provider_id" bigint null, "outcome" text not null, "reply" text null, "at" timestamptz(3) not null default now(), primary key ("tenant_id", "send_id", "attempt"));`,
    );
    this.addSql(
      `create table "message_clicks" ("id" bigserial primary key, "tenant_id" varchar(50) not null, "message_id" bigint not null, "send_id" bigint not null, "event_id" uuid not null, "at" timestamptz(3) not null, "url" text not null, "ip" text null, "user_agent" text null, "automated" boolean null, "first" boolean not null default false, "received_at" timestamptz(3) not null default now());`,
    );
    this.addSql(`create index "message_clicks_message_idx" on "message_clicks" ("tenant_id", "message_id");`);
    this.addSql(
      `create index "message_clicks_pending_idx" on "message_clicks" ("received_at") where automated is null;`,
    );
    this.addSql(`alter table "message_clicks" add constraint "message_clicks_event_key" unique ("event_id");`);
    this.addSql(
      `create table "message_links" ("code" varchar(10) not null, "tenant_id" varchar(50) not null, "message_id" bigint not null, "send_id" bigint not null, "position" smallint not null, "url" text not null, primary key ("code"));`,
    );
    this.addSql(`create index "message_links_message_idx" on "message_links" ("tenant_id", "message_id");`);
    this.addSql(
      `create table "message_reports" ("id" bigserial primary key, "tenant_id" varchar(50) not null, "send_id" bigint not null, "status" text not null, "code" varchar(100) null, "source" text not null, "provider_message_id" varchar(255) null, "at" timestamptz(3) not null default now());`,
    );
    this.addSql(
      `alter table "message_reports" add constraint "message_reports_event_key" unique ("tenant_id", "send_id", "status");`,
    );
    this.addSql(
      `create table "message_sends" ("id" bigserial primary key, "tenant_id" varchar(50) not null, "message_id" bigint not null, "type" text not null, "subscription_id" bigint null, "lane" text not null, "status" text not null default 'QUEUED', "is_open" boolean generated always as (status in ('QUEUED', 'SENDING')) stored not null, "reason" text null, "next_attempt_at" timestamptz(3) not null default now(), "holder" text null, "lease_until" timestamptz(3) null, "attempt" int not null default 0, "provider_id" bigint null, "bound_provider_id" bigint null, "provider_message_id" varchar(255) null, "sent_at" timestamptz(3) null, "delivered_at" timestamptz(3) null, "updated_at" timestamptz(3) not null default now());`,
    );
    this.addSql(
      `create index "message_sends_open_idx" on "message_sends" ("lane", "tenant_id", "next_attempt_at", "id") where is_open;`,
    );
    this.addSql(`create index "message_sends_message_idx" on "message_sends" ("tenant_id", "message_id");`);
    this.addSql(
      `create index "message_sends_provider_idx" on "message_sends" ("provider_message_id") where provider_message_id is not null;`,
    );
    this.addSql(
      `alter table "message_sends" add constraint "message_sends_tenant_id_id_key" unique ("tenant_id", "id");`,
    );
    this.addSql(
      `create table "opt_out_notices" ("tenant_id" varchar(50) not null, "address" varchar(100) not null, "at" timestamptz(3) not null, primary key ("tenant_id", "address"));`,
    );
    this.addSql(
      `create table "push_sites" ("id" bigserial primary key, "tenant_id" varchar(50) not null, "name" varchar(255) not null, "origins" text[] not null, "subject" text not null, "site_key" varchar(40) not null, "public_key" text not null, "private_key" text not null, "icon_url" text null, "default_url" text null, "version" int not null default 1, "created_at" timestamptz(3) not null default now(), "updated_at" timestamptz(3) not null default now());`,
    );
    this.addSql(`create index "push_sites_origins_idx" on "push_sites" using gin ("origins");`);
    this.addSql(`alter table "push_sites" add constraint "push_sites_site_key" unique ("site_key");`);
    this.addSql(`alter table "push_sites" add constraint "push_sites_tenant_id_id_key" unique ("tenant_id", "id");`);
    this.addSql(
      `create table "push_subscriptions" ("id" bigserial primary key, "tenant_id" varchar(50) not null, "type" text not null, "status" text not null default 'active', "contact_id" bigint null, "site_id" bigint null, "endpoint" text not null, "digest" varchar(64) not null, "p256dh" text null, "auth" text null, "expires_at" timestamptz(3) null, "replaced_by" bigint null, "platform" varchar(50) null, "timezone" varchar(64) null, "locale" varchar(35) null, "created_at" timestamptz(3) not null default now(), "updated_at" timestamptz(3) not null default now());`,
    );
    this.addSql(
      `create index "push_subscriptions_site_idx" on "push_subscriptions" ("tenant_id", "site_id", "id") where site_id is not null;`,
    );
    this.addSql(
      `create index "push_subscriptions_contact_idx" on "push_subscriptions" ("tenant_id", "contact_id") where contact_id is not null;`,
    );
    this.addSql(
      `alter table "push_subscriptions" add constraint "push_subscriptions_digest_key" unique ("tenant_id", "digest");`,
    );
    this.addSql(
      `alter table "push_subscriptions" add constraint "push_subscriptions_tenant_id_id_key" unique ("tenant_id", "id");`,
    );
    this.addSql(
      `create table "text_consents" ("id" bigserial primary key, "tenant_id" varchar(50) not null, "address" varchar(100) not null, "status" text not null, "source" varchar(100) not null, "by_text" boolean not null default false, "text" text null, "ip" text null, "at" timestamptz(3) not null default now());`,
    );
    this.addSql(`create index "text_consents_address_idx" on "text_consents" ("tenant_id", "address", "id");`);
    this.addSql(`create index "text_consents_at_idx" on "text_consents" ("tenant_id", "at");`);
    this.addSql(
      `alter table "channel_preferences" add constraint "channel_preferences_preferred_channel_check" check ("preferred_channel" in ('email', 'sms', 'push'));`,
    );
    this.addSql(
      `alter table "channel_providers" add constraint "channel_providers_channel_check" check ("channel" in ('sms', 'push'));`,
    );
    this.addSql(
      `alter table "channel_providers" add constraint "channel_providers_type_check" check ("type" in ('twilio', 'http', 'fcm'));`,
    );
    this.addSql(
      `alter table "channel_settings" add constraint "channel_settings_sms_consent_check" check ("sms_consent" in ('required', 'implied'));`,
    );
    this.addSql(
      `alter table "channel_suppressions" add constraint "channel_suppressions_channel_check" check ("channel" in ('sms', 'push'));`,
    );
    this.addSql(
      `alter table "channel_suppressions" add constraint "channel_suppressions_reason_check" check ("reason" in ('unsubscribed', 'invalid', 'complained', 'manual'));`,
    );
    this.addSql(
      `alter table "channel_templates" add constraint "channel_templates_channel_check" check ("channel" in ('sms', 'push'));`,
    );
    this.addSql(
      `alter table "channel_templates" add constraint "channel_templates_category_check" check ("category" in ('marketing', 'transactional'));`,
    );
    this.addSql(
      `alter table "channel_templates" add constraint "channel_templates_urgency_check" check ("urgency" in ('very-low', 'low', 'normal', 'high'));`,
    );
    this.addSql(
      `alter table "inbound_texts" add constraint "inbound_texts_opt_out_check" check ("opt_out" in ('yes', 'no', 'maybe'));`,
    );
    this.addSql(`alter table "messages" add constraint "messages_channel_check" check ("channel" in ('sms', 'push'));`);
    this.addSql(
      `alter table "messages" add constraint "messages_category_check" check ("category" in ('marketing', 'transactional'));`,
    );
    this.addSql(
      `alter table "messages" add constraint "messages_status_check" check ("status" in ('QUEUED', 'SENDING', 'SENT', 'DELIVERED', 'FAILED', 'UNDELIVERED', 'SUPPRESSED', 'UNKNOWN'));`,
    );
    this.addSql(
      `alter table "message_reports" add constraint "message_reports_status_check" check ("status" in ('SENT', 'DELIVERED', 'UNDELIVERED', 'FAILED'));`,
    );
    this.addSql(
      `alter table "message_sends" add constraint "message_sends_type_check" check ("type" in ('sms', 'webpush', 'fcm'));`,
    );
    this.addSql(
      `alter table "message_sends" add constraint "message_sends_lane_check" check ("lane" in ('transactional', 'journey', 'bulk'));`,
    );
    this.addSql(
      `alter table "message_sends" add constraint "message_sends_status_check" check ("status" in ('QUEUED', 'SENDING', 'SENT', 'DELIVERED', 'FAILED', 'UNDELIVERED', 'SUPPRESSED', 'UNKNOWN'));`,
    );
    this.addSql(
      `alter table "push_subscriptions" add constraint "push_subscriptions_type_check" check ("type" in ('webpush', 'fcm'));`,
    );
    this.addSql(
      `alter table "push_subscriptions" add constraint "push_subscriptions_status_check" check ("status" in ('active', 'gone', 'replaced'));`,
    );
    this.addSql(
      `alter table "text_consents" add constraint "text_consents_status_check" check ("status" in ('subscribed', 'unsubscribed'));`,
    );
    this.addSql(
      `alter table "channel_templates" add constraint "channel_templates_topic_id_fkey" foreign key (tenant_id, topic_id) references email_topics (tenant_id, id);`,
    );
    this.addSql(
      `alter table "push_subscriptions" add constraint "push_subscriptions_site_id_fkey" foreign key (tenant_id, site_id) references push_sites (tenant_id, id);`,
    );
    for (const table of TENANT_TABLES) this.#tenantTable(table);
    for (const table of WITH_IDS)
      this.addSql(`grant usage on sequence "${table}_id_seq" to perennial_app, perennial_engine;`);
    // Many updates of a row within seconds: room on the page, so that those that change no index touch none.
    for (const table of ['messages', 'message_sends'])
      this.addSql(
        `alter table ${table} set (fillfactor = 40, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);`,
      );
    // Rules for email are the rules for the channel email.
    this.addSql(`
      insert into channel_settings (tenant_id, caps, send_windows, version, created_at, updated_at)
      select tenant_id,
        case when jsonb_typeof(frequency_cap) = 'object' then jsonb_build_array(jsonb_build_object(
          'channels', jsonb_build_array('email'), 'max', frequency_cap -> 'maxEmails', 'perDays', frequency_cap -> 'perDays')) else '[]' end,
        jsonb_build_object('email', nullif(send_window, 'null'), 'sms', '{"from": "08:00", "to": "21:00", "timezone": "contact"}'::jsonb, 'push', null),
        version, created_at, updated_at
      from email_settings;`);
    this.addSql(`drop table "email_settings";`);
    this.addSql(`alter table "topic_opt_outs" drop constraint "topic_opt_outs_pkey";`);
    this.addSql(`alter table "topic_opt_outs" add "channel" text not null default 'email';`);
    this.addSql(`alter table "topic_opt_outs" rename column "email_key" to "address";`);
    this.addSql(`alter table "topic_opt_outs" add primary key ("tenant_id", "address", "topic_id", "channel");`);
    this.addSql(
      `alter table "topic_opt_outs" add constraint "topic_opt_outs_channel_check" check ("channel" in ('email', 'sms', 'push'));`,
    );
    this.addSql(`alter table "email_campaigns" add "priority" smallint not null default 5;`);
    this.addSql(`alter table "emails" add "priority" smallint null;`);
  }

  #tenantTable(table: string): void {
    this.addSql(`alter table "${table}" enable row level security;`);
    this.addSql(`alter table "${table}" force row level security;`);
    this.addSql(
      `create policy "tenant" on "${table}" using (tenant_id = current_setting('app.tenant_id', true)) with check (tenant_id = current_setting('app.tenant_id', true));`,
    );
    this.addSql(`create policy "engine" on "${table}" to "perennial_engine" using (true) with check (true);`);
    this.addSql(`grant select, insert, update, delete on "${table}" to perennial_app, perennial_engine;`);
  }

  override down(): void {
    this.addSql(
      `create table "email_settings" ("created_at" timestamptz(3) not null default now(), "frequency_cap" jsonb null, "send_window" jsonb null, "tenant_id" varchar(50) not null, "updated_at" timestamptz(3) not null default now(), "version" int not null default 1, primary key ("tenant_id"));`,
    );
    this.#tenantTable('email_settings');
    this.addSql(`
      insert into email_settings (tenant_id, frequency_cap, send_window, version, created_at, updated_at)
      select tenant_id,
        (select jsonb_build_object('maxEmails', cap -> 'max', 'perDays', cap -> 'perDays') from jsonb_array_elements(caps) cap where cap -> 'channels' = '["email"]'),
        nullif(send_windows -> 'email', 'null'), version, created_at, updated_at
      from channel_settings;`);
    this.addSql(`drop table ${TENANT_TABLES.map((table) => `"${table}"`).join(', ')};`);
    this.addSql(`alter table "email_campaigns" drop column "priority";`);
    this.addSql(`alter table "emails" drop column "priority";`);
    this.addSql(`delete from topic_opt_outs where channel <> 'email';`);
    this.addSql(`alter table "topic_opt_outs" drop constraint "topic_opt_outs_pkey";`);
    this.addSql(`alter table "topic_opt_outs" drop column "channel";`);
    this.addSql(`alter table "topic_opt_outs" rename column "address" to "email_key";`);
    this.addSql(`alter table "topic_opt_outs" add primary key ("tenant_id", "email_key", "topic_id");`);
  }
}
