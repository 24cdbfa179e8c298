import { Migration } from '@mikro-orm/migrations';

/** CAPTCHA challenges whose solution was used. */
export class Migration20261125035000_used_challenges extends Migration {
  override name = 'Migration20261125035000_used_challenges';

  override up(): void {
    this.addSql(
      `create table "used_challenges" ("tenant_id" varchar(50) not null, "challenge" varchar(128) not null, "expires_at" timestamptz(3) not null, primary key ("tenant_id", "challenge"));`,
    );
    this.addSql(`create index "used_challenges_expires_idx" on "used_challenges" ("expires_at");`);
    this.addSql(`alter table "used_challenges" enable row level security;`);
    this.addSql(`alter table "used_challenges" force row level security;`);
    this.addSql(
      `create policy "tenant" on "used_challenges" using (tenant_id = current_setting('app.tenant_id', true)) with check (tenant_id = current_setting('app.tenant_id', true));`,
    );
    this.addSql(`create policy "engine" on "used_challenges" to "perennial_engine" using (true) with check (true);`);
    this.addSql(`grant select, insert, update, delete on "used_challenges" to perennial_app, perennial_engine;`);
  }

  override down(): void {
    this.addSql(`drop table "used_challenges";`);
  }
}
