import { Migration } from '@mikro-orm/migrations';

/** When contacts last visited pages, for a minute. */
export class Migration20261125130000_recent_visits extends Migration {
  override name = 'Migration20261125130000_recent_visits';

  override up(): void {
    this.addSql(
      `create table "recent_visits" ("tenant_id" varchar(50) not null, "contact_id" bigint not null, "page" varchar(43) not null, "at" timestamptz(3) not null, primary key ("tenant_id", "contact_id", "page"));`,
    );
    this.addSql(`create index "recent_visits_at_idx" on "recent_visits" ("at");`);
    this.addSql(
      `alter table "recent_visits" add constraint "recent_visits_contact_id_fkey" foreign key (tenant_id, contact_id) references contacts (tenant_id, id) on delete cascade;`,
    );
    this.addSql(`alter table "recent_visits" enable row level security;`);
    this.addSql(`alter table "recent_visits" force row level security;`);
    this.addSql(
      `create policy "tenant" on "recent_visits" using (tenant_id = current_setting('app.tenant_id', true)) with check (tenant_id = current_setting('app.tenant_id', true));`,
    );
    this.addSql(`create policy "engine" on "recent_visits" to "perennial_engine" using (true) with check (true);`);
    this.addSql(`grant select, insert, update, delete on "recent_visits" to perennial_app, perennial_engine;`);
  }

  override down(): void {
    this.addSql(`drop table "recent_visits";`);
  }
}
