import { Migration } from '@mikro-orm/migrations';

/** How many visits of a contact counted in a minute: notes of pages do not tell, because a page may count again. */
export class Migration20261125171500_visit_counts extends Migration {
  override name = 'Migration20261125171500_visit_counts';

  override up(): void {
    this.addSql(
      `create table "visit_counts" ("tenant_id" varchar(50) not null, "contact_id" bigint not null, "since" timestamptz(3) not null, "visits" int not null, primary key ("tenant_id", "contact_id"));`,
    );
    this.addSql(`create index "visit_counts_since_idx" on "visit_counts" ("since");`);
    this.addSql(
      `alter table "visit_counts" add constraint "visit_counts_contact_id_fkey" foreign key (tenant_id, contact_id) references contacts (tenant_id, id) on delete cascade;`,
    );
    this.addSql(`alter table "visit_counts" enable row level security;`);
    this.addSql(`alter table "visit_counts" force row level security;`);
    this.addSql(
      `create policy "tenant" on "visit_counts" using (tenant_id = current_setting('app.tenant_id', true)) with check (tenant_id = current_setting('app.tenant_id', true));`,
    );
    this.addSql(`create policy "engine" on "visit_counts" to "perennial_engine" using (true) with check (true);`);
    this.addSql(`grant select, insert, update, delete on "visit_counts" to perennial_app, perennial_engine;`);
  }

  override down(): void {
    this.addSql(`drop table "visit_counts";`);
  }
}
