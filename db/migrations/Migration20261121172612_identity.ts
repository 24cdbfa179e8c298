import { Migration } from '@mikro-orm/migrations';

/** Accounts, keys, the audit log, idempotent answers and rate limits. */
export class Migration20261121172612_identity extends Migration {
  override name = 'Migration20261121172612_identity';

  override up(): void {
    this.addSql(
      `create table "api_keys" ("id" bigserial primary key, "tenant_id" varchar(50) not null, "name" varchar(100) not null, "key_hash" text not null, "permissions" text[] not null, "created_by" bigint not null, "expires_at" timestamptz(3) null, "last_used_at" timestamptz(3) null, "version" int not null default 1, "created_at" timestamptz(3) not null default now(), "updated_at" timestamptz(3) not null default now());`,
    );
    this.addSql(`alter table "api_keys" add constraint "api_keys_hash_key" unique ("key_hash");`);
    this.addSql(`alter table "api_keys" add constraint "api_keys_name_key" unique ("tenant_id", "name");`);

    this.addSql(
      `create table "audit_log" ("id" bigserial primary key, "tenant_id" varchar(50) not null, "at" timestamptz(3) not null default now(), "actor_type" text not null, "actor_id" bigint null, "actor_name" text null, "action" varchar(50) not null, "resource_type" varchar(50) not null, "resource_id" varchar(100) null, "before" jsonb null, "after" jsonb null, "request_id" text null, "address" text null);`,
    );
    this.addSql(`create index "audit_log_tenant_idx" on "audit_log" ("tenant_id", "id");`);

    this.addSql(
      `create table "idempotent_answers" ("tenant_id" varchar(50) not null, "caller" varchar(40) not null, "operation" varchar(400) not null, "key" varchar(255) not null, "request_hash" text not null, "runner" uuid not null, "locked_until" timestamptz(3) not null, "status" smallint null, "headers" jsonb null, "body" text null, "created_at" timestamptz(3) not null default now(), primary key ("tenant_id", "caller", "operation", "key"));`,
    );
    this.addSql(`create index "idempotent_answers_created_idx" on "idempotent_answers" ("created_at");`);

    this.addSql(
      `create table "invitations" ("id" bigserial primary key, "tenant_id" varchar(50) not null, "email" varchar(100) not null, "email_key" varchar(100) not null, "roles" text[] not null, "token_id" uuid not null, "token_hash" text not null, "expires_at" timestamptz(3) not null, "accepted_at" timestamptz(3) null, "invited_by" bigint not null, "version" int not null default 1, "created_at" timestamptz(3) not null default now(), "updated_at" timestamptz(3) not null default now());`,
    );
    this.addSql(`alter table "invitations" add constraint "invitations_token_id_key" unique ("token_id");`);

    this.addSql(
      `create table "account_mail_requests" ("id" bigserial primary key, "tenant_id" varchar(50) not null, "email_key" varchar(100) not null, "purpose" text not null, "request_id" text null, "created_at" timestamptz(3) not null default now());`,
    );

    this.addSql(
      `create table "rate_buckets" ("bucket" varchar(200) not null, "tenant_id" varchar(50) not null, "tokens" double precision not null, "at" timestamptz(3) not null, "taken" int not null, primary key ("bucket"));`,
    );

    this.addSql(
      `create table "user_tokens" ("id" uuid not null, "tenant_id" varchar(50) not null, "user_id" bigint not null, "purpose" text not null, "token_hash" text not null, "expires_at" timestamptz(3) not null, "used_at" timestamptz(3) null, "created_at" timestamptz(3) not null default now(), primary key ("id"));`,
    );
    this.addSql(`create index "user_tokens_user_idx" on "user_tokens" ("tenant_id", "user_id");`);

    this.addSql(`alter table "email_templates" add "system_key" varchar(50) null;`);
    this.addSql(
      `alter table "email_templates" add constraint "email_templates_system_key" unique ("tenant_id", "system_key");`,
    );

    this.addSql(
      `alter table "users" add "totp_secret" text null, add "totp_confirmed_at" timestamptz(3) null, add "totp_last_step" bigint null;`,
    );

    this.addSql(`alter table "api_keys" enable row level security;`);
    this.addSql(`alter table "api_keys" force row level security;`);
    this.addSql(
      `create policy "tenant" on "api_keys" using (tenant_id = current_setting('app.tenant_id', true)) with check (tenant_id = current_setting('app.tenant_id', true));`,
    );
    this.addSql(`create policy "engine" on "api_keys" to "perennial_engine" using (true) with check (true);`);

    this.addSql(
      `alter table "audit_log" add constraint "audit_log_actor_type_check" check ("actor_type" in ('user', 'api_key', 'anonymous', 'system'));`,
    );
    this.addSql(`alter table "audit_log" enable row level security;`);
    this.addSql(`alter table "audit_log" force row level security;`);
    this.addSql(
      `create policy "tenant" on "audit_log" using (tenant_id = current_setting('app.tenant_id', true)) with check (tenant_id = current_setting('app.tenant_id', true));`,
    );
    this.addSql(`create policy "engine" on "audit_log" to "perennial_engine" using (true) with check (true);`);

    this.addSql(`alter table "idempotent_answers" enable row level security;`);
    this.addSql(`alter table "idempotent_answers" force row level security;`);
    this.addSql(
      `create policy "tenant" on "idempotent_answers" using (tenant_id = current_setting('app.tenant_id', true)) with check (tenant_id = current_setting('app.tenant_id', true));`,
    );
    this.addSql(`create policy "engine" on "idempotent_answers" to "perennial_engine" using (true) with check (true);`);

    this.addSql(`alter table "invitations" enable row level security;`);
    this.addSql(`alter table "invitations" force row level security;`);
    this.addSql(
      `create policy "tenant" on "invitations" using (tenant_id = current_setting('app.tenant_id', true)) with check (tenant_id = current_setting('app.tenant_id', true));`,
    );
    this.addSql(`create policy "engine" on "invitations" to "perennial_engine" using (true) with check (true);`);

    this.addSql(
      `alter table "account_mail_requests" add constraint "account_mail_requests_purpose_check" check ("purpose" in ('reset_password', 'verify_email'));`,
    );
    this.addSql(`alter table "account_mail_requests" enable row level security;`);
    this.addSql(`alter table "account_mail_requests" force row level security;`);
    this.addSql(
      `create policy "tenant" on "account_mail_requests" using (tenant_id = current_setting('app.tenant_id', true)) with check (tenant_id = current_setting('app.tenant_id', true));`,
    );
    this.addSql(
      `create policy "engine" on "account_mail_requests" to "perennial_engine" using (true) with check (true);`,
    );

    this.addSql(`alter table "rate_buckets" enable row level security;`);
    this.addSql(`alter table "rate_buckets" force row level security;`);
    this.addSql(
      `create policy "tenant" on "rate_buckets" using (tenant_id = current_setting('app.tenant_id', true)) with check (tenant_id = current_setting('app.tenant_id', true));`,
    );
    this.addSql(`create policy "engine" on "rate_buckets" to "perennial_engine" using (true) with check (true);`);

    this.addSql(
      `alter table "user_tokens" add constraint "user_tokens_purpose_check" check ("purpose" in ('reset_password', 'verify_email'));`,
    );
    this.addSql(`alter table "user_tokens" enable row level security;`);
    this.addSql(`alter table "user_tokens" force row level security;`);
    this.addSql(
      `create policy "tenant" on "user_tokens" using (tenant_id = current_setting('app.tenant_id', true)) with check (tenant_id = current_setting('app.tenant_id', true));`,
    );
    this.addSql(`create policy "engine" on "user_tokens" to "perennial_engine" using (true) with check (true);`);

    this.addSql(
      `alter table user_tokens add constraint user_tokens_user_id_fkey foreign key (tenant_id, user_id) references users (tenant_id, id) on delete cascade;`,
    );
    // A crash of Postgres fills every bucket; that is cheaper than a log record for each request.
    this.addSql(`alter table rate_buckets set unlogged;`);
    this.addSql(
      `alter table rate_buckets set (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);`,
    );
    for (const table of [
      'api_keys',
      'idempotent_answers',
      'invitations',
      'account_mail_requests',
      'rate_buckets',
      'user_tokens',
    ]) {
      this.addSql(`grant select, insert, update, delete on ${table} to perennial_app, perennial_engine;`);
    }
    // Append-only: what is in the log can not be taken back by the service.
    this.addSql(`grant select, insert on audit_log to perennial_app, perennial_engine;`);
    this.addSql(`grant usage on all sequences in schema public to perennial_app, perennial_engine;`);
  }
}
