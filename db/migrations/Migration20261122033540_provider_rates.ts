import { Migration } from '@mikro-orm/migrations';

/** What of the rates of mail providers is used, for all sender processes together. */
export class Migration20261122033540_provider_rates extends Migration {
  override name = 'Migration20261122033540_provider_rates';

  override up(): void {
    this.addSql(
      `create table "email_provider_rates" ("provider" varchar(300) not null, "due_at" timestamptz(6) not null default now(), primary key ("provider"));`,
    );
    this.addSql(`alter table "email_provider_rates" enable row level security;`);
    this.addSql(`alter table "email_provider_rates" force row level security;`);
    this.addSql(
      `create policy "engine" on "email_provider_rates" to "perennial_engine" using (true) with check (true);`,
    );
    this.addSql(`grant select, insert, update, delete on email_provider_rates to perennial_app, perennial_engine;`);
  }
}
