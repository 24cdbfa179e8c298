import { Migration } from '@mikro-orm/migrations';

/** Who was mailed or converted is kept by windows instead of days, so that a rate over people is of the very period asked for. */
export class Migration20261123035756_figures extends Migration {
  override name = 'Migration20261123035756_figures';

  override up(): void {
    this.addSql(
      `create table "analytics_contact_windows" ("tenant_id" varchar(50) not null, "metric" varchar(50) not null, "at" timestamptz(3) not null, "contact_id" bigint not null, primary key ("tenant_id", "metric", "at", "contact_id"));`,
    );
    // A day does not say when in it: read anew from what was sent and submitted.
    this.addSql(`
      insert into analytics_contact_windows (tenant_id, metric, at, contact_id)
      select distinct tenant_id, 'mailed', date_bin('5 minutes', sent_at, 'epoch'), contact_id from emails where sent_at is not null and contact_id is not null
      union all select distinct tenant_id, 'converted', date_bin('5 minutes', submitted_at, 'epoch'), contact_id from form_submissions where contact_id is not null;`);
    this.addSql(`drop table "analytics_contact_days";`);
    this.addSql(`alter table "analytics_contact_windows" enable row level security;`);
    this.addSql(`alter table "analytics_contact_windows" force row level security;`);
    this.addSql(
      `create policy "tenant" on "analytics_contact_windows" using (tenant_id = current_setting('app.tenant_id', true)) with check (tenant_id = current_setting('app.tenant_id', true));`,
    );
    this.addSql(
      `create policy "engine" on "analytics_contact_windows" to "perennial_engine" using (true) with check (true);`,
    );
    this.addSql(
      `grant select, insert, update, delete on "analytics_contact_windows" to perennial_app, perennial_engine;`,
    );
  }
}
