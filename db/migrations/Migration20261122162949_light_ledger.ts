import { Migration } from '@mikro-orm/migrations';

/** Writes all of `emails` anew: with tens of millions of them, stop the senders for it. */
export class Migration20261122162949_light_ledger extends Migration {
  override name = 'Migration20261122162949_light_ledger';

  override up(): void | Promise<void> {
    this.addSql(`drop index "emails_ready_idx";`);
    this.addSql(`drop index "emails_sending_idx";`);
    this.addSql(`drop index "emails_waiting_idx";`);
    this.addSql(
      `alter table "emails" add "stage" text generated always as (case when status = 'QUEUED' and accepted_at is null then 'waiting' when status in ('QUEUED', 'SENDING') then 'open' else 'over' end) stored not null, add "reply" text null;`,
    );
    this.addSql(
      `create index "emails_open_idx" on "emails" ("lane", "tenant_id", "next_attempt_at", "id") where stage = 'open';`,
    );
    this.addSql(`create index "emails_waiting_idx" on "emails" ("next_attempt_at") where stage = 'waiting';`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index "emails_open_idx";`);
    this.addSql(`drop index "emails_waiting_idx";`);
    this.addSql(`alter table "emails" drop column "stage", drop column "reply";`);
    this.addSql(
      `create index "emails_ready_idx" on "emails" ("lane", "tenant_id", "next_attempt_at", "id") where status = 'QUEUED' and accepted_at is not null;`,
    );
    this.addSql(`create index "emails_sending_idx" on "emails" ("id") where status = 'SENDING';`);
    this.addSql(
      `create index "emails_waiting_idx" on "emails" ("next_attempt_at") where status = 'QUEUED' and accepted_at is null;`,
    );
  }
}
