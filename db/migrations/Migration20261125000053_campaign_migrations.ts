import { Migration } from '@mikro-orm/migrations';

/** Moves of running executions from one published version of a campaign to another. */
export class Migration20261125000053_campaign_migrations extends Migration {
  override name = 'Migration20261125000053_campaign_migrations';

  override up(): void {
    this.addSql(
      `create table "campaign_migrations" ("id" bigserial primary key, "tenant_id" varchar(50) not null, "campaign_id" bigint not null, "from_version" int not null, "to_version" int not null, "map" jsonb not null, "status" text not null default 'RUNNING', "cursor" bigint not null default '0', "total" int not null, "movable" int not null, "moved" int not null default 0, "blocked" jsonb not null, "by_step" jsonb not null, "workflow_id" text not null, "created_at" timestamptz(3) not null default now(), "finished_at" timestamptz(3) null);`,
    );
    this.addSql(
      `alter table "campaign_migrations" add constraint "campaign_migrations_tenant_id_id_key" unique ("tenant_id", "id");`,
    );
    this.addSql(
      `create unique index "campaign_migrations_running_key" on "campaign_migrations" ("tenant_id", "campaign_id") where status = 'RUNNING';`,
    );
    this.addSql(
      `alter table "campaign_migrations" add constraint "campaign_migrations_status_check" check ("status" in ('RUNNING', 'COMPLETED', 'CANCELLED'));`,
    );
    this.addSql(
      `alter table "campaign_migrations" add constraint "campaign_migrations_campaign_id_fkey" foreign key (tenant_id, campaign_id) references campaigns (tenant_id, id) on delete cascade;`,
    );
    this.addSql(`alter table "campaign_migrations" enable row level security;`);
    this.addSql(`alter table "campaign_migrations" force row level security;`);
    this.addSql(
      `create policy "tenant" on "campaign_migrations" using (tenant_id = current_setting('app.tenant_id', true)) with check (tenant_id = current_setting('app.tenant_id', true));`,
    );
    this.addSql(
      `create policy "engine" on "campaign_migrations" to "perennial_engine" using (true) with check (true);`,
    );
    this.addSql(`grant select, insert, update, delete on "campaign_migrations" to perennial_app, perennial_engine;`);
    this.addSql(`grant usage on sequence "campaign_migrations_id_seq" to perennial_app, perennial_engine;`);
  }

  override down(): void {
    this.addSql(`drop table "campaign_migrations";`);
  }
}
