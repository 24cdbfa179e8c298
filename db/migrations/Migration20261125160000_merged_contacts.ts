import { Migration } from '@mikro-orm/migrations';

/** Into which contact one was merged. */
export class Migration20261125160000_merged_contacts extends Migration {
  override name = 'Migration20261125160000_merged_contacts';

  override up(): void {
    this.addSql(
      `create table "merged_contacts" ("tenant_id" varchar(50) not null, "contact_id" bigint not null, "merged_into" bigint not null, "merged_at" timestamptz(3) not null default now(), primary key ("tenant_id", "contact_id"));`,
    );
    this.addSql(`create index "merged_contacts_into_idx" on "merged_contacts" ("tenant_id", "merged_into");`);
    this.addSql(
      `alter table "merged_contacts" add constraint "merged_contacts_into_fkey" foreign key (tenant_id, merged_into) references contacts (tenant_id, id) on delete cascade;`,
    );
    this.addSql(`alter table "merged_contacts" enable row level security;`);
    this.addSql(`alter table "merged_contacts" force row level security;`);
    this.addSql(
      `create policy "tenant" on "merged_contacts" using (tenant_id = current_setting('app.tenant_id', true)) with check (tenant_id = current_setting('app.tenant_id', true));`,
    );
    this.addSql(`create policy "engine" on "merged_contacts" to "perennial_engine" using (true) with check (true);`);
    this.addSql(`grant select, insert, update, delete on "merged_contacts" to perennial_app, perennial_engine;`);
  }

  override down(): void {
    this.addSql(`drop table "merged_contacts";`);
  }
}
