import { Migration } from '@mikro-orm/migrations';

/** Simulations of many contacts, which a workflow runs. */
export class Migration20261125005035_campaign_simulations extends Migration {
  override name = 'Migration20261125005035_campaign_simulations';

  override up(): void {
    this.addSql(
      `create table "campaign_simulations" ("id" bigserial primary key, "tenant_id" varchar(50) not null, "campaign_id" bigint not null, "request" jsonb not null, "status" text not null default 'PENDING', "contacts" int not null, "processed" int not null default 0, "result" jsonb null, "error" text null, "workflow_id" text not null, "created_at" timestamptz(3) not null default now(), "started_at" timestamptz(3) null, "finished_at" timestamptz(3) null);`,
    );
    this.addSql(
      `create index "campaign_simulations_campaign_idx" on "campaign_simulations" ("tenant_id", "campaign_id");`,
    );
    this.addSql(
      `alter table "campaign_simulations" add constraint "campaign_simulations_tenant_id_id_key" unique ("tenant_id", "id");`,
    );
    this.addSql(
      `alter table "campaign_simulations" add constraint "campaign_simulations_status_check" check ("status" in ('PENDING', 'RUNNING', 'COMPLETED', 'FAILED'));`,
    );
    this.addSql(
      `alter table "campaign_simulations" add constraint "campaign_simulations_campaign_id_fkey" foreign key (tenant_id, campaign_id) references campaigns (tenant_id, id) on delete cascade;`,
    );
    this.addSql(`alter table "campaign_simulations" enable row level security;`);
    this.addSql(`alter table "campaign_simulations" force row level security;`);
    this.addSql(
      `create policy "tenant" on "campaign_simulations" using (tenant_id = current_setting('app.tenant_id', true)) with check (tenant_id = current_setting('app.tenant_id', true));`,
    );
    this.addSql(
      `create policy "engine" on "campaign_simulations" to "perennial_engine" using (true) with check (true);`,
    );
    this.addSql(`grant select, insert, update, delete on "campaign_simulations" to perennial_app, perennial_engine;`);
    this.addSql(`grant usage on sequence "campaign_simulations_id_seq" to perennial_app, perennial_engine;`);
  }

  override down(): void {
    this.addSql(`drop table "campaign_simulations";`);
  }
}
