import { Migration } from '@mikro-orm/migrations';

/**
 * Emails of an email campaign belong to batches, and their start and end write to no index. Writes all of `emails` anew:
 * with tens of millions of them, stop the senders for it.
 */
export class Migration20261124030553_campaign_batches extends Migration {
  override name = 'Migration20261124030553_campaign_batches';

  override up(): void {
    this.addSql(
      `create table "email_batches" ("id" bigserial primary key, "tenant_id" varchar(50) not null, "campaign_id" bigint not null, "email_ids" bigint[] not null, "released_at" timestamptz(3) not null default now(), "holder" text null, "lease_until" timestamptz(3) null);`,
    );
    this.addSql(`create index "email_batches_campaign_idx" on "email_batches" ("tenant_id", "campaign_id");`);
    this.addSql(`alter table "email_batches" enable row level security;`);
    this.addSql(`alter table "email_batches" force row level security;`);
    this.addSql(
      `create policy "tenant" on "email_batches" using (tenant_id = current_setting('app.tenant_id', true)) with check (tenant_id = current_setting('app.tenant_id', true));`,
    );
    this.addSql(`create policy "engine" on "email_batches" to "perennial_engine" using (true) with check (true);`);
    this.addSql(`grant select, insert, update, delete on "email_batches" to perennial_app, perennial_engine;`);
    this.addSql(`grant usage on sequence "email_batches_id_seq" to perennial_app, perennial_engine;`);

    this.addSql(`alter table "emails" alter column "next_attempt_at" drop not null;`);
    // Emails of campaigns that were not released yet.
    this.addSql(`update "emails" set "next_attempt_at" = null where "next_attempt_at" = '9999-12-31T00:00:00Z';`);
    this.addSql(
      `alter table "emails" alter column "stage" set expression as (case when next_attempt_at is null then 'batch' when status = 'QUEUED' and accepted_at is null then 'waiting' when status in ('QUEUED', 'SENDING') then 'open' else 'over' end);`,
    );
    // Insertion, start and end of an email fit on its page.
    this.addSql(`alter table "emails" set (fillfactor = 45);`);
  }

  override down(): void {
    this.addSql(`alter table "emails" set (fillfactor = 35);`);
    this.addSql(
      `update "emails" set "next_attempt_at" = '9999-12-31T00:00:00Z', "accepted_at" = null where "next_attempt_at" is null and "status" = 'QUEUED';`,
    );
    this.addSql(`update "emails" set "next_attempt_at" = "updated_at" where "next_attempt_at" is null;`);
    this.addSql(
      `alter table "emails" alter column "stage" set expression as (case when status = 'QUEUED' and accepted_at is null then 'waiting' when status in ('QUEUED', 'SENDING') then 'open' else 'over' end);`,
    );
    this.addSql(`alter table "emails" alter column "next_attempt_at" set not null;`);
    this.addSql(`drop table "email_batches";`);
  }
}
