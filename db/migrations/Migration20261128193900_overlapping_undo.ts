import { Migration } from '@mikro-orm/migrations';

/**
 * What undoing an import leaves to the undo of later ones. The lock of `contacts` for the foreign key is the only one here
 * that anybody can wait for; what is left to do with each contact follows in `_owed_undo`.
 */
export class Migration20261128193900_overlapping_undo extends Migration {
  override name = 'Migration20261128193900_overlapping_undo';

  override up(): void {
    this.addSql(
      `create table "contact_restored_versions" ("tenant_id" varchar(50) not null, "contact_id" bigint not null, "version" int not null, "same_as" int not null, primary key ("tenant_id", "contact_id", "version"));`,
    );
    this.addSql(
      `create table "undone_companies" ("tenant_id" varchar(50) not null, "company_id" bigint not null, "name" varchar(255) not null, "name_key" varchar(512) not null, "created_at" timestamptz(3) not null, primary key ("tenant_id", "company_id"));`,
    );
    for (const table of ['contact_restored_versions', 'undone_companies']) {
      this.addSql(`alter table "${table}" enable row level security;`);
      this.addSql(`alter table "${table}" force row level security;`);
      this.addSql(
        `create policy "tenant" on "${table}" using (tenant_id = current_setting('app.tenant_id', true)) with check (tenant_id = current_setting('app.tenant_id', true));`,
      );
      this.addSql(`create policy "engine" on "${table}" to "perennial_engine" using (true) with check (true);`);
      this.addSql(`grant select, insert, update, delete on "${table}" to perennial_app, perennial_engine;`);
    }
    this.addSql(
      `alter table "contact_restored_versions" add constraint "contact_restored_versions_contact_id_fkey" foreign key (tenant_id, contact_id) references contacts (tenant_id, id) on delete cascade;`,
    );
  }

  override down(): void {
    this.addSql(`drop table "undone_companies";`);
    this.addSql(`drop table "contact_restored_versions";`);
  }
}
