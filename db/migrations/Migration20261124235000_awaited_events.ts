import { Migration } from '@mikro-orm/migrations';

/** Executions wait for events of their contacts, and know how many campaigns in a row started one another. */
export class Migration20261124235000_awaited_events extends Migration {
  override name = 'Migration20261124235000_awaited_events';

  override up(): void {
    this.addSql(`alter table "campaign_executions" add column "depth" int not null default 1;`);
    this.addSql(
      `create table "awaited_events" ("tenant_id" varchar(50) not null, "execution_id" bigint not null, "event_type" varchar(50) not null, "contact_id" bigint not null, "woken_at" timestamptz(3) null, primary key ("tenant_id", "execution_id", "event_type"));`,
    );
    this.addSql(`create index "awaited_events_contact_idx" on "awaited_events" ("tenant_id", "contact_id");`);
    this.addSql(
      `alter table "awaited_events" add constraint "awaited_events_execution_id_fkey" foreign key (tenant_id, execution_id) references campaign_executions (tenant_id, id) on delete cascade;`,
    );
    this.addSql(`alter table "awaited_events" enable row level security;`);
    this.addSql(`alter table "awaited_events" force row level security;`);
    this.addSql(
      `create policy "tenant" on "awaited_events" using (tenant_id = current_setting('app.tenant_id', true)) with check (tenant_id = current_setting('app.tenant_id', true));`,
    );
    this.addSql(`create policy "engine" on "awaited_events" to "perennial_engine" using (true) with check (true);`);
    this.addSql(`grant select, insert, update, delete on "awaited_events" to perennial_app, perennial_engine;`);
  }

  override down(): void {
    this.addSql(`drop table "awaited_events";`);
    this.addSql(`alter table "campaign_executions" drop column "depth";`);
  }
}
