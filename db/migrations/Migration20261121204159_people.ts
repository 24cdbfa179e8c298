import { Migration } from '@mikro-orm/migrations';

/** Custom fields, erasure, taking imports back, and segments that are built step by step and move with the clock. */
export class Migration20261121204159_people extends Migration {
  override name = 'Migration20261121204159_people';

  override up(): void {
    this.addSql(
      `create table "contact_import_kept" ("tenant_id" varchar(50) not null, "import_id" bigint not null, "contact_id" bigint not null, "reason" varchar(50) not null, primary key ("tenant_id", "import_id", "contact_id"));`,
    );

    this.addSql(
      `create table "custom_fields" ("id" bigserial primary key, "tenant_id" varchar(50) not null, "entity" text not null, "name" varchar(100) not null, "type" text not null, "options" text[] null, "description" text null, "version" int not null default 1, "created_at" timestamptz(3) not null default now(), "updated_at" timestamptz(3) not null default now());`,
    );
    this.addSql(
      `alter table "custom_fields" add constraint "custom_fields_name_key" unique ("tenant_id", "entity", "name");`,
    );

    this.addSql(
      `create table "erased_addresses" ("tenant_id" varchar(50) not null, "hash" varchar(64) not null, "created_at" timestamptz(3) not null default now(), primary key ("tenant_id", "hash"));`,
    );

    this.addSql(
      `create table "erasures" ("id" bigserial primary key, "tenant_id" varchar(50) not null, "contact_id" bigint not null, "status" text not null default 'PENDING', "certificate" jsonb null, "error" text null, "workflow_id" text null, "started_at" timestamptz(3) null, "finished_at" timestamptz(3) null, "version" int not null default 1, "created_at" timestamptz(3) not null default now(), "updated_at" timestamptz(3) not null default now());`,
    );
    this.addSql(`create index "erasures_contact_idx" on "erasures" ("tenant_id", "contact_id");`);
    this.addSql(`alter table "erasures" add constraint "erasures_tenant_id_id_key" unique ("tenant_id", "id");`);

    this.addSql(
      `create index "contact_activities_type_idx" on "contact_activities" ("tenant_id", "type", "occurred_at");`,
    );

    this.addSql(`alter table "contact_imports" add "undo" jsonb null;`);

    this.addSql(`alter table "contact_import_chunks" add "undo" jsonb null;`);

    this.addSql(
      `alter table "segments" add "build" int not null default 0, add "built_to" bigint null, add "swept_at" timestamptz(3) null;`,
    );

    this.addSql(`alter table "contact_import_kept" enable row level security;`);
    this.addSql(`alter table "contact_import_kept" force row level security;`);
    this.addSql(
      `create policy "tenant" on "contact_import_kept" using (tenant_id = current_setting('app.tenant_id', true)) with check (tenant_id = current_setting('app.tenant_id', true));`,
    );
    this.addSql(
      `create policy "engine" on "contact_import_kept" to "perennial_engine" using (true) with check (true);`,
    );

    this.addSql(
      `alter table "custom_fields" add constraint "custom_fields_entity_check" check ("entity" in ('contact', 'company'));`,
    );
    this.addSql(
      `alter table "custom_fields" add constraint "custom_fields_type_check" check ("type" in ('string', 'number', 'boolean', 'date', 'enum'));`,
    );
    this.addSql(`alter table "custom_fields" enable row level security;`);
    this.addSql(`alter table "custom_fields" force row level security;`);
    this.addSql(
      `create policy "tenant" on "custom_fields" using (tenant_id = current_setting('app.tenant_id', true)) with check (tenant_id = current_setting('app.tenant_id', true));`,
    );
    this.addSql(`create policy "engine" on "custom_fields" to "perennial_engine" using (true) with check (true);`);

    this.addSql(`alter table "erased_addresses" enable row level security;`);
    this.addSql(`alter table "erased_addresses" force row level security;`);
    this.addSql(
      `create policy "tenant" on "erased_addresses" using (tenant_id = current_setting('app.tenant_id', true)) with check (tenant_id = current_setting('app.tenant_id', true));`,
    );
    this.addSql(`create policy "engine" on "erased_addresses" to "perennial_engine" using (true) with check (true);`);

    this.addSql(
      `alter table "erasures" add constraint "erasures_status_check" check ("status" in ('PENDING', 'RUNNING', 'COMPLETED', 'FAILED'));`,
    );
    this.addSql(`alter table "erasures" enable row level security;`);
    this.addSql(`alter table "erasures" force row level security;`);
    this.addSql(
      `create policy "tenant" on "erasures" using (tenant_id = current_setting('app.tenant_id', true)) with check (tenant_id = current_setting('app.tenant_id', true));`,
    );
    this.addSql(`create policy "engine" on "erasures" to "perennial_engine" using (true) with check (true);`);

    for (const [table, column, target] of [
      ['contact_import_kept', 'import_id', 'contact_imports'],
      ['contact_import_kept', 'contact_id', 'contacts'],
    ]) {
      this.addSql(
        `alter table ${table} add constraint ${table}_${column}_fkey foreign key (tenant_id, ${column}) references ${target} (tenant_id, id) on delete cascade;`,
      );
    }
    for (const table of ['contact_import_kept', 'custom_fields', 'erasures', 'erased_addresses']) {
      this.addSql(`grant select, insert, update, delete on ${table} to perennial_app, perennial_engine;`);
    }
    this.addSql(`grant usage on all sequences in schema public to perennial_app, perennial_engine;`);
  }
}
