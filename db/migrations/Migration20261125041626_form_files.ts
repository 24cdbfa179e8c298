import { Migration } from '@mikro-orm/migrations';

/** Files of form submissions, and what is to be removed from the store of files. */
export class Migration20261125041626_form_files extends Migration {
  override name = 'Migration20261125041626_form_files';

  override up(): void {
    this.addSql(
      `create table "file_removals" ("tenant_id" varchar(50) not null, "object_key" varchar(100) not null, "remove_after" timestamptz(3) not null, "removing" boolean not null default false, primary key ("tenant_id", "object_key"));`,
    );
    this.addSql(`create index "file_removals_due_idx" on "file_removals" ("removing", "remove_after");`);
    this.addSql(
      `create table "form_files" ("id" bigserial primary key, "tenant_id" varchar(50) not null, "form_id" bigint not null, "submission_id" bigint not null, "field" varchar(100) not null, "file_name" varchar(255) not null, "media_type" varchar(255) not null, "size" bigint not null, "sha256" varchar(64) not null, "object_key" text not null, "created_at" timestamptz(3) not null default now());`,
    );
    this.addSql(`create index "form_files_submission_idx" on "form_files" ("tenant_id", "submission_id");`);
    this.addSql(`create index "form_files_form_idx" on "form_files" ("tenant_id", "form_id");`);
    this.addSql(
      `alter table "form_submissions" add constraint "form_submissions_tenant_id_id_key" unique using index "form_submissions_tenant_id_id_key";`,
    );
    this.addSql(
      `alter table "form_files" add constraint "form_files_form_id_fkey" foreign key (tenant_id, form_id) references forms (tenant_id, id) on delete cascade;`,
    );
    this.addSql(
      `alter table "form_files" add constraint "form_files_submission_id_fkey" foreign key (tenant_id, submission_id) references form_submissions (tenant_id, id) on delete cascade;`,
    );
    for (const table of ['file_removals', 'form_files']) {
      this.addSql(`alter table "${table}" enable row level security;`);
      this.addSql(`alter table "${table}" force row level security;`);
      this.addSql(
        `create policy "tenant" on "${table}" using (tenant_id = current_setting('app.tenant_id', true)) with check (tenant_id = current_setting('app.tenant_id', true));`,
      );
      this.addSql(`create policy "engine" on "${table}" to "perennial_engine" using (true) with check (true);`);
      this.addSql(`grant select, insert, update, delete on "${table}" to perennial_app, perennial_engine;`);
    }
    this.addSql(`grant usage on sequence "form_files_id_seq" to perennial_app, perennial_engine;`);
  }

  override down(): void {
    this.addSql(`drop table "form_files";`);
    this.addSql(`drop table "file_removals";`);
    this.addSql(`alter table "form_submissions" drop constraint "form_submissions_tenant_id_id_key";`);
  }
}
