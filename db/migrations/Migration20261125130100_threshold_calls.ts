import { Migration } from '@mikro-orm/migrations';

/** Calls of thresholds' webhooks that have not ended. */
export class Migration20261125130100_threshold_calls extends Migration {
  override name = 'Migration20261125130100_threshold_calls';

  override up(): void {
    this.addSql(
      `create table "threshold_calls" ("tenant_id" varchar(50) not null, "threshold_id" bigint not null, "contact_id" bigint not null, "url" text not null, "name" varchar(255) not null, "score" int not null, "total" bigint not null, "at" timestamptz(3) not null, primary key ("tenant_id", "threshold_id", "contact_id"));`,
    );
    this.addSql(
      `alter table "threshold_calls" add constraint "threshold_calls_threshold_id_fkey" foreign key (tenant_id, threshold_id) references score_thresholds (tenant_id, id) on delete cascade;`,
    );
    this.addSql(`alter table "threshold_calls" enable row level security;`);
    this.addSql(`alter table "threshold_calls" force row level security;`);
    this.addSql(
      `create policy "tenant" on "threshold_calls" using (tenant_id = current_setting('app.tenant_id', true)) with check (tenant_id = current_setting('app.tenant_id', true));`,
    );
    this.addSql(`create policy "engine" on "threshold_calls" to "perennial_engine" using (true) with check (true);`);
    this.addSql(`grant select, insert, update, delete on "threshold_calls" to perennial_app, perennial_engine;`);
  }

  override down(): void {
    this.addSql(`drop table "threshold_calls";`);
  }
}
