import { Migration } from '@mikro-orm/migrations';

/** Replays of scoring rules over earlier events. */
export class Migration20261125121000_replays extends Migration {
  override name = 'Migration20261125121000_replays';

  override up(): void {
    this.addSql(
      `create table "scoring_replays" ("id" bigserial primary key, "tenant_id" varchar(50) not null, "rule_id" bigint not null, "rule_version" int not null, "dry_run" boolean not null, "from_at" timestamptz(3) not null, "until_at" timestamptz(3) not null, "status" text not null default 'RUNNING', "cursor" bigint not null default '0', "figures" jsonb not null, "workflow_id" text not null, "created_at" timestamptz(3) not null default now(), "finished_at" timestamptz(3) null);`,
    );
    this.addSql(
      `alter table "scoring_replays" add constraint "scoring_replays_tenant_id_id_key" unique ("tenant_id", "id");`,
    );
    this.addSql(
      `create unique index "scoring_replays_running_key" on "scoring_replays" ("tenant_id", "rule_id") where status = 'RUNNING' and not dry_run;`,
    );
    this.addSql(
      `alter table "scoring_replays" add constraint "scoring_replays_status_check" check ("status" in ('RUNNING', 'COMPLETED', 'CANCELLED'));`,
    );
    this.addSql(
      `alter table "scoring_replays" add constraint "scoring_replays_rule_id_fkey" foreign key (tenant_id, rule_id) references scoring_rules (tenant_id, id) on delete cascade;`,
    );
    this.addSql(`alter table "scoring_replays" enable row level security;`);
    this.addSql(`alter table "scoring_replays" force row level security;`);
    this.addSql(
      `create policy "tenant" on "scoring_replays" using (tenant_id = current_setting('app.tenant_id', true)) with check (tenant_id = current_setting('app.tenant_id', true));`,
    );
    this.addSql(`create policy "engine" on "scoring_replays" to "perennial_engine" using (true) with check (true);`);
    this.addSql(`grant select, insert, update, delete on "scoring_replays" to perennial_app, perennial_engine;`);
    this.addSql(`grant usage on sequence "scoring_replays_id_seq" to perennial_app, perennial_engine;`);
  }

  override down(): void {
    this.addSql(`drop table "scoring_replays";`);
  }
}
