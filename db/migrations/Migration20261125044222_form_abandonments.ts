import { Migration } from '@mikro-orm/migrations';

/** How often a form was left on a day, by the field that was touched last. */
export class Migration20261125044222_form_abandonments extends Migration {
  override name = 'Migration20261125044222_form_abandonments';

  override up(): void {
    this.addSql(
      `create table "form_abandonments" ("tenant_id" varchar(50) not null, "form_id" bigint not null, "field" varchar(100) not null, "day" date not null, "count" bigint not null, primary key ("tenant_id", "form_id", "field", "day"));`,
    );
    this.addSql(
      `alter table "form_abandonments" add constraint "form_abandonments_form_id_fkey" foreign key (tenant_id, form_id) references forms (tenant_id, id) on delete cascade;`,
    );
    this.addSql(`alter table "form_abandonments" enable row level security;`);
    this.addSql(`alter table "form_abandonments" force row level security;`);
    this.addSql(
      `create policy "tenant" on "form_abandonments" using (tenant_id = current_setting('app.tenant_id', true)) with check (tenant_id = current_setting('app.tenant_id', true));`,
    );
    this.addSql(`create policy "engine" on "form_abandonments" to "perennial_engine" using (true) with check (true);`);
    this.addSql(`grant select, insert, update, delete on "form_abandonments" to perennial_app, perennial_engine;`);
  }

  override down(): void {
    this.addSql(`drop table "form_abandonments";`);
  }
}
