import { Migration } from '@mikro-orm/migrations';

/** Reports on figures, and their runs. */
export class Migration20261125150000_reports extends Migration {
  override name = 'Migration20261125150000_reports';

  override up(): void {
    this.addSql(
      `create table "analytics_reports" ("id" bigserial primary key, "tenant_id" varchar(50) not null, "name" varchar(255) not null, "type" text not null, "format" text not null, "interval" text null, "schedule" jsonb null, "scheduled_since" timestamptz(3) null, "version" int not null default 1, "created_at" timestamptz(3) not null default now(), "updated_at" timestamptz(3) not null default now());`,
    );
    this.addSql(
      `alter table "analytics_reports" add constraint "analytics_reports_tenant_id_id_key" unique ("tenant_id", "id");`,
    );
    this.addSql(
      `create table "analytics_report_runs" ("id" bigserial primary key, "tenant_id" varchar(50) not null, "report_id" bigint not null, "scheduled_at" timestamptz(3) null, "from_at" timestamptz(3) not null, "to_at" timestamptz(3) not null, "interval" text not null, "timezone" varchar(64) not null, "format" text not null, "status" text not null default 'PENDING', "progress" int not null default 0, "error" text null, "object_key" text null, "size" bigint null, "as_of" timestamptz(3) null, "workflow_id" text not null, "created_at" timestamptz(3) not null default now(), "started_at" timestamptz(3) null, "finished_at" timestamptz(3) null);`,
    );
    this.addSql(
      `create index "analytics_report_runs_report_idx" on "analytics_report_runs" ("tenant_id", "report_id", "id");`,
    );
    this.addSql(
      `create index "analytics_report_runs_files_idx" on "analytics_report_runs" ("finished_at") where object_key is not null;`,
    );
    this.addSql(
      `alter table "analytics_report_runs" add constraint "analytics_report_runs_tenant_id_id_key" unique ("tenant_id", "id");`,
    );
    this.addSql(
      `alter table "analytics_report_runs" add constraint "analytics_report_runs_scheduled_key" unique ("tenant_id", "report_id", "scheduled_at");`,
    );
    this.addSql(
      `alter table "analytics_reports" add constraint "analytics_reports_type_check" check ("type" in ('dashboard', 'campaigns', 'contacts', 'emails', 'forms'));`,
    );
    this.addSql(
      `alter table "analytics_reports" add constraint "analytics_reports_format_check" check ("format" in ('json', 'csv', 'pdf', 'xlsx'));`,
    );
    this.addSql(
      `alter table "analytics_reports" add constraint "analytics_reports_interval_check" check ("interval" in ('hour', 'day', 'week', 'month'));`,
    );
    this.addSql(
      `alter table "analytics_report_runs" add constraint "analytics_report_runs_interval_check" check ("interval" in ('hour', 'day', 'week', 'month'));`,
    );
    this.addSql(
      `alter table "analytics_report_runs" add constraint "analytics_report_runs_format_check" check ("format" in ('json', 'csv', 'pdf', 'xlsx'));`,
    );
    this.addSql(
      `alter table "analytics_report_runs" add constraint "analytics_report_runs_status_check" check ("status" in ('PENDING', 'RUNNING', 'COMPLETED', 'FAILED'));`,
    );
    this.addSql(
      `alter table "analytics_report_runs" add constraint "analytics_report_runs_report_id_fkey" foreign key (tenant_id, report_id) references analytics_reports (tenant_id, id) on delete cascade;`,
    );
    for (const table of ['analytics_reports', 'analytics_report_runs']) {
      this.addSql(`alter table "${table}" enable row level security;`);
      this.addSql(`alter table "${table}" force row level security;`);
      this.addSql(
        `create policy "tenant" on "${table}" using (tenant_id = current_setting('app.tenant_id', true)) with check (tenant_id = current_setting('app.tenant_id', true));`,
      );
      this.addSql(`create policy "engine" on "${table}" to "perennial_engine" using (true) with check (true);`);
      this.addSql(`grant select, insert, update, delete on "${table}" to perennial_app, perennial_engine;`);
      this.addSql(`grant usage on sequence "${table}_id_seq" to perennial_app, perennial_engine;`);
    }
  }

  override down(): void {
    this.addSql(`drop table "analytics_report_runs";`);
    this.addSql(`drop table "analytics_reports";`);
  }
}
